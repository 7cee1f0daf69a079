import type { ResolvedOperation } from '@ledger-ops/adapter';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fund, furnish, memo, memoProgram, recipient, transferOf } from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, pendingOf, sign } from './stage.ts';

let ledger: SolanaProcess;
const actors: Actor[] = [];
const newcomer = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
});
afterEach(async () => {
  await Promise.all(actors.splice(0).map(({ session }) => session.close()));
});
afterAll(() => ledger?.stop());

async function open(properties = {}): Promise<Actor> {
  const actor = await openActor(ledgerOf([ledger.url], properties));
  actors.push(actor);
  await fund(ledger, actor.wallet.address, 10_000_000_000);
  return actor;
}

async function estimate({ session, wallet }: Actor, operation: ResolvedOperation) {
  const { plan } = await session.check({ wallet, operation });
  const [estimated] = await session.estimate([{ wallet, plan, minHeight: 0 }]);
  return estimated;
}

async function execute(actor: Actor, operation: ResolvedOperation) {
  const main = await sign(actor, operation);
  await actor.session.submit([main]);
  await ledger.rpc('devnet_mine', [3]);
  const { outcomes } = await actor.session.confirm({ cursor: null, pending: pendingOf(actor, [main]) });
  return { main, outcome: outcomes[0] };
}

test('less than an account must hold is refused to a new account, and says how much that is', async () => {
  const actor = await open();
  expect(await estimate(actor, transferOf(newcomer, 1n))).toMatchObject({
    status: 'failed',
    problem: {
      code: 'insufficient-funds',
      phase: 'estimate',
      detail: expect.stringMatching(`${newcomer}.*890880`),
    },
  });
  expect(await estimate(actor, transferOf(newcomer, 890_880n))).toMatchObject({ status: 'ready' });
});

test('more than the wallet has is refused with what it holds', async () => {
  const actor = await open();
  expect(await estimate(actor, transferOf(recipient, 20_000_000_000n))).toMatchObject({
    status: 'failed',
    problem: { code: 'insufficient-funds', detail: expect.stringMatching(/20000000000.*holds 9999995000/) },
  });
});

test('a wallet without an account cannot pay', async () => {
  const actor = await openActor(ledgerOf([ledger.url]));
  actors.push(actor);
  expect(await estimate(actor, transferOf(recipient))).toMatchObject({
    status: 'failed',
    problem: { code: 'insufficient-funds', detail: expect.stringMatching(/fee/) },
  });
});

test('the fee is what was said, and the price of the ledger is paid', async () => {
  const actor = await open({ compute_unit_price: '1000000' });
  const ready = await estimate(actor, transferOf(recipient, 5n));
  const { main, outcome } = await execute(actor, transferOf(recipient, 5n));
  if (outcome?.status !== 'succeeded' || ready?.status !== 'ready') throw new Error('It did not succeed.');
  expect(outcome.fee).toBeGreaterThan(5_000n);
  expect(main.cost).toBe(5n + (outcome.fee ?? 0n));
  expect(ready.cost).toBe(main.cost);
});

test('the price of recent blocks is paid only below the cap', async () => {
  const actor = await open({ priority_fee_cap: 0 });
  expect(await execute(actor, transferOf(recipient))).toMatchObject({
    outcome: { status: 'succeeded', fee: 5_000n, blockTime: expect.any(Number) },
  });
});

test('a refused call says the program, its error and its log', async () => {
  const { session, wallet } = await open();
  const refused = session.emulate({ wallet, operation: memo(Uint8Array.of(0xff)) });
  await expect(refused).rejects.toMatchObject({
    code: 'reverted',
    problem: {
      detail: expect.stringMatching(`${memoProgram} failed: invalid utf-8`),
      data: { logs: expect.arrayContaining([expect.stringMatching(/invalid utf-8/)]) },
    },
  });
});

test('a call that uses up its compute units is out of gas', async () => {
  const { session, wallet } = await open();
  const operation = memo('Hello', { computeUnitLimit: 300 });
  await expect(session.emulate({ wallet, operation })).rejects.toMatchObject({ code: 'out-of-gas' });
});

test('several instructions are executed together, or none is', async () => {
  const actor = await open();
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(7n, 4);
  const move = {
    program: '11111111111111111111111111111111',
    accounts: [
      { address: actor.wallet.address, signer: true, writable: true },
      { address: recipient, writable: true },
    ],
    data: data.toString('base64'),
  };
  const say = (bytes: Uint8Array) => ({ program: memoProgram, data: Buffer.from(bytes).toString('base64') });
  const balance = async () => (await actor.session.balances([recipient]))[0] ?? 0n;
  const before = await balance();
  const content = (bytes: Uint8Array) => ({
    instructions: [move, say(bytes)],
    computeUnitLimit: 100_000,
    computeUnitPrice: 0,
  });
  const failed = await execute(actor, memo('', content(Uint8Array.of(0xff))));
  expect(failed).toMatchObject({
    outcome: { status: 'failed', fee: 5_000n, problem: { code: 'reverted', phase: 'confirm' } },
  });
  expect(await balance()).toBe(before);
  expect(await execute(actor, memo('', content(Buffer.from('ok'))))).toMatchObject({
    outcome: { status: 'succeeded' },
  });
  expect(await balance()).toBe(before + 7n);
});

test('a transaction that is too large is refused when it is checked', async () => {
  const { session, wallet } = await open();
  await expect(session.check({ wallet, operation: memo('x'.repeat(1_100)) })).rejects.toMatchObject({
    code: 'invalid-argument',
    problem: { issues: [{ pointer: '/native/instructions', detail: expect.stringMatching(/1232/) }] },
  });
});
