import type { Outcome, PrepareRequest, ResolvedOperation } from '@ledger-ops/adapter';
import { prepareAndSign } from '@ledger-ops/adapter-kit/conformance';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { deploymentOf, fund, furnish, memo } from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, pendingOf, sign } from './stage.ts';

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

let ledger: SolanaProcess;
let actor: Actor;

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
  actor = await openActor(ledgerOf([ledger.url]));
  await fund(ledger, actor.wallet.address, 100_000_000_000);
});
afterEach(() => ledger.rpc('devnet_setDropping', [false]));
afterAll(async () => {
  await actor?.session.close();
  await ledger?.stop();
});

async function request(operation: ResolvedOperation, actionId: string): Promise<PrepareRequest> {
  const { wallet, session } = actor;
  const { plan, readiness } = await session.check({ wallet, operation });
  expect(readiness).toBe('ready');
  return { actionId, wallet, plan };
}

/**
 * Signs and sends one transaction of the action, and returns its outcome. `between` runs before it is sent.
 */
async function step(at: PrepareRequest, between: () => Promise<unknown> = async () => undefined) {
  const [main] = await prepareAndSign(actor.session, at, actor.signer.sign);
  if (main === undefined) throw new Error('Nothing was prepared.');
  await between();
  await actor.session.submit([main]);
  await ledger.rpc('devnet_mine', [3]);
  const pending = pendingOf(actor, [main]);
  const { outcomes } = await actor.session.confirm({ cursor: null, pending });
  return { main, pending, outcome: outcomes[0] };
}

/** Runs further steps until the deployment completes. */
async function finish(
  first: PrepareRequest,
): Promise<{ outcome: Outcome | undefined; transactions: number }> {
  let at = first;
  for (let transactions = 1; ; transactions += 1) {
    const { outcome } = await step(at);
    if (outcome?.status !== 'continue') return { outcome, transactions };
    at = { ...at, plan: outcome.plan };
  }
}

const addressOf = (outcome: Outcome | undefined) =>
  outcome?.status === 'succeeded' ? (outcome.contractAddress ?? '') : '';

test('uploads, deploys and calls a program', async () => {
  const { outcome, transactions } = await finish(await request(await deploymentOf(ledger), 'small'));
  expect(outcome).toMatchObject({ status: 'succeeded' });
  expect(transactions).toBe(3);
  const program = addressOf(outcome);
  const call = memo('Hello', {
    instructions: [{ program, data: Buffer.from('Hello').toString('base64') }],
  });
  const main = await sign(actor, call);
  await actor.session.submit([main]);
  await ledger.rpc('devnet_mine', [3]);
  const { outcomes } = await actor.session.confirm({ cursor: null, pending: pendingOf(actor, [main]) });
  expect(outcomes).toMatchObject([{ status: 'succeeded' }]);
});

test('another session continues a deployment with more writes than are sent concurrently', async () => {
  const first = await request(await deploymentOf(ledger, tokenProgram), 'large');
  const { outcome } = await step(first);
  if (outcome?.status !== 'continue') throw new Error(`The first step ${outcome?.status}`);
  const { session } = actor;
  actor.session = (await openActor(ledgerOf([ledger.url]))).session;
  await session.close();
  const end = await finish({ ...first, plan: outcome.plan });
  expect(end).toMatchObject({ outcome: { status: 'succeeded' }, transactions: 3 });
});

test('prepares writes again after they were lost and expired', async () => {
  const first = await request(await deploymentOf(ledger, tokenProgram), 'lost');
  const made = await step(first);
  if (made.outcome?.status !== 'continue') throw new Error(`The first step ${made.outcome?.status}`);
  const at = { ...first, plan: made.outcome.plan };
  const lost = await step(at, () => ledger.rpc('devnet_setDropping', [true]));
  expect(lost.outcome).toBeUndefined();
  await ledger.rpc('devnet_setDropping', [false]);
  await ledger.rpc('devnet_mine', [155]);
  const { outcomes } = await actor.session.confirm({ cursor: null, pending: lost.pending });
  expect(outcomes).toMatchObject([{ status: 'expired' }]);
  expect(await finish(at)).toMatchObject({ outcome: { status: 'succeeded' }, transactions: 3 });
});

test('a session that did not send a deployment step reports no outcome until it has the signed bytes', async () => {
  const first = await request(await deploymentOf(ledger), 'restart');
  const { main, pending } = await step(first);
  const { session } = await openActor(ledgerOf([ledger.url]));
  const confirm = async () => (await session.confirm({ cursor: null, pending })).outcomes;
  expect(await confirm()).toEqual([]);
  await session.submit([main]);
  expect(await confirm()).toMatchObject([{ status: 'continue', executed: true }]);
  await session.close();
});

test('a deployment by a wallet without funds fails after some retries, and reports the reason', async () => {
  const rich = actor;
  actor = await openActor(ledgerOf([ledger.url]));
  await fund(ledger, actor.wallet.address, 1_000_000);
  const { outcome } = await finish(await request(await deploymentOf(ledger), 'poor'));
  expect(outcome).toMatchObject({ status: 'failed', problem: { detail: expect.stringMatching(/lamports/) } });
  await actor.session.close();
  actor = rich;
});
