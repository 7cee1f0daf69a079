import { type Misbehaviour, misbehaving, type RpcProxy, startProxy } from '@ledger-ops/devnet';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createSolanaAdapter } from '../src/definition.ts';
import { fund, furnish, memo, memoProgram, recipient, transferOf } from './conformance-harness.ts';
import { quickTiming } from './quick.ts';
import { type Actor, ledgerOf, openActor, pendingOf, sign } from './stage.ts';

let ledger: SolanaProcess;
let first: RpcProxy;
let second: RpcProxy;
const actors: Actor[] = [];

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
  [first, second] = await Promise.all([startProxy(ledger.url), startProxy(ledger.url)]);
});
afterEach(async () => {
  first.setFault(undefined);
  second.setFault(undefined);
  await Promise.all(actors.splice(0).map(({ session }) => session.close()));
});
afterAll(async () => {
  await first?.close();
  await second?.close();
  await ledger?.stop();
});

async function open(urls: readonly string[], properties = {}): Promise<Actor> {
  const actor = await openActor(ledgerOf(urls, properties));
  actors.push(actor);
  await fund(ledger, actor.wallet.address, 10_000_000_000);
  return actor;
}

/** Two transfers of the same wallet in two blocks, both final. */
async function twoTransfers(actor: Actor) {
  const bad = await sign(actor, transferOf(recipient, 1n), 'bad');
  await actor.session.submit([bad]);
  await ledger.rpc('devnet_mine', [1]);
  const good = await sign(actor, transferOf(recipient, 2n), 'good');
  await actor.session.submit([good]);
  await ledger.rpc('devnet_mine', [3]);
  const [place] = (await ledger.rpc<{ value: { slot: number }[] }>('getSignatureStatuses', [[bad.txId]]))
    .value;
  return { bad, good, badSlot: place?.slot ?? -1 };
}

/** Answers calls to a method with an error if the first parameter is or contains a value. */
function cannotRead(method: string, value: string | number, code: number): Misbehaviour {
  return {
    [method]: (call, ask) =>
      [call.params[0]].flat().includes(value)
        ? Promise.resolve({ error: { code, message: `Not here: ${value}` } })
        : ask(call),
  };
}

test.each([-32_001, -32_004, -32_007, -32_009, -32_603])(
  'if the only node cannot read a slot (error %i), transactions in other slots are still confirmed',
  async (code) => {
    const actor = await open([first.url]);
    const { bad, good, badSlot } = await twoTransfers(actor);
    first.setFault(misbehaving(cannotRead('getBlock', badSlot, code)));
    const pending = pendingOf(actor, [bad, good]);
    const { outcomes, remarks } = await actor.session.confirm({ cursor: null, pending });
    expect(outcomes).toMatchObject([{ txId: good.txId, status: 'succeeded' }]);
    expect(remarks).toEqual([
      {
        txId: bad.txId,
        detail: `Node node-1 returns the transaction in slot ${badSlot}, but cannot read this slot. Node node-1 answered getBlock with error ${code}: Not here: ${badSlot}.`,
      },
    ]);
    first.setFault(undefined);
    const later = await actor.session.confirm({ cursor: null, pending: pendingOf(actor, [bad]) });
    expect(later.outcomes).toMatchObject([{ txId: bad.txId, status: 'succeeded' }]);
    expect(later.remarks ?? []).toEqual([]);
  },
);

test.each([-32_004, -32_011, -32_603])(
  'if the node answers a transaction with error %i, other transactions are not delayed',
  async (code) => {
    const actor = await open([first.url]);
    const { bad, good } = await twoTransfers(actor);
    first.setFault(misbehaving(cannotRead('getTransaction', bad.txId, code)));
    const pending = pendingOf(actor, [bad, good]);
    const { outcomes, remarks } = await actor.session.confirm({ cursor: null, pending });
    expect(outcomes).toMatchObject([{ txId: good.txId, status: 'succeeded' }]);
    expect(remarks).toMatchObject([
      { txId: bad.txId, detail: expect.stringContaining(`answered getTransaction with error ${code}`) },
    ]);
  },
);

