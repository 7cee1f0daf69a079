import type { AdapterDefinition, LedgerSession } from '@ledger-ops/adapter';
import { memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { harnessLedger } from '@ledger-ops/adapter-kit/memory-harness';
import { createCloudWalletClient, remoteAdapter, serveAdapter } from '@ledger-ops/cloud-wallet';
import { expect, onTestFinished, test } from 'vitest';
import { createCustody } from '../src/server/custody.ts';
import { problemOf } from './problem-of.ts';
import { config, serveMemory, transferGlo } from './served-memory.ts';

const secret = 'a secret of thirty-two characters';

async function setUp(options: Parameters<typeof serveMemory>[0] = {}, autoMine = true) {
  const ledger = harnessLedger({ autoMine });
  const served = await serveMemory(options, ledger);
  onTestFinished(() => served.close());
  const open = async () =>
    (await remoteAdapter(createCloudWalletClient({ url: served.url, fetch, timeoutMs: 60_000 }))).open(
      'memory',
    );
  const remote = await open();
  const { address } = await remote.createWallet({ walletId: 'w', secret });
  ledger.fund(address, 10n ** 9n);
  const request = (actionId: string, glo = transferGlo('5')) => ({ actionId, walletId: 'w', secret, glo });
  const end = async (txId: string) => {
    for (;;) {
      const [status] = await remote.status([txId]);
      if (status !== undefined && status.status !== 'PROCESSING') return status;
    }
  };
  return { ledger, served, open, remote, address, request, end };
}

test('requests to nodes are told once, with a status of their ledger', async () => {
  const ledger = harnessLedger({ autoMine: true });
  const inner = memoryAdapter(ledger);
  const definition: AdapterDefinition = {
    ...inner,
    async open(config, host) {
      const session = await inner.open(config, host);
      return {
        ...session,
        async createWallet(request) {
          host.requested?.('make', 'ok', 12.5);
          return await session.createWallet(request);
        },
      };
    },
  };
  const served = await serveMemory({ definition }, ledger);
  onTestFinished(() => served.close());
  const client = createCloudWalletClient({ url: served.url, fetch, timeoutMs: 60_000 });
  const remote = (await remoteAdapter(client)).open('memory');
  const { address } = await remote.createWallet({ walletId: 'w', secret });
  ledger.fund(address, 10n ** 9n);
  const ids: string[] = [];
  for (const actionId of ['a', 'b'])
    ids.push((await remote.send({ actionId, walletId: 'w', secret, glo: transferGlo('5') })).txId);
  const told = await remote.status(['unknown', ...ids]);
  expect(told.map(({ requests }) => requests)).toEqual([
    undefined,
    [{ method: 'make', result: 'ok', milliseconds: 12.5 }],
    undefined,
  ]);
  expect((await remote.status(ids)).map(({ requests }) => requests)).toEqual([undefined, undefined]);
});

/** Serves two ledgers, and tells which are open. */
function twoLedgers(fails: { open?: string; close?: string }) {
  const inner = memoryAdapter(harnessLedger({ autoMine: true }));
  const open = new Set<string>();
  const definition: AdapterDefinition = {
    ...inner,
    async open(ledger, host) {
      if (ledger.ledgerId === fails.open) throw new Error('It does not open.');
      const session = await inner.open(ledger, host);
      open.add(ledger.ledgerId);
      return {
        ...session,
        async close() {
          await session.close();
          open.delete(ledger.ledgerId);
          if (ledger.ledgerId === fails.close) throw new Error('It does not close.');
        },
      };
    },
  };
  const options = {
    ...{ definition, database: ':memory:', masterKey: new Uint8Array(32) },
    ledgers: ['first', 'second'].map((ledgerId) => ({ ...config, ledgerId })),
  };
  return { open, options };
}

test('where a ledger cannot be opened, those before it are closed', async () => {
  const { open, options } = twoLedgers({ open: 'second' });
  await expect(serveAdapter(options)).rejects.toThrow('It does not open.');
  expect(open).toEqual(new Set());
});

test('where a ledger cannot be closed, the others are', async () => {
  for (const ledgerId of ['first', 'second']) {
    const { open, options } = twoLedgers({ close: ledgerId });
    const adapter = await serveAdapter(options);
    expect(open.size).toBe(2);
    await expect(adapter.close()).rejects.toThrow('It does not close.');
    expect(open).toEqual(new Set());
  }
});

test('a node that takes the bytes and times out executes the action once', async () => {
  const { ledger, remote, request, end, address } = await setUp({ timing: { resend: 20 } });
  ledger.script({ kind: 'acceptAndTimeout' });
  const { txId } = await remote.send(request('a'));
  expect(await end(txId)).toMatchObject({ status: 'SUCCEEDED', locator: txId });
  expect(ledger.executions({ from: address })).toBe(1);
});

test('a node that refuses what was signed proves nothing: the same bytes are sent again', async () => {
  const { ledger, remote, request, end, address } = await setUp({ timing: { resend: 10 } });
  ledger.script({ kind: 'rejectSubmits', times: 3 });
  const { txId, status } = await remote.send(request('a'));
  expect(status).toBe('PROCESSING');
  expect(await end(txId)).toMatchObject({ status: 'SUCCEEDED' });
  expect(new Set(ledger.submissions.map((one) => one.txId))).toEqual(new Set([txId]));
  expect(ledger.executions({ from: address })).toBe(1);
});

test('a ledger that is down is unavailable; the action is executed when it is sent again', async () => {
  const { ledger, remote, request, end, address } = await setUp();
  ledger.goDown();
  expect(await problemOf(remote.send(request('a')))).toMatchObject({ code: 'unavailable' });
  expect(await remote.status(['a'])).toMatchObject([{ status: 'UNKNOWN' }]);
  ledger.comeUp();
  expect(await end((await remote.send(request('a'))).txId)).toMatchObject({ status: 'SUCCEEDED' });
  expect(ledger.executions({ from: address })).toBe(1);
});

test('what was signed before an end goes on after it, with the same bytes', async () => {
  const { ledger, served, open, remote, request, address } = await setUp({ timing: { resend: 10 } }, false);
  ledger.script({ kind: 'acceptButForget' });
  const { txId } = await remote.send(request('a'));
  await served.restart();
  const again = await open();
  expect(await again.send(request('a'))).toEqual({ txId, status: 'PROCESSING' });
  let [status] = await again.status([txId]);
  while (status?.status === 'PROCESSING') {
    ledger.mine();
    [status] = await again.status([txId]);
  }
  expect(status).toMatchObject({ status: 'SUCCEEDED', locator: txId });
  expect(ledger.executions({ from: address })).toBe(1);
});

test('nothing is final before it is as deep as the ledger asks, and what a lost block held is sent again', async () => {
  const ledgers = [{ ...config, properties: { confirmations: 3 } }];
  const { ledger, remote, request, address } = await setUp({ ledgers, timing: { resend: 10 } }, false);
  const { txId } = await remote.send(request('a'));
  ledger.mine(2);
  ledger.reorganise(2, 'vanish');
  expect(await remote.status([txId])).toMatchObject([{ status: 'PROCESSING' }]);
  let [status] = await remote.status([txId]);
  while (status?.status === 'PROCESSING') {
    ledger.mine();
    [status] = await remote.status([txId]);
  }
  expect(status).toMatchObject({ status: 'SUCCEEDED', locator: txId });
  expect(ledger.executions({ from: address })).toBe(1);
});

test('a transaction that the ledger leaves lying is replaced in time, and has the locator of what was mined', async () => {
  let now = 0;
  const ledgers = [{ ...config, properties: { replace_after: 60 } }];
  const { ledger, remote, request, end, address } = await setUp({
    ledgers,
    timing: { resend: 10 },
    now: () => now,
  });
  const forgetting = ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
  const { txId } = await remote.send(request('a'));
  now = 61_000;
  while (forgetting.fired < 3) await remote.status([txId]);
  ledger.script({ kind: 'rejectSubmits' });
  forgetting.clear();
  now = 62_000;
  const { status, locator } = await end(txId);
  expect(status).toBe('SUCCEEDED');
  expect(typeof locator).toBe('string');
  expect(await remote.status([locator ?? ''])).toMatchObject([{ status: 'SUCCEEDED', locator }]);
  expect(ledger.executions({ from: address })).toBe(1);
});

/** The memory adapter with other sessions. */
function changed(change: (session: LedgerSession) => Partial<LedgerSession>) {
  const ledger = harnessLedger({ autoMine: false });
  const inner = memoryAdapter(ledger);
  const definition: AdapterDefinition = {
    ...inner,
    async open(...given) {
      const session = await inner.open(...given);
      return { ...session, ...change(session) };
    },
  };
  return { definition, ledger };
}

test('when another transaction took the sequence, the action fails for good', async () => {
  const tip = { height: 1, hash: 'b' };
  const { definition, ledger } = changed(() => ({
    confirm: async ({ pending }) => ({
      cursor: tip,
      head: tip,
      reorganised: false,
      outcomes: [...pending.keys()].map((txId) => ({
        txId,
        status: 'superseded',
        height: 1,
        blockHash: 'b',
      })),
    }),
  }));
  const { remote, request, end, address } = await setUp({ definition });
  ledger.fund(address, 10n ** 9n);
  await remote.send(request('a'));
  const failed = await end('a');
  expect(failed).toMatchObject({
    status: 'FAILED',
    problem: { detail: expect.stringContaining('sequence') },
  });
  expect(await remote.send(request('a'))).toMatchObject({ status: 'FAILED' });
});

test('a node that counts more than the ledger shows moves no sequence on', async () => {
  let more = 0n;
  // A session holds a count against what is expected, and has the node's word alone where nothing is.
  const { definition, ledger } = changed((session) => ({
    sequences: async (addresses, { expected } = {}) => {
      const counts = await session.sequences(addresses);
      return counts.map((count, index) => (typeof expected?.[index] === 'bigint' ? count : count + more));
    },
  }));
  const { remote, request, end, address } = await setUp({ definition });
  ledger.fund(address, 10n ** 9n);
  ledger.autoMine = true;
  await remote.send(request('a'));
  expect(await end('a')).toMatchObject({ status: 'SUCCEEDED' });
  more = 7n;
  await remote.send(request('b'));
  expect(await end('b')).toMatchObject({ status: 'SUCCEEDED' });
});

test('when the chain was reset, what is unfinished fails, and sequences begin anew', async () => {
  let genesis = 'first';
  const { definition, ledger } = changed((session) => ({
    chain: async () => ({ ...(await session.chain()), genesis }),
  }));
  const { served, open, remote, request, address } = await setUp({ definition });
  ledger.fund(address, 10n ** 9n);
  ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
  await remote.send(request('a'));
  genesis = 'second';
  await served.restart();
  const again = await open();
  const status = async () => (await again.status(['a']))[0];
  await until(async () => (await status())?.status === 'FAILED');
  expect(await status()).toMatchObject({ problem: { detail: expect.stringContaining('reset') } });
  ledger.misbehaviours.clear();
  const { txId } = await again.send(request('b'));
  ledger.mine();
  await until(async () => (await again.status([txId]))[0]?.status === 'SUCCEEDED');
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(setImmediate);
}

test('a wallet that cannot pay for both waits with the second, and executes it later', async () => {
  const { ledger, served, open, request } = await setUp({}, false);
  const remote = await open();
  const { address } = await remote.createWallet({ walletId: 'poor', secret });
  ledger.fund(address, 400_000n);
  const poor = (actionId: string) => ({ ...request(actionId), walletId: 'poor' });
  const first = await remote.send(poor('a'));
  expect(await problemOf(remote.send(poor('b')))).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining('bound by unfinished transactions'),
  });
  expect(first.status).toBe('PROCESSING');
  expect(served.ledger.executions({ from: address })).toBe(0);
});

