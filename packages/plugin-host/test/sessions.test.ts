import { fileURLToPath } from 'node:url';
import { AdapterError, type PendingTransaction } from '@ledger-ops/adapter';
import { memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { harnessLedger } from '@ledger-ops/adapter-kit/memory-harness';
import { guardDefinition, importAdapter, openProcessAdapter } from '@ledger-ops/plugin-host';
import { expect, onTestFinished, test } from 'vitest';
import { createDeltaWriter, PendingTransactions } from '../src/messages/pending-delta.ts';
import { control } from './child-harness.ts';
import { members, moduleOf, openModule, openSession, problemOf, writeModule } from './modules.ts';

const memoryModule = fileURLToPath(new URL('fixtures/memory.ts', import.meta.url));

test('a restarted process reports new heads without another call', async () => {
  const up = Promise.withResolvers<void>();
  const adapter = await openProcessAdapter({
    specifier: memoryModule,
    timing: { restart: { first: 1, longest: 30_000 } },
    log: () => undefined,
    onHealth: ({ state, restarts }) => state === 'up' && restarts === 1 && up.resolve(),
  });
  onTestFinished(() => adapter.close());
  const session = await openSession(adapter);
  let next = Promise.withResolvers<number>();
  const stop = session.onHead(({ height }) => next.resolve(height));
  await control(adapter, 'mine', 1);
  expect(await next.promise).toBe(1);

  await problemOf(control(adapter, 'exit'));
  next = Promise.withResolvers();
  await up.promise;
  // The fixture's ledger starts with its process, and the session is opened again in the background.
  let height: number | undefined;
  void next.promise.then((seen) => {
    height = seen;
  });
  while (height === undefined) await control(adapter, 'mine', 1);
  stop();
});

test('accepts an estimate without a cost from an adapter that does not estimate costs', async () => {
  const { adapter } = await openModule(
    moduleOf("estimate: async (requests) => requests.map(({ plan }) => ({ status: 'ready', plan }))"),
  );
  const session = await openSession(adapter);
  const request = { wallet: { address: 'a' }, plan: { a: 1 }, minHeight: 0 };
  expect(await session.estimate([request])).toEqual([{ status: 'ready', plan: { a: 1 } }]);
});

test('closing a session aborts its calls, and the module’s host.signal in the child process', async () => {
  const { adapter } = await openModule(
    moduleOf(`
      balances: () => new Promise((_, reject) => host.signal.addEventListener('abort', () => {
        globalThis.ended = true; reject(new Error('ended')); })),
      normaliseAddress: async () => String(globalThis.ended)`),
  );
  const session = await openSession(adapter);
  const call = problemOf(session.balances([]));
  await session.chain();
  await session.close();
  await session.close();
  expect(await call).toMatchObject({ code: 'unavailable', detail: 'The session is closed.' });
  expect(await problemOf(session.chain())).toMatchObject({ detail: 'The session of ledger l is closed.' });
  expect(() => session.onHead(() => undefined)).toThrow(AdapterError);
  expect(await (await openSession(adapter)).normaliseAddress('')).toBe('true');
});

test('each call has its own trace context in the child process', async () => {
  const { adapter } = await openModule(
    moduleOf(`
      normaliseAddress: async (name) => {
        const before = host.traceparent();
        await new Promise((resolve) => setTimeout(resolve));
        return [name, before, host.traceparent()].join();
      }`),
  );
  let trace: string | undefined = 'of another call';
  const session = await openSession(adapter, undefined, undefined, { traceparent: () => trace });
  const call = (name: string, its: string | undefined) => {
    trace = its;
    return session.normaliseAddress(name);
  };
  expect(await Promise.all([call('a', 'one'), call('b', undefined), call('c', 'two')])).toEqual([
    'a,one,one',
    'b,,',
    'c,two,two',
  ]);
});

test('the host receives remarks on pending transactions, and rejects remarks on transactions outside the request', async () => {
  const { adapter } = await openModule(
    moduleOf(`
      confirm: async () => ({ cursor: { height: 1, hash: 'one' }, head: { height: 1, hash: 'one' },
        outcomes: [], reorganised: false, remarks: [{ txId: 'mine', detail: 'It is sought.' }] })`),
  );
  const session = await openSession(adapter);
  const confirm = (txId: string) =>
    session.confirm({ cursor: null, pending: new Map([[txId, { address: 'a' }]]) });
  const detail = 'The plugin plugin.mjs says: "It is sought."';
  expect(await confirm('mine')).toMatchObject({ remarks: [{ txId: 'mine', detail }] });
  expect(await problemOf(confirm('another'))).toMatchObject({
    code: 'adapter-fault',
    detail: expect.stringContaining('a transaction that was not in the request'),
  });
});

test('the host receives the gas price, the slot and at most 64 warnings, each attributed to the plugin', async () => {
  const { adapter } = await openModule(
    moduleOf(`
      confirm: async () => ({ cursor: { height: 1, hash: 'one' }, head: { height: 1, hash: 'one' },
        outcomes: [], reorganised: false, gasPrice: 7n, slot: 9, warnings: Array.from({ length: 100 }, (_, n) => 'Node ' + n + ' is odd.') })`),
  );
  const session = await openSession(adapter);
  const { warnings, ...figures } = await session.confirm({ cursor: null, pending: new Map() });
  expect(figures).toMatchObject({ gasPrice: 7n, slot: 9 });
  expect(warnings).toHaveLength(64);
  expect(warnings?.[0]).toBe('The plugin plugin.mjs says: "Node 0 is odd."');
});

test('a transaction’s validity and expiry are passed between the processes', async () => {
  const { adapter } = await openModule(
    moduleOf(`
      prepare: async () => [{ status: 'prepared', attempts: [{ kind: 'main',
        round: { done: true, result: { txId: 't', bytes: new Uint8Array(1), cost: 1n, validUntil: 7 } } }] }],
      confirm: async ({ pending }) => ({ cursor: { height: 9, hash: 'nine' }, head: { height: 9, hash: 'nine' },
        outcomes: [...pending].map(([txId, { validUntil }]) =>
          ({ txId, status: 'expired', height: validUntil + 1, blockHash: 'b' })), reorganised: false })`),
  );
  const session = await openSession(adapter);
  const [prepared] = await session.prepare([{ actionId: 'a', wallet: { address: 'a' }, plan: {} }]);
  expect(prepared).toMatchObject({ attempts: [{ round: { result: { txId: 't', validUntil: 7 } } }] });
  const pending = new Map([['t', { address: 'a', validUntil: 7 }]]);
  const { outcomes } = await session.confirm({ cursor: null, pending });
  expect(outcomes).toEqual([{ txId: 't', status: 'expired', height: 8, blockHash: 'b' }]);
});

test('the host receives the id of the transaction that used a sequence', async () => {
  const { adapter } = await openModule(
    moduleOf(`
      confirm: async () => ({ cursor: { height: 1, hash: 'one' }, head: { height: 1, hash: 'one' }, reorganised: false,
        outcomes: [{ txId: 'mine', status: 'superseded', claim: 'coin', height: 1, blockHash: 'one', by: 'theirs' }] })`),
  );
  const session = await openSession(adapter);
  const { outcomes } = await session.confirm({
    cursor: null,
    pending: new Map([['mine', { address: 'a' }]]),
  });
  expect(outcomes).toEqual([
    { txId: 'mine', status: 'superseded', claim: 'coin', height: 1, blockHash: 'one', by: 'theirs' },
  ]);
});

test("a child uses the host's clock", async () => {
  const { adapter } = await openModule(moduleOf('normaliseAddress: async () => String(host.now())'));
  const session = await adapter.open(
    { ledgerId: 'l', technology: 'memory', properties: {}, nodes: [] },
    { now: () => 1_000_000, log: () => undefined, signal: new AbortController().signal },
  );
  expect(Number(await session.normaliseAddress(''))).toBeLessThan(1_010_000);
});

test('sends only changes of the pending transactions, but the child reads the whole map', async () => {
  const write = createDeltaWriter();
  const child = new PendingTransactions();
  const one = (sequence: bigint): PendingTransaction => ({ address: 'a', sequence });
  const pending = new Map([...Array(1_000).keys()].map((n) => [`tx${n}`, one(BigInt(n))]));
  const cross = async () => {
    const delta = write(pending);
    const map = await child.read(structuredClone(delta), async (all) => all);
    return { delta, map };
  };

  const first = await cross();
  expect(first.delta).toMatchObject({ reset: true, removed: [] });
  expect(first.map).toEqual(pending);

  pending.delete('tx3');
  pending.set('tx5', { address: 'a' }).set('new', one(7n));
  const second = await cross();
  expect(second.delta).toEqual({
    reset: false,
    none: false,
    added: [
      ['tx5', { address: 'a' }],
      ['new', one(7n)],
    ],
    removed: ['tx3'],
  });
  expect(second.map).toEqual(pending);

  expect(write(new Map())).toMatchObject({ none: true });
  const third = await cross();
  expect(third.delta).toMatchObject({ added: [], removed: [] });
  expect(third.map).toEqual(pending);
});

test('a later call does not change the map of pending transactions that a running call reads', async () => {
  const child = new PendingTransactions();
  const hold = Promise.withResolvers<void>();
  const delta = { reset: true, none: false, added: [['a', { address: 'a' }]], removed: [] as string[] };
  const running = child.read(delta as Parameters<typeof child.read>[0], async (all) => {
    await hold.promise;
    return [...all.keys()];
  });
  const next = await child.read(
    { reset: false, none: false, added: [['b', { address: 'b' }]], removed: ['a'] },
    async (all) => [...all.keys()],
  );
  hold.resolve();
  expect(next).toEqual(['b']);
  expect(await running).toEqual(['a']);
});

test('a trusted module in the host’s process passes the same checks, and its errors become AdapterErrors of this package', async () => {
  const inner = memoryAdapter(harnessLedger());
  const definition = guardDefinition('memory', {
    ...inner,
    async readInterface() {
      throw Object.assign(new Error('no'), {
        name: 'AdapterError',
        problem: { code: 'invalid-argument', phase: 'interface', detail: 'No.' },
      });
    },
    open: async (...given) => ({ ...(await inner.open(...given)), sequences: async () => [] }),
  });
  await expect(definition.readInterface('')).rejects.toBeInstanceOf(AdapterError);
  expect(await problemOf(definition.readInterface(''))).toMatchObject({ code: 'invalid-argument' });
  const session = await openSession(definition);
  expect(await problemOf(session.sequences(['a']))).toMatchObject({
    code: 'adapter-fault',
    detail: expect.stringContaining('0 responses to 1 requests'),
  });
  await session.close();
});

test('importAdapter() loads a module into this process, and names an invalid module in its error', async () => {
  const definition = await importAdapter(memoryModule);
  expect(definition.name).toBe('memory');
  const refused = async (source: string) => problemOf(importAdapter(writeModule(source), 'npm:other'));
  expect(await refused('export const a = 1;')).toMatchObject({
    code: 'adapter-fault',
    detail: expect.stringContaining('The default export of npm:other is not an adapter definition'),
  });
  expect(await refused("throw new Error('no luck');")).toMatchObject({
    detail: 'Importing the plugin npm:other failed with Error.',
  });
  expect(await refused(`export default { ${members} open() {}, interfaceVersion: '0.7.0' };`)).toMatchObject({
    detail: expect.stringContaining('0.7.0'),
  });
});

test('node requests are reported only to a host that counts them', async () => {
  const { adapter } = await openModule(
    moduleOf(`
      balances: async () => {
        for (let n = 0; n < 1200; n += 1) host.requested?.('eth_call', n % 2 ? 'ok' : 'timeout', n);
        return [];
      },
      normaliseAddress: async () => typeof host.requested`),
  );
  expect(await (await openSession(adapter)).normaliseAddress('')).toBe('undefined');
  const told: [string, string, number][] = [];
  const all = Promise.withResolvers<void>();
  const session = await openSession(adapter, undefined, undefined, {
    requested: (...request) => {
      if (told.push(request) === 1_200) all.resolve();
    },
  });
  expect(await session.normaliseAddress('')).toBe('function');
  await session.balances([]);
  await all.promise;
  expect(told.slice(0, 2)).toEqual([
    ['eth_call', 'timeout', 0],
    ['eth_call', 'ok', 1],
  ]);
});
