#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { jsonObject } from '../protocol.ts';
import { cloudWalletChecks } from './checks.ts';
import type { CloudWalletHarness } from './harness.ts';
import { runCloudWalletCheck } from './run-check.ts';

const usage = `ledger-ops-conformance <url> [--ledger <id>] [--config <file>]

Checks a remote plugin against the cloud wallet protocol: every clause that can be proved from outside.
Ends with 0 when none is broken, 1 when one is, 2 when the arguments are wrong.

The configuration is a JSON file:
  ledgerId    a ledger of the plugin (or --ledger)
  samples     { "operation", "other": two operations that a wallet can execute, "refused"?, "view"? }; an
              operation is { "glo", "contractInterface"?, "contractSource"? }, a view { "operation", "result" }
  funded      "from-the-start": new wallets can pay; or { "walletId", "secret" }: this one can.
              Absent: clauses that cost something are skipped
  walletParameters, headers, patience (milliseconds)   optional`;

const operation = z
  .object({
    glo: jsonObject,
    contractInterface: z.string().exactOptional(),
    contractSource: z.object({ interface: z.string(), code: z.string() }).exactOptional(),
  })
  .strict();
const configuration = z
  .object({
    ledgerId: z.string().exactOptional(),
    samples: z.object({
      operation,
      other: operation,
      refused: operation.exactOptional(),
      view: z.object({ operation, result: z.unknown() }).exactOptional(),
    }),
    funded: z
      .union([z.literal('from-the-start'), z.object({ walletId: z.string(), secret: z.string() })])
      .exactOptional(),
    walletParameters: z.record(z.string(), z.string()).exactOptional(),
    headers: z.record(z.string(), z.string()).exactOptional(),
    patience: z.int().positive().exactOptional(),
  })
  .strict();

/** Without a configuration: transfers of one unit and of two, to an account that nobody uses. */
function transferSamples(): CloudWalletHarness['samples'] {
  const transfer = (amount: string) => ({
    glo: {
      version: '0.1.0',
      type: 'transfer',
      options: {
        recipient: {
          lookup_service: { type: 'ledger', value: 'ethereum' },
          resource: '0x000000000000000000000000000000000000dEaD',
        },
        amount,
      },
    },
  });
  return { operation: transfer('1'), other: transfer('2') };
}

function harnessFrom(args: readonly string[]): CloudWalletHarness {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ledger: { type: 'string' }, config: { type: 'string' } },
  });
  const [url] = positionals;
  if (url === undefined || positionals.length > 1 || URL.parse(url) === null) {
    throw new TypeError('One URL is needed.');
  }
  const given =
    values.config === undefined
      ? { samples: transferSamples() }
      : configuration.parse(JSON.parse(readFileSync(values.config, 'utf8')));
  const { ledgerId: configured, funded = 'by-hook', ...rest } = { ledgerId: undefined, ...given };
  const ledgerId = values.ledger ?? configured;
  if (ledgerId === undefined) throw new TypeError('Name a ledger of the plugin: --ledger, or ledgerId.');
  return { ...rest, url, ledgerId, funded, close: async () => undefined };
}

async function main(args: readonly string[]): Promise<number> {
  let harness: CloudWalletHarness;
  try {
    harness = harnessFrom(args);
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    console.error(`${why}\n\n${usage}`);
    return 2;
  }
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const check of cloudWalletChecks) {
    try {
      const result = await runCloudWalletCheck(check, async () => harness);
      count[result.status] += 1;
      const why = result.status === 'skipped' ? ` (${result.reasons.join('; ')})` : '';
      console.log(`${result.status === 'skipped' ? 'skip' : 'pass'}  ${check.name}${why}`);
    } catch (error) {
      count.failed += 1;
      console.log(`FAIL  ${check.name}\n      ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  return count.failed > 0 || count.passed === 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
