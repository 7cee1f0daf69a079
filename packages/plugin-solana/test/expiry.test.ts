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

/** Says another newest height than there is. */
const heights = (shift: number): Misbehaviour => ({
  async getLatestBlockhash(call, ask) {
    const answer = await ask(call);
    if (!('result' in answer)) return answer;
    // The node's answer to this method.
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

/** Signs one that is not sent, and makes blocks until its time is over. */
async function outlive() {
  const main = await sign(actor, transferOf(recipient));
  await ledger.rpc('devnet_mine', [155]);
  return pendingOf(actor, [main]);
}

test('it expires when the block after its last height is final, and not before', async () => {
  const main = await sign(actor, transferOf(recipient));
  const pending = pendingOf(actor, [main]);
  await ledger.rpc('devnet_mine', [151]);
  const { height } = (await actor.session.confirm({ cursor: null, pending })).head;
  expect(main.validUntil).toBe(height);
  for (const _ of [1, 2]) {
    await ledger.rpc('devnet_mine', [1]);
    expect(await confirm(pending)).toEqual([]);
  }
  await ledger.rpc('devnet_mine', [1]);
  expect(await confirm(pending)).toMatchObject([{ txId: main.txId, status: 'expired', height: height + 1 }]);
});

test.each(['first', 'second'] as const)('not while the %s node is behind', async (which) => {
  const pending = await outlive();
  (which === 'first' ? first : second).setFault(misbehaving(heights(-100)));
  expect(await confirm(pending)).toEqual([]);
  first.setFault(undefined);
  second.setFault(undefined);
  expect(await confirm(pending)).toMatchObject([{ status: 'expired' }]);
});

test('not because one node says a height that the chain does not have', async () => {
  const main = await sign(actor, transferOf(recipient));
  first.setFault(misbehaving(heights(1_000)));
  expect(await confirm(pendingOf(actor, [main]))).toEqual([]);
});

test('not where one node hides what another shows: that one says the outcome', async () => {
  const main = await sign(actor, transferOf(recipient));
  await actor.session.submit([main]);
  await ledger.rpc('devnet_mine', [155]);
  first.setFault(misbehaving(hides));
  expect(await confirm(pendingOf(actor, [main]))).toMatchObject([{ status: 'succeeded' }]);
});

test('not by the word of a node that does not have the blocks any more', async () => {
  const pending = await outlive();
  const { slot } = await ledger.rpc<{ slot: number }>('devnet_status');
  first.setFault(misbehaving({ getFirstAvailableBlock: async () => ({ result: slot - 10 }) }));
  expect(await confirm(pending)).toEqual([]);
});

test('not where a node leaves out statuses, and no other answers', async () => {
  const pending = await outlive();
  const none = { getSignatureStatuses: async () => ({ result: { context: { slot: 1 }, value: [] } }) };
  first.setFault(misbehaving(none));
  second.setFault(misbehaving(none));
  await expect(confirm(pending)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a node that cannot be reached does not keep it open', async () => {
  const pending = await outlive();
  await second.goDown();
  expect(await confirm(pending)).toMatchObject([{ status: 'expired' }]);
  await second.comeUp();
});
