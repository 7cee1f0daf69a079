import type { PrepareRequest, ResolvedOperation, SignedTransaction } from '@ledger-ops/adapter';
import { prepareAndSign } from '@ledger-ops/adapter-kit/conformance';
import { startProxy } from '@ledger-ops/devnet';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { address, createAddressWithSeed, getAddressEncoder } from '@solana/addresses';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planToJson } from '../src/plan.ts';
import { createWithSeedInstruction, systemProgram } from '../src/transactions/system.ts';
import { fund, furnish, memo, recipient, transferOf } from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, pendingOf, sign } from './stage.ts';

let ledger: SolanaProcess;
let actor: Actor;
let nonceAccount: string;

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
  actor = await openActor(ledgerOf([ledger.url]));
  const wallet = actor.wallet.address;
  await fund(ledger, wallet, 10_000_000_000);
  nonceAccount = await createNonceAccount('nonce');
});
afterAll(async () => {
  await actor?.session.close();
  await ledger?.stop();
});

/** Creates a nonce account and returns its address. The seed distinguishes the accounts of the wallet. */
async function createNonceAccount(seed: string): Promise<string> {
  const wallet = actor.wallet.address;
  const account = await createAddressWithSeed({
    baseAddress: address(wallet),
    programAddress: address(systemProgram),
    seed,
  });
  const create = createWithSeedInstruction({
    ...{ payer: wallet, account, seed, owner: systemProgram },
    ...{ lamports: 2_000_000n, space: 80 },
  });
  const authority = Buffer.from(getAddressEncoder().encode(address(wallet)));
  const initialize = {
    program: systemProgram,
    accounts: [
      { address: account, writable: true },
      { address: 'SysvarRecentB1ockHashes11111111111111111111' },
      { address: 'SysvarRent111111111111111111111111111111111' },
    ],
    data: Buffer.concat([Buffer.of(6, 0, 0, 0), authority]).toString('base64'),
  };
  const { instructions = [] } = planToJson({ instructions: [create, initialize], amount: 0n });
  const made = await sign(actor, memo('', { instructions }), `make ${seed}`);
  expect(await settle(made)).toMatchObject([{ status: 'succeeded' }]);
  return account;
}

async function settle(main: Awaited<ReturnType<typeof sign>>) {
  await actor.session.submit([main]);
  await ledger.rpc('devnet_mine', [3]);
  return confirm(main);
}
const confirm = async (main: Awaited<ReturnType<typeof sign>>) =>
  (await actor.session.confirm({ cursor: null, pending: pendingOf(actor, [main]) })).outcomes;

const transfer = (account = nonceAccount): ResolvedOperation => ({
  ...transferOf(recipient, 3n),
  native: { technology: 'solana', content: { nonceAccount: account } },
});

test('a transaction with a durable nonce does not expire', async () => {
  const main = await sign(actor, transfer(), 'late');
  expect(main.validUntil).toBeUndefined();
  expect(main.claims).toEqual([expect.stringMatching(new RegExp(`^nonce:${nonceAccount}:\\w+$`))]);
  await ledger.rpc('devnet_mine', [200]);
  expect(await confirm(main)).toEqual([]);
  expect(await settle(main)).toMatchObject([{ status: 'succeeded' }]);
});

test('if two transactions use one durable nonce, one is executed and the other is prepared again', async () => {
  const [first, second] = [await sign(actor, transfer(), 'one'), await sign(actor, transfer(), 'two')];
  const [before = 0n] = await actor.session.balances([recipient]);
  expect(await settle(first)).toMatchObject([{ status: 'succeeded' }]);
  await actor.session.submit([second]);
  const [outcome] = await confirm(second);
  if (outcome?.status !== 'continue') throw new Error(`The outcome is ${outcome?.status}`);
  expect(outcome.expired).toBe(true);
  const request: PrepareRequest = { actionId: 'two', wallet: actor.wallet, plan: outcome.plan };
  const [again] = await prepareAndSign(actor.session, request, actor.signer.sign);
  if (again === undefined) throw new Error('Nothing was prepared.');
  expect(again.txId).not.toBe(second.txId);
  expect(await settle(again)).toMatchObject([{ status: 'succeeded' }]);
  expect(await actor.session.balances([recipient])).toEqual([before + 6n]);
});

