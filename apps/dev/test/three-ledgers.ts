import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { z } from 'zod';
import { openCaller } from '../src/caller.ts';

const example = fileURLToPath(new URL('../../../examples/three-ledgers/index.mjs', import.meta.url));
const execute = promisify(execFile);

const told = z.object({
  asset: z.string(),
  actions: z.array(
    z.object({
      actionId: z.string(),
      status: z.string(),
      ledgerId: z.string(),
      locator: z.string(),
      contractAddress: z.string().nullable(),
    }),
  ),
});

/** Runs the example against a server. @param path of its dev.json */
export async function runExample(path: string): Promise<void> {
  const { stdout } = await execute(process.execPath, [example, path], { timeout: 240_000 });
  const { asset, actions } = told.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  expect(actions.map(({ status, ledgerId }) => `${ledgerId} ${status}`)).toEqual(
    ['dev-ethereum', 'dev-ethereum', 'dev-fabric', 'dev-fabric', 'dev-solana', 'dev-ethereum'].map(
      (ledgerId) => `${ledgerId} SUCCEEDED`,
    ),
  );

  const caller = await openCaller(JSON.parse(readFileSync(path, 'utf8')));
  const ends = await Promise.all(
    actions.map(async ({ actionId }) =>
      z
        .object({ dependencies: z.array(z.string()), updatedAt: z.string() })
        .parse(await caller.call('GET', `/v1/ledger-ops/search/actions/${actionId}`)),
    ),
  );
  const before = actions.map(({ actionId }) => actionId);
  expect(ends.map(({ dependencies }) => dependencies)).toEqual([
    [],
    ...before.slice(0, -1).map((id) => [id]),
  ]);
  const times = ends.map(({ updatedAt }) => Date.parse(updatedAt));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const read = await caller.call('POST', '/v1/ledger-ops/emulate', {
    ledgerId: 'dev-fabric',
    glo: {
      ...{ version: '0.1.0', type: 'contract_call' },
      options: {
        contract_instance: {
          lookup_service: { type: 'ledger', value: 'hyperledger-fabric' },
          resource: 'ledger/assets',
        },
        ...{ method_name: 'ReadAsset', args: [asset] },
      },
    },
  });
  expect(JSON.stringify(read)).toContain(asset);
}
