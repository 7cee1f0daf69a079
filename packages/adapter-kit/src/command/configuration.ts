import { readFileSync } from 'node:fs';
import { jsonObject } from '@ledger-ops/adapter/cloud-wallet';
import { z } from 'zod';

const operation = z
  .object({
    glo: jsonObject,
    contractInterface: z.string().exactOptional(),
    contractSource: z.object({ interface: z.string(), code: z.string() }).exactOptional(),
  })
  .strict();
const configuration = z
  .object({
    ledgerId: z.string(),
    samples: z.object({
      operation,
      other: operation,
      transfer: operation.exactOptional(),
      call: operation.exactOptional(),
      deploy: operation.exactOptional(),
      effects: z
        .array(z.object({ account: z.string(), adds: z.string().regex(/^-?\d+$/) }).strict())
        .min(1)
        .exactOptional(),
      refused: operation.exactOptional(),
      view: z.object({ operation, result: z.unknown() }).exactOptional(),
      coSigned: z
        .object({ operation, others: z.int().min(1), payer: z.int().min(1).exactOptional() })
        .exactOptional(),
      emitting: z
        .object({
          operation,
          contractAddress: z.string(),
          event: z.object({ name: z.string().exactOptional(), args: jsonObject.exactOptional() }),
          silentAddress: z.string().exactOptional(),
        })
        .exactOptional(),
    }),
    funded: z
      .union([z.literal('from-the-start'), z.object({ walletId: z.string(), secret: z.string() })])
      .exactOptional(),
    walletParameters: z.record(z.string(), z.string()).exactOptional(),
    headers: z.record(z.string(), z.string()).exactOptional(),
    patience: z.int().positive().exactOptional(),
  })
  .strict();

/** The parts of a remote plugin's harness that can be given in JSON. */
export type Configuration = z.infer<typeof configuration>;

/** @throws Error that names the invalid part of the file */
export function readConfiguration(file: string): Configuration {
  const parsed = configuration.safeParse(readJson(file));
  if (!parsed.success) throw new TypeError(`${file}:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function readJson(file: string): unknown {
  const text = readFileSync(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TypeError(`${file} is not JSON: ${error.message}`);
  }
}
