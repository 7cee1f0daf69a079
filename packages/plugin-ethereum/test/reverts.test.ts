import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  call,
  contracts,
  deploy,
  ethereumWith,
  execute,
  keyOf,
  ledgerOf,
  openSession,
  sign,
  type TestSession,
  transfer,
} from './stage.ts';

let node: Anvil;
let actor: TestSession;
let fixture: string;

beforeAll(async () => {
  node = await startAnvil();
  actor = await openSession(ledgerOf([node.url]), keyOf(node));
  fixture = await deploy(actor, contracts.Fixture, ['7', 'hello']);
});
afterAll(async () => {
  await actor?.session.close();
  await node?.stop();
});

const cases = [
  {
    name: 'a reason as a string',
    method: 'failWithText',
    args: ['not today'],
    detail: 'The contract reverted: not today.',
    data: { error: 'Error', arguments: ['not today'] },
  },
  {
    name: 'a panic',
    method: 'failWithPanic',
    args: ['0'],
    detail: 'The contract reverted: division or modulo by zero (panic 0x12).',
    data: { error: 'Panic', arguments: ['18'] },
  },
  {
    name: 'a custom error',
    method: 'failWithCustom',
    args: ['9'],
    detail: 'The contract reverted: TooSmall(given 9, why smaller than ten).',
    data: { error: 'TooSmall', signature: 'TooSmall(uint256,string)', arguments: ['9', 'smaller than ten'] },
  },
];

test.each(cases)('an estimate, an emulation, an outcome and a lookup decode $name', async (one) => {
  const { session, wallet } = actor;
  const operation = call(fixture, one.method, one.args);
  const { plan } = await session.check({ wallet, operation });
  const [estimated] = await session.estimate([{ wallet, plan, minHeight: 0 }]);
  const problem = { code: 'reverted', detail: one.detail, data: expect.objectContaining(one.data) };
  expect(estimated).toMatchObject({ status: 'failed', problem: { ...problem, phase: 'estimate' } });
  await expect(session.emulate({ wallet, operation })).rejects.toMatchObject({
    problem: { ...problem, phase: 'emulate' },
  });
  await expect(session.emulate({ operation })).rejects.toMatchObject({ problem });
  const outcome = await execute(actor, {
    ...operation,
    native: ethereumWith({ gasLimit: 200_000n }),
  });
  expect(outcome).toMatchObject({
    status: 'failed',
    problem: { ...problem, phase: 'confirm', txId: outcome.txId },
  });
  expect(outcome).toHaveProperty('fee');
  expect(await session.lookup(outcome.txId)).toMatchObject({
    status: 'FAILED',
    problem: { ...problem, phase: 'lookup' },
  });
});

test('in a session without the contract’s interface, shows a custom error by its selector and bytes', async () => {
  const other = await openSession(ledgerOf([node.url]), keyOf(node, 1));
  const native = ethereumWith({ gasLimit: 200_000n });
  const outcome = await execute(other, {
    type: 'contract_call',
    contract: { address: fixture },
    method: { name: 'failWithCustom(uint256)', args: ['3'] },
    value: 0n,
    native,
  });
  expect(outcome).toMatchObject({
    status: 'failed',
    problem: { code: 'reverted', data: { selector: expect.stringMatching(/^0x[0-9a-f]{8}$/) } },
  });
  await other.session.close();
});

test('an estimate in another session decodes the custom errors that the plan contains', async () => {
  const { wallet, session } = actor;
  const { plan } = await session.check({ wallet, operation: call(fixture, 'failWithCustom', ['4']) });
  const other = await openSession(ledgerOf([node.url]), keyOf(node));
  const [estimated] = await other.session.estimate([{ wallet, plan, minHeight: 0 }]);
  expect(estimated).toMatchObject({
    status: 'failed',
    problem: { detail: expect.stringContaining('TooSmall(given 4') },
  });
  await other.session.close();
});

test('reports a revert without a reason', async () => {
  const native = ethereumWith({ gasLimit: 200_000n });
  const outcome = await execute(actor, call(fixture, 'failSilently', [], { native }));
  expect(outcome).toMatchObject({ status: 'failed', problem: { code: 'reverted' } });
});

test('reports an execution that used all its gas as out-of-gas, with the gas limit', async () => {
  const native = ethereumWith({ gasLimit: 90_000n });
  const outcome = await execute(actor, call(fixture, 'burn', [], { native }));
  expect(outcome).toMatchObject({
    status: 'failed',
    problem: {
      code: 'out-of-gas',
      detail: expect.stringContaining('its limit was 90000'),
      data: { gas: '90000' },
    },
  });
});

/** Contracts whose code is one byte or an invalid jump. Each uses all gas, without running out of it. */
const halts = [
  { name: 'an invalid opcode', code: '0x60fe60005360016000f3' },
  { name: 'an invalid jump', code: '0x626000566000526003601df3' },
];

test.each(halts)('reports $name as a revert, not as out-of-gas', async ({ code }) => {
  const contract = await deploy(actor, { ...contracts.Receiver, code }, []);
  const native = ethereumWith({ gasLimit: 90_000n });
  const outcome = await execute(actor, call(contract, 'burn', [], { native }));
  expect(outcome).toMatchObject({
    status: 'failed',
    problem: { code: 'reverted', detail: expect.stringMatching(/opcode|jump/i) },
  });
});

test('for an account without funds, the estimate fails with insufficient-funds, and a node refuses the signed transaction', async () => {
  const poor = await openSession(ledgerOf([node.url]), `0x${'42'.repeat(32)}`);
  const operation = call(fixture, 'setPayable', ['1'], { value: 10n ** 18n });
  const { plan } = await poor.session.check({ wallet: poor.wallet, operation });
  const [estimated] = await poor.session.estimate([{ wallet: poor.wallet, plan, minHeight: 0 }]);
  expect(estimated).toMatchObject({ status: 'failed', problem: { code: 'insufficient-funds' } });
  const { main } = await sign(poor, transfer(fixture.replace(/.{4}$/, '0000').toLowerCase(), 5n));
  const [answer] = await poor.session.submit([main]);
  expect(answer).toMatchObject({
    status: 'refused',
    problem: { code: 'insufficient-funds', phase: 'submit', txId: main.txId },
  });
  await poor.session.close();
});
