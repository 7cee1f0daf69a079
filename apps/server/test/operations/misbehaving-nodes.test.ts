import { type Anvil, misbehaving, type RpcProxy, startAnvil, startProxy, wrongs } from '@ledger-ops/devnet';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { addCaller, type TestCaller } from '../stage/harness.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const password = 'correct horse battery staple';
const patience = { timeout: 60_000, interval: 100 };
let anvil: Anvil;
let first: RpcProxy;
let second: RpcProxy;
let folder: Awaited<ReturnType<typeof openFolder>>;
let server: RunningServer;
let caller: TestCaller;
let output: string[];

async function start(): Promise<void> {
  const config = readConfig({
    PORT: '0',
    BASE_URL: 'https://ledger.test',
    DATA_DIR: folder.path,
    MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    OUTBOUND_OPEN: '127.0.0.1',
    LOG_LEVEL: 'info',
  });
  const log = createLog('info', { write: (line: string) => void output.push(line) });
  server = await startServer({ config, log, adapters: [ethereumAdapter] });
}

/** Creates a ledger with default properties on these nodes, and a wallet with funds. */
async function makeLedger(nodes: readonly RpcProxy[]): Promise<void> {
  const { store, auth, registry } = server;
  const [administrator] = await store.read.all<{ service_id: string }>(
    'SELECT service_id FROM service_account',
  );
  caller = await addCaller(store, auth, administrator?.service_id ?? '', 'one');
  const { projectUid } = caller.principal;
  await store.transaction((tx) =>
    registry.createLedger(tx, {
      ledgerId: 'chain',
      projectUid,
      parentResourceUid: projectUid,
      name: 'chain',
      technology: 'ethereum',
      properties: { chain_id: 31_337 },
      nodes: nodes.map(({ url }, index) => ({ name: `node ${index}`, uri: url })),
    }),
  );
  const { status, body } = await call('POST', '/v1/cloud-wallet/wallets', {
    walletId: 'alice',
    ledgerId: 'chain',
    pluginParameters: { walletPassword: password },
  });
  expect(status).toBe(201);
  await anvil.rpc('anvil_setBalance', [body.walletAddress, '0x56BC75E2D63100000']);
}

beforeEach(async () => {
  output = [];
  anvil = await startAnvil({ blockTime: 0.2 });
  first = await startProxy(anvil.url);
  second = await startProxy(anvil.url);
  folder = await openFolder();
  await start();
});
afterEach(async () => {
  await server?.close();
  await Promise.all([first?.close(), second?.close()]);
  await anvil?.stop();
  await folder?.remove();
});

interface Action {
  actionId: string;
  status: string;
  problem?: { type: string; detail: string } | null;
  pending?: { stage: string; detail: string } | null;
}

// Responses differ by operation; each test declares what it expects.
async function call<Body = Record<string, string>>(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Body }> {
  const response = await fetch(server.url + path, {
    method,
    headers: { ...caller.headers, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

async function send(): Promise<string> {
  const recipient = {
    lookup_service: { type: 'ledger', value: 'ethereum' },
    resource: '0x000000000000000000000000000000000000bEEF',
  };
  const { status, body } = await call('POST', '/v1/ledger-ops/send', {
    walletId: 'alice',
    walletPassword: password,
    glo: { version: '0.1.0', type: 'transfer', options: { recipient, amount: '5' } },
  });
  expect(status).toBe(201);
  return body.actionId ?? '';
}

const actions = async (ids: readonly string[]) =>
  (await call<Action[]>('POST', '/v1/ledger-ops/search/actions', { actionIds: ids })).body;

async function succeeded(ids: readonly string[]): Promise<void> {
  await vi.waitFor(async () => {
    const found = await actions(ids);
    // Failures are printed with their reasons.
    expect(found.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
    expect(found).toHaveLength(ids.length);
  }, patience);
}

const readiness = () => call<{ status: string; reasons: string[]; warnings: string[] }>('GET', '/readyz');

async function warnings(): Promise<string[]> {
  const { body } = await call<{ ledgers: { warnings: string[] }[] }>('GET', '/v1/admin/ledger-health');
  return body.ledgers.flatMap((ledger) => ledger.warnings);
}

test('if the first of two nodes accepts and forgets transactions, the second receives them and a warning names the first', async () => {
  first.setFault(misbehaving(wrongs.swallow()));
  await makeLedger([first, second]);
  await succeeded([await send(), await send()]);
  await vi.waitFor(async () => {
    expect(await readiness()).toMatchObject({
      status: 200,
      body: {
        status: 'ready',
        reasons: [],
        warnings: ['ledgers that have faulty nodes: 1'],
      },
    });
    expect(await warnings()).toEqual([expect.stringMatching(/^Node \S+ accepted transactions/)]);
  }, patience);
  const told = output.filter((line) => line.includes('ethereum.node-passed-over'));
  expect(told).toHaveLength(1);
  await succeeded([await send()]);
});

test('a node that falsely claims to know transactions causes a warning, and actions continue when it recovers', async () => {
  first.setFault(misbehaving(wrongs.refuse('already known')));
  await makeLedger([first]);
  const id = await send();
  await vi.waitFor(async () => {
    const [action] = await actions([id]);
    expect(action?.pending?.detail).toMatch(/already known.*does not return it/);
    expect(await warnings()).toEqual([expect.stringContaining('the ledger has no other node')]);
  }, patience);
  first.setFault(undefined);
  await succeeded([id, await send()]);
});

test('full pools of all nodes are reported, and waiting transactions are sent once there is capacity', async () => {
  for (const node of [first, second]) node.setFault(misbehaving(wrongs.refuse('txpool is full')));
  await makeLedger([first, second]);
  const ids = [await send(), await send()];
  await vi.waitFor(async () => {
    const details = (await actions(ids)).map(({ pending }) => pending?.detail);
    expect(details).toEqual(ids.map(() => expect.stringContaining('txpool is full')));
  }, patience);
  for (const node of [first, second]) node.setFault(undefined);
  await succeeded(ids);
});

test('actions on a node without receipts stay pending with this reason, and succeed once it has them', async () => {
  await makeLedger([first]);
  await succeeded([await send()]);
  first.setFault(misbehaving(wrongs.noReceipts()));
  const ids: string[] = [];
  for (let count = 0; count < 12; count += 1) ids.push(await send());
  const address = (await call('GET', '/v1/cloud-wallet/wallets/alice')).body.walletAddress;
  await vi.waitFor(async () => {
    expect(Number(await anvil.rpc('eth_getTransactionCount', [address, 'latest']))).toBe(13);
  }, patience);
  await server.close();
  await start();
  await vi.waitFor(async () => {
    const found = await actions(ids);
    expect(found.map(({ status }) => status)).toEqual(ids.map(() => 'PENDING'));
    for (const { pending } of found) expect(pending?.detail).toMatch(/in block \d+ but no receipt for it/);
  }, patience);
  first.setFault(undefined);
  await succeeded(ids);
});

test('no nonce is skipped if a node reports too high a transaction count', async () => {
  await makeLedger([first]);
  await succeeded([await send()]);
  first.setFault(misbehaving(wrongs.count((count) => count + 4)));
  const id = await send();
  first.setFault(undefined);
  await succeeded([id, await send()]);
});
