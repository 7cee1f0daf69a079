// Backs up a server under load, and restores the backup into an empty folder.
import { join } from 'node:path';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { brokenInvariants } from '@ledger-ops/runtime';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCommand } from '../../src/commands/run-command.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { addTenant, addWallet, ended, type Installation, install, nobody, send } from '../stage/api.ts';

let place: Installation;
let restored: RunningServer | undefined;
beforeAll(async () => {
  place = await install();
});
afterAll(async () => {
  await restored?.close();
  await place?.close();
});

const environmentOf = (folder: string) => ({
  ...{ PORT: '0', DATA_DIR: folder, MASTER_KEY: Buffer.alloc(32, 5).toString('base64') },
  ...{ OUTBOUND_OPEN: '127.0.0.1', LOG_LEVEL: 'silent' },
});

async function run(folder: string, args: string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const code = await runCommand(args, { environment: environmentOf(folder), out: write, err: write });
  return { code, text };
}

test('a restored backup is consistent, and no action is executed again', async () => {
  const tenant = await addTenant(place.url, place.administrator, 'acme');
  const { walletAddress } = await addWallet(place, tenant, 'payer');
  const ids: string[] = [];
  let isDone = false;
  const client = async () => {
    while (!isDone) ids.push(await send(tenant, 'payer'));
  };
  const load = Promise.all([client(), client(), client(), client()]);
  const backup = join(place.folder, 'backup');
  await vi.waitFor(() => expect(ids.length).toBeGreaterThan(20), 30_000);
  expect((await run(place.folder, ['backup', backup])).code).toBe(0);
  const atBackup = ids.length;
  await vi.waitFor(() => expect(ids.length).toBeGreaterThan(atBackup + 20), 30_000);
  isDone = true;
  await load;
  const ends = await Promise.all(ids.map((id) => ended(tenant.api, id)));
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
  expect(await run(place.folder, ['verify'])).toMatchObject({ code: 0 });
  await place.server.close();

  const folder = join(place.folder, 'restored');
  expect(await run(folder, ['restore', backup, '--pending=end'])).toMatchObject({ code: 0 });
  restored = await startServer({
    ...{ config: readConfig(environmentOf(folder)), log: createLog('silent'), adapters: [ethereumAdapter] },
  });
  const { read } = restored.store;
  await vi.waitFor(async () => {
    expect(await read.all("SELECT id FROM action WHERE status = 'PENDING'")).toEqual([]);
  }, 30_000);
  const known = await read.all<{ id: string }>('SELECT id FROM action');
  expect(known.length).toBeGreaterThan(20);
  expect(known.filter(({ id }) => !ids.includes(id))).toEqual([]);
  expect(await brokenInvariants(read)).toEqual([]);
  // Each sent action was executed exactly once.
  const received = BigInt(await place.anvil.rpc<string>('eth_getBalance', [nobody, 'latest']));
  const sent = await place.anvil.rpc<string>('eth_getTransactionCount', [walletAddress, 'latest']);
  expect([received, Number(sent)]).toEqual([BigInt(ids.length), ids.length]);
}, 300_000);
