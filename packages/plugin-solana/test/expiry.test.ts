import { type Misbehaviour, misbehaving, type RpcProxy, startProxy } from '@ledger-ops/devnet';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fund, furnish, recipient, transferOf } from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, pendingOf, sign } from './stage.ts';

let ledger: SolanaProcess;
let first: RpcProxy;
let second: RpcProxy;
let actor: Actor;

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
  [first, second] = await Promise.all([startProxy(ledger.url), startProxy(ledger.url)]);
  actor = await openActor(ledgerOf([first.url, second.url]));
  await fund(ledger, actor.wallet.address, 10_000_000_000);
});
afterEach(() => {
  first.setFault(undefined);
  second.setFault(undefined);
});
afterAll(async () => {
  await actor?.session.close();
  await first?.close();
  await second?.close();
  await ledger?.stop();
});

/** Makes a node report a newest height that is shifted by this much. */
const heights = (shift: number): Misbehaviour => ({
  async getLatestBlockhash(call, ask) {
    const answer = await ask(call);
    if (!('result' in answer)) return answer;
    // The type of a node's answer to `getLatestBlockhash`.
    const { context, value } = answer.result as {
      context: { slot: number };
      value: { blockhash: string; lastValidBlockHeight: number };
    };
    const lastValidBlockHeight = value.lastValidBlockHeight + shift;
    return { result: { context, value: { ...value, lastValidBlockHeight } } };
  },
});
const hides: Misbehaviour = {
  getSignatureStatuses: async () => ({ result: { context: { slot: 1 }, value: [null] } }),
};

const confirm = async (pending: ReturnType<typeof pendingOf>) =>
  (await actor.session.confirm({ cursor: null, pending })).outcomes;

/** Signs a transaction without sending it, and makes blocks until it expires. */
async function outlive() {
  const main = await sign(actor, transferOf(recipient));
  await ledger.rpc('devnet_mine', [155]);
  return pendingOf(actor, [main]);
}

test.each([{}, { commitment: 'confirmed' }])(
  'at every commitment, a transaction expires only when the block after its last valid height is finalized (%j)',
  async (properties) => {
    const own = await openActor(ledgerOf([first.url, second.url], properties));
    await fund(ledger, own.wallet.address, 10_000_000_000);
    const main = await sign(own, transferOf(recipient));
    const pending = pendingOf(own, [main]);
    const look = () => own.session.confirm({ cursor: null, pending });
    await ledger.rpc('devnet_mine', [151]);
    const { height } = (await look()).head;
    expect(main.validUntil).toBe(height);
    for (const _ of [1, 2]) {
      await ledger.rpc('devnet_mine', [1]);
      expect((await look()).outcomes).toEqual([]);
    }
    await ledger.rpc('devnet_mine', [1]);
    const expired = { txId: main.txId, status: 'expired', height: height + 1 };
    expect((await look()).outcomes).toMatchObject([expired]);
    await own.session.close();
  },
);

test('a transaction does not expire because of a confirmed block that is dropped later', async () => {
  const own = await openActor(ledgerOf([ledger.url], { commitment: 'confirmed' }));
  await fund(ledger, own.wallet.address, 10_000_000_000);
  const main = await sign(own, transferOf(recipient, 7n));
  const look = async () =>
    (await own.session.confirm({ cursor: null, pending: pendingOf(own, [main]) })).outcomes;
  await ledger.rpc('devnet_mine', [152]);
  expect(await look()).toEqual([]);
  // The other branch is shorter, so the transaction can still execute there.
  await ledger.rpc('devnet_fork', [2]);
  await own.session.submit([main]);
  await ledger.rpc('devnet_mine', [3]);
  expect(await look()).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
  await own.session.close();
});

test('a transaction does not expire if a machine behind the address reports its status but lacks the final block', async () => {
  const pending = await outlive();
  const { slot } = await ledger.rpc<{ slot: number }>('devnet_status');
  const behind = { result: { context: { slot: slot - 10 }, value: [null] } };
  first.setFault(misbehaving({ getSignatureStatuses: async () => behind }));
  expect(await confirm(pending)).toEqual([]);
  first.setFault(undefined);
  expect(await confirm(pending)).toMatchObject([{ status: 'expired' }]);
});

test.each(['first', 'second'] as const)(
  'a transaction does not expire while the %s node is behind',
  async (which) => {
    const pending = await outlive();
    (which === 'first' ? first : second).setFault(misbehaving(heights(-100)));
    expect(await confirm(pending)).toEqual([]);
    first.setFault(undefined);
    second.setFault(undefined);
    expect(await confirm(pending)).toMatchObject([{ status: 'expired' }]);
  },
);

test('if one node reports an invented height, transactions do not expire', async () => {
  const main = await sign(actor, transferOf(recipient));
  first.setFault(misbehaving(heights(1_000)));
  expect(await confirm(pendingOf(actor, [main]))).toEqual([]);
});

test('a transaction does not expire if one node hides it and another node reports its outcome', async () => {
  const main = await sign(actor, transferOf(recipient));
  await actor.session.submit([main]);
  await ledger.rpc('devnet_mine', [155]);
  first.setFault(misbehaving(hides));
  expect(await confirm(pendingOf(actor, [main]))).toMatchObject([{ status: 'succeeded' }]);
});

test('a transaction does not expire if the node has pruned the blocks that could contain it', async () => {
  const pending = await outlive();
  const { slot } = await ledger.rpc<{ slot: number }>('devnet_status');
  first.setFault(misbehaving({ getFirstAvailableBlock: async () => ({ result: slot - 10 }) }));
  expect(await confirm(pending)).toEqual([]);
});

test('a transaction does not expire if a node omits statuses and no other node answers', async () => {
  const pending = await outlive();
  const none = { getSignatureStatuses: async () => ({ result: { context: { slot: 1 }, value: [] } }) };
  first.setFault(misbehaving(none));
  second.setFault(misbehaving(none));
  await expect(confirm(pending)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a transaction expires even if one node is unreachable', async () => {
  const pending = await outlive();
  await second.goDown();
  expect(await confirm(pending)).toMatchObject([{ status: 'expired' }]);
  await second.comeUp();
});