test('if the answer for a transaction is malformed, other transactions are not delayed', async () => {
  const actor = await open([first.url]);
  const { bad, good } = await twoTransfers(actor);
  first.setFault(
    misbehaving({
      getTransaction: (call, ask) =>
        call.params[0] === bad.txId ? Promise.resolve({ result: { slot: 'x' } }) : ask(call),
    }),
  );
  const pending = pendingOf(actor, [bad, good]);
  const { outcomes, remarks } = await actor.session.confirm({ cursor: null, pending });
  expect(outcomes).toMatchObject([{ txId: good.txId, status: 'succeeded' }]);
  expect(remarks).toMatchObject([{ txId: bad.txId }]);
});

test('an unreadable status delays only its own transaction and does not expire it', async () => {
  const actor = await open([first.url]);
  const { bad, good } = await twoTransfers(actor);
  await ledger.rpc('devnet_mine', [160]);
  first.setFault(misbehaving(cannotRead('getSignatureStatuses', bad.txId, -32_603)));
  const pending = pendingOf(actor, [bad, good]);
  const { outcomes, remarks } = await actor.session.confirm({ cursor: null, pending });
  expect(outcomes).toMatchObject([{ txId: good.txId, status: 'succeeded' }]);
  expect(remarks).toMatchObject([{ txId: bad.txId }]);
});

test('if one node cannot read a transaction, reads it from another node and does not report the failure', async () => {
  const actor = await open([first.url, second.url]);
  const { bad, good, badSlot } = await twoTransfers(actor);
  first.setFault(misbehaving(cannotRead('getBlock', badSlot, -32_009)));
  const pending = pendingOf(actor, [bad, good]);
  const { outcomes, remarks } = await actor.session.confirm({ cursor: null, pending });
  expect(outcomes.map(({ txId }) => txId).toSorted()).toEqual([bad.txId, good.txId].toSorted());
  expect(remarks ?? []).toEqual([]);
});