test('a key opens only with the secret of its wallet and the master key of its plugin', async () => {
  const custody = createCustody(new Uint8Array(32).fill(1));
  const key = new Uint8Array(32).fill(9);
  const sealed = custody.seal(key, secret, 'w');
  expect(custody.open(sealed, secret, 'w')).toEqual(key);
  expect(custody.open(sealed, `${secret}.`, 'w')).toBeUndefined();
  expect(custody.open(sealed, secret, 'v')).toBeUndefined();
  expect(createCustody(new Uint8Array(32).fill(2)).open(sealed, secret, 'w')).toBeUndefined();
  expect(Buffer.from(sealed).includes(Buffer.from(key))).toBe(false);
  expect(() => createCustody(new Uint8Array(16))).toThrow('32 bytes');
});

test('with a bearer token only the host is answered, and being refused decides nothing', async () => {
  const served = await serveMemory({ bearer: 'the token' });
  onTestFinished(() => served.close());
  const client = (headers: Record<string, string>) =>
    remoteAdapter(createCloudWalletClient({ url: served.url, fetch, timeoutMs: 60_000, headers }));
  expect(await problemOf(client({}))).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining('401'),
  });
  expect(await client({ authorization: 'Bearer the token' })).toMatchObject({ name: 'memory' });
});