test('an action waits while a pending transaction uses the only durable nonce, and then uses the next nonce', async () => {
  const first = await sign(actor, transfer(), 'first');
  const checked = await actor.session.check({ wallet: actor.wallet, operation: transfer() });
  const [estimated] = await actor.session.estimate([
    { wallet: actor.wallet, plan: checked.plan, minHeight: 0 },
  ]);
  if (estimated?.status !== 'ready') throw new Error(`The estimate is ${estimated?.status}`);
  const unsettled = [{ txId: first.txId, claims: first.claims ?? [] }];
  const request = { actionId: 'second', wallet: actor.wallet, plan: estimated.plan, unsettled };
  await expect(actor.session.prepare([request])).rejects.toMatchObject({ problem: { code: 'unavailable' } });
  await settle(first);
  const [second] = await prepareAndSign(actor.session, request, actor.signer.sign);
  expect(second?.claims).toHaveLength(1);
  expect(second?.claims).not.toEqual(first.claims);
});

test('at confirmed commitment, a finalized older nonce does not prove that a newer nonce was used', async () => {
  const own = await openActor(ledgerOf([ledger.url], { commitment: 'confirmed' }), undefined, actor.signer);
  const outcomesOf = async (main: SignedTransaction) =>
    (await own.session.confirm({ cursor: null, pending: pendingOf(own, [main]) })).outcomes;
  const first = await sign(own, transfer(), 'before');
  await own.session.submit([first]);
  await ledger.rpc('devnet_mine', [1]);
  expect(await outcomesOf(first)).toMatchObject([{ status: 'succeeded' }]);
  // The new nonce is only in a confirmed block. In the finalized state, the account still has the previous
  // nonce.
  const second = await sign(own, transfer(), 'after');
  await ledger.rpc('devnet_setDropping', [true]);
  await own.session.submit([second]);
  await ledger.rpc('devnet_setDropping', [false]);
  for (const _ of [1, 2, 3, 4]) {
    await ledger.rpc('devnet_mine', [1]);
    expect(await outcomesOf(second)).toEqual([]);
  }
  await own.session.submit([second]);
  await ledger.rpc('devnet_mine', [3]);
  expect(await outcomesOf(second)).toMatchObject([{ txId: second.txId, status: 'succeeded' }]);
  await own.session.close();
});

test("a transaction whose nonce was used is reported as expired, even if a newer transaction's nonce is not final yet", async () => {
  const [lost, taker] = [await sign(actor, transfer(), 'lost'), await sign(actor, transfer(), 'taker')];
  expect(await settle(taker)).toMatchObject([{ status: 'succeeded' }]);
  const previous = await sign(actor, transfer(), 'previous');
  await actor.session.submit([previous]);
  await ledger.rpc('devnet_mine', [1]);
  const newest = await sign(actor, transfer(), 'newest');
  await ledger.rpc('devnet_setDropping', [true]);
  await actor.session.submit([lost, newest]);
  await ledger.rpc('devnet_setDropping', [false]);
  const pending = pendingOf(actor, [newest, lost]);
  const { outcomes } = await actor.session.confirm({ cursor: null, pending });
  expect(outcomes).toMatchObject([{ txId: lost.txId, status: 'continue', expired: true }]);
});

test('reads the nonce accounts of all pending transactions in one request', async () => {
  const other = await createNonceAccount('another');
  const lost = [await sign(actor, transfer(), 'lost-one'), await sign(actor, transfer(other), 'lost-two')];
  for (const account of [nonceAccount, other])
    expect(await settle(await sign(actor, transfer(account), `taker-${account}`))).toMatchObject([
      { status: 'succeeded' },
    ]);
  const proxy = await startProxy(ledger.url);
  const own = await openActor(ledgerOf([proxy.url]), undefined, actor.signer);
  await own.session.submit(lost);
  const methods: string[] = [];
  proxy.setFault((calls) => {
    methods.push(...calls.map(({ method }) => method));
    return undefined;
  });
  const { outcomes } = await own.session.confirm({ cursor: null, pending: pendingOf(own, lost) });
  await own.session.close();
  await proxy.close();
  expect(outcomes).toMatchObject(lost.map(({ txId }) => ({ txId, status: 'continue', expired: true })));
  expect(methods.filter((method) => method.includes('Account'))).toEqual(['getMultipleAccounts']);
});

test('rejects an account that is not a nonce account of the wallet', async () => {
  const content = { nonceAccount: recipient };
  const operation = { ...transferOf(recipient), native: { technology: 'solana', content } };
  await expect(sign(actor, operation)).rejects.toThrow(/\/native\/nonceAccount is not a nonce account/);
});