test.each([-32_001, -32_004, -32_603])(
  'if the node lists a slot but answers it with error %i, the cursor moves past it',
  async (code) => {
    const actor = await open([first.url]);
    const { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
    const slot = Number(cursor.hash.split(':')[0]);
    await ledger.rpc('devnet_mine', [3]);
    first.setFault(misbehaving(cannotRead('getBlock', slot, code)));
    const { good } = await twoTransfers(actor);
    const next = await actor.session.confirm({ cursor, pending: pendingOf(actor, [good]) });
    expect(next).toMatchObject({ reorganised: false, outcomes: [{ status: 'succeeded' }] });
    expect(next.cursor.height).toBeGreaterThan(cursor.height);
  },
);

test('if a node can neither read nor list the cursor’s slot, outcomes are still reported, and the cursor does not move', async () => {
  const actor = await open([first.url]);
  const { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
  const slot = Number(cursor.hash.split(':')[0]);
  const { good } = await twoTransfers(actor);
  first.setFault(
    misbehaving({
      ...cannotRead('getBlock', slot, -32_603),
      getBlocks: async () => ({ error: { code: -32_603, message: 'no' } }),
    }),
  );
  const next = await actor.session.confirm({ cursor, pending: pendingOf(actor, [good]) });
  expect(next).toMatchObject({ cursor, reorganised: false, outcomes: [{ status: 'succeeded' }] });
});

test('reports a reorg if the node can no longer read the cursor’s slot and does not list it', async () => {
  const actor = await open([first.url]);
  const { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
  const slot = Number(cursor.hash.split(':')[0]);
  await ledger.rpc('devnet_mine', [2]);
  first.setFault(
    misbehaving({ ...cannotRead('getBlock', slot, -32_004), getBlocks: async () => ({ result: [] }) }),
  );
  expect(await actor.session.confirm({ cursor, pending: new Map() })).toMatchObject({ reorganised: true });
});

test('a transaction expires even if the node prunes its oldest block between two requests', async () => {
  const actor = await open([first.url]);
  const oldest = await ledger.rpc<number>('getSlot');
  await ledger.rpc('devnet_mine', [5]);
  const main = await sign(actor, transferOf(recipient));
  await ledger.rpc('devnet_mine', [155]);
  first.setFault(
    misbehaving({
      getFirstAvailableBlock: async () => ({ result: oldest }),
      ...cannotRead('getBlock', oldest, -32_001),
    }),
  );
  const { outcomes } = await actor.session.confirm({ cursor: null, pending: pendingOf(actor, [main]) });
  expect(outcomes).toMatchObject([{ txId: main.txId, status: 'expired' }]);
});

test('on a node without getFirstAvailableBlock, a transaction expires if the node returns an old block', async () => {
  const actor = await open([first.url]);
  await ledger.rpc('devnet_mine', [5]);
  const main = await sign(actor, transferOf(recipient));
  await ledger.rpc('devnet_mine', [155]);
  const missing = { error: { code: -32_601, message: 'Method not found' } };
  const faults: Misbehaviour = { getFirstAvailableBlock: async () => missing };
  // If a node lists only blocks since the signature, it cannot prove that no block contains the transaction.
  const recent = await ledger.rpc<number>('getSlot');
  first.setFault(misbehaving({ ...faults, getBlocks: async () => ({ result: [recent - 10] }) }));
  const pending = pendingOf(actor, [main]);
  expect((await actor.session.confirm({ cursor: null, pending })).outcomes).toEqual([]);
  first.setFault(misbehaving(faults));
  const { outcomes } = await actor.session.confirm({ cursor: null, pending });
  expect(outcomes).toMatchObject([{ txId: main.txId, status: 'expired' }]);
});

test('concurrent lookups share requests for the head, statuses and blocks', async () => {
  const actor = await open([first.url]);
  const { bad, good } = await twoTransfers(actor);
  const later = await sign(actor, transferOf(recipient, 3n), 'later');
  const before = first.methods.length;
  const found = await Promise.all([bad, good, good, later].map(({ txId }) => actor.session.lookup(txId)));
  expect(found).toMatchObject([
    { txId: bad.txId, status: 'SUCCEEDED' },
    { txId: good.txId, status: 'SUCCEEDED' },
    { txId: good.txId, status: 'SUCCEEDED' },
    null,
  ]);
  const asked = first.methods.slice(before);
  const times = (method: string) => asked.filter((one) => one === method).length;
  expect(times('getLatestBlockhash')).toBe(1);
  expect(times('getSignatureStatuses')).toBe(1);
  expect(times('getBlock')).toBe(2);
});

test('if a node cannot read a slot, only the lookup of a transaction in this slot fails', async () => {
  const actor = await open([first.url]);
  const { bad, good, badSlot } = await twoTransfers(actor);
  first.setFault(misbehaving(cannotRead('getBlock', badSlot, -32_004)));
  const [unread, read] = await Promise.allSettled([bad, good].map(({ txId }) => actor.session.lookup(txId)));
  expect(unread).toMatchObject({ reason: { message: expect.stringContaining(`cannot read this slot`) } });
  expect(read).toMatchObject({ value: { txId: good.txId, status: 'SUCCEEDED' } });
});

test('for a node without transaction history, the problem names the node and the remedy', async () => {
  const actor = await open([first.url]);
  const { good } = await twoTransfers(actor);
  first.setFault(misbehaving(cannotRead('getTransaction', good.txId, -32_011)));
  const { remarks } = await actor.session.confirm({ cursor: null, pending: pendingOf(actor, [good]) });
  expect(remarks).toMatchObject([{ detail: expect.stringContaining('--enable-rpc-transaction-history') }]);
});

test('on a single node without history, actions stay pending with the remedy, and are not queried individually', async () => {
  const actor = await open([first.url]);
  const { bad, good } = await twoTransfers(actor);
  const { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
  await ledger.rpc('devnet_mine', [1]);
  const none = async () => ({ error: { code: -32_011, message: 'Transaction history is not available' } });
  first.setFault(
    misbehaving({ getTransaction: none, getBlock: none, getBlocks: none, getSignatureStatuses: none }),
  );
  const before = first.methods.length;
  const answer = await actor.session.confirm({ cursor, pending: pendingOf(actor, [bad, good]) });
  const asked = first.methods.slice(before).filter((method) => method === 'getSignatureStatuses');
  expect(asked).toHaveLength(1);
  expect(answer).toMatchObject({ cursor, reorganised: false, outcomes: [] });
  expect(answer.remarks?.map(({ txId }) => txId)).toEqual([bad.txId, good.txId]);
  for (const { detail } of answer.remarks ?? [])
    expect(detail).toContain('Start the node with --enable-rpc-transaction-history');
});

/**
 * Sends two memos; `read` returns the memo program's events. The first node cannot read the transaction of the first
 * memo.
 */
async function eventsWithUnreadable(urls: readonly string[], patience: number) {
  const actor = await openActor(
    ledgerOf(urls),
    createSolanaAdapter({ ...quickTiming, unreadableEvents: patience }),
  );
  actors.push(actor);
  await fund(ledger, actor.wallet.address, 10_000_000_000);
  const contract = { address: memoProgram };
  const start = await actor.session.contractEvents?.({ contract, after: null, limit: 1 });
  const bad = await sign(actor, memo('bad'), 'bad');
  await actor.session.submit([bad]);
  await ledger.rpc('devnet_mine', [1]);
  const good = await sign(actor, memo('good'), 'good');
  await actor.session.submit([good]);
  await ledger.rpc('devnet_mine', [5]);
  first.setFault(misbehaving(cannotRead('getTransaction', bad.txId, -32_015)));
  const read = async () =>
    (await actor.session.contractEvents?.({ contract, after: start?.after ?? null, limit: 10 }))?.events;
  return { actor, bad, good, read };
}

test('returns a transaction that no node can read as an event without content, followed by the later events', async () => {
  const { actor, bad, good, read } = await eventsWithUnreadable([first.url], 0);
  const events = await read();
  expect(events).toMatchObject([
    {
      txId: bad.txId,
      raw: { unreadable: expect.stringContaining('answered getTransaction with error -32015') },
    },
    { txId: good.txId },
  ]);
  expect(events?.[0]).not.toHaveProperty('args');
  expect(await read()).toEqual(events);
  expect(actor.logged).toContainEqual(
    expect.stringContaining(`solana.events-unreadable {"txId":"${bad.txId}"`),
  );
});

test('if no node can read a transaction, later events are delayed for a limited time', async () => {
  const { read } = await eventsWithUnreadable([first.url], 60_000);
  await expect(read()).rejects.toThrow('answered getTransaction with error -32015');
  first.setFault(undefined);
  expect(await read()).toHaveLength(2);
});

test('if one node cannot read a transaction, reads its events from another node', async () => {
  const { bad, read } = await eventsWithUnreadable([first.url, second.url], 0);
  const events = await read();
  expect(events).toHaveLength(2);
  expect(events?.[0]).toMatchObject({ txId: bad.txId });
  expect(events?.[0]?.raw).not.toHaveProperty('unreadable');
});

test('a call that cannot read all outcomes in time returns some, and later calls return the others', async () => {
  const slow = createSolanaAdapter({ ...quickTiming, reading: 0 });
  const actor = await openActor(ledgerOf([first.url]), slow);
  actors.push(actor);
  await fund(ledger, actor.wallet.address, 10_000_000_000);
  const open = new Map();
  for (let n = 1; n <= 40; n += 1) {
    const one = await sign(actor, transferOf(recipient, BigInt(n)), `transfer ${n}`);
    await actor.session.submit([one]);
    if (n % 2 === 0) await ledger.rpc('devnet_mine', [1]);
    for (const [txId, pending] of pendingOf(actor, [one])) open.set(txId, pending);
  }
  await ledger.rpc('devnet_mine', [3]);
  const found: number[] = [];
  while (open.size > 0 && found.length < 10) {
    const { outcomes } = await actor.session.confirm({ cursor: null, pending: open });
    for (const { txId, status } of outcomes) if (status === 'succeeded') open.delete(txId);
    found.push(outcomes.length);
  }
  // A node gets 16 requests at a time.
  expect(found).toEqual([16, 16, 8]);
});
