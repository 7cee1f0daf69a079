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

/** Returns the problems of an estimate and of an emulation. */
async function refusals(actor: Actor, operation: ResolvedOperation) {
  const { session, wallet } = actor;
  const emulated = await session.emulate({ wallet, operation }).then(
    () => undefined,
    (error: unknown) => Object(error).problem,
  );
  return { estimated: await estimate(actor, operation), emulated };
}

test('a transfer below the rent exemption of a new account fails, and the problem names the recipient', async () => {
  const actor = await open();
  const problem = {
    code: 'reverted',
    detail: `An account must hold at least 890880 lamports (0.00089088 SOL), more if it has data (rent exemption), and the account ${newcomer}, which receives lamports, would hold less. Send at least that amount to the account, because it does not exist yet.`,
  };
  for (const amount of [1n, 890_879n]) {
    expect(await refusals(actor, transferOf(newcomer, amount))).toMatchObject({
      estimated: { status: 'failed', problem: { ...problem, phase: 'estimate' } },
      emulated: problem,
    });
  }
  expect(await estimate(actor, transferOf(newcomer, 890_880n))).toMatchObject({ status: 'ready' });
  expect(await estimate(actor, transferOf(recipient, 1n))).toMatchObject({ status: 'ready' });
});

test('a transfer that fails on the ledger because the recipient is not rent-exempt reports that reason', async () => {
  const actor = await open();
  const content = { computeUnitLimit: 10_000, computeUnitPrice: '0' };
  const operation = { ...transferOf(newcomer, 1n), native: { technology: 'solana', content } };
  expect(await execute(actor, operation)).toMatchObject({
    outcome: {
      status: 'failed',
      fee: 5_000n,
      problem: {
        code: 'reverted',
        detail: expect.stringContaining(`the account ${newcomer}, which receives lamports`),
      },
    },
  });
});

test('a transfer that leaves the wallet below its rent exemption fails with insufficient funds and suggests remedies', async () => {
  const actor = await open();
  const [balance = 0n] = await actor.session.balances([actor.wallet.address]);
  const problem = {
    code: 'insufficient-funds',
    detail: expect.stringMatching(
      `the account ${actor.wallet.address} would keep less. Send less from it, send everything, or fund it`,
    ),
  };
  expect(await refusals(actor, transferOf(recipient, balance - 5_000n - 890_879n))).toMatchObject({
    estimated: { status: 'failed', problem },
    emulated: problem,
  });
  for (const left of [0n, 890_880n])
    expect(await estimate(actor, transferOf(recipient, balance - 5_000n - left))).toMatchObject({
      status: 'ready',
    });
});

test('rejects an amount above the balance, and names the balance', async () => {
  const actor = await open();
  expect(await estimate(actor, transferOf(recipient, 20_000_000_000n))).toMatchObject({
    status: 'failed',
    problem: { code: 'insufficient-funds', detail: expect.stringMatching(/20000000000.*holds 9999995000/) },
  });
});

test('a wallet without an account on the ledger cannot pay', async () => {
  const actor = await openActor(ledgerOf([ledger.url]));
  actors.push(actor);
  expect(await estimate(actor, transferOf(recipient))).toMatchObject({
    status: 'failed',
    problem: { code: 'insufficient-funds', detail: expect.stringMatching(/fee/) },
  });
});

test('with a configured compute unit price, the charged fee equals the estimate', async () => {
  const actor = await open({ compute_unit_price: '1000000' });
  const ready = await estimate(actor, transferOf(recipient, 5n));
  const { main, outcome } = await execute(actor, transferOf(recipient, 5n));
  if (outcome?.status !== 'succeeded' || ready?.status !== 'ready') throw new Error('It did not succeed.');
  expect(outcome.fee).toBeGreaterThan(5_000n);
  expect(main.cost).toBe(5n + (outcome.fee ?? 0n));
  expect(ready.cost).toBe(main.cost);
});

test('pays the price of recent blocks only up to the cap', async () => {
  const actor = await open({ priority_fee_cap: 0 });
  expect(await execute(actor, transferOf(recipient))).toMatchObject({
    outcome: { status: 'succeeded', fee: 5_000n, blockTime: expect.any(Number) },
  });
});

test('a rejected call reports the program, its error and its log', async () => {
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

test('a call that uses up its compute units fails as out of gas', async () => {
  const { session, wallet } = await open();
  const operation = memo('Hello', { computeUnitLimit: 300 });
  await expect(session.emulate({ wallet, operation })).rejects.toMatchObject({ code: 'out-of-gas' });
});

test('executes either all of several instructions or none', async () => {
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

test('rejects a transaction that is too large before signing', async () => {
  const { session, wallet } = await open();
  await expect(session.check({ wallet, operation: memo('x'.repeat(1_100)) })).rejects.toMatchObject({
    code: 'invalid-argument',
    problem: { issues: [{ pointer: '/native/instructions', detail: expect.stringMatching(/1232/) }] },
  });
});
