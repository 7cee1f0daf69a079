import { type Anvil, startAnvil, tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  call,
  contracts,
  deploy,
  ethereum,
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

const other = '0x000000000000000000000000000000000000bEEF';

test('a transfer arrives, and costs its sender the amount and the reported fee', async () => {
  const { session, wallet } = actor;
  const [before = 0n] = await session.balances([wallet.address]);
  const [had = 0n] = await session.balances([other]);
  const outcome = await execute(actor, transfer(other, 1234n));
  expect(outcome.status).toBe('succeeded');
  const [after = 0n, has = 0n] = await session.balances([wallet.address, other]);
  expect(has - had).toBe(1234n);
  expect(outcome).toHaveProperty('fee', before - after - 1234n);
});

test('executes a transfer with data, and a transfer to a contract', async () => {
  expect(await execute(actor, transfer(other, 1n, { data: '0xdeadbeef00' }))).toHaveProperty(
    'status',
    'succeeded',
  );
  const receiver = await deploy(actor, contracts.Receiver);
  const checked = await actor.session.check({ wallet: actor.wallet, operation: transfer(receiver) });
  expect(checked.readiness).toBe('estimate');
  expect(await execute(actor, transfer(receiver, 55n))).toHaveProperty('status', 'succeeded');
  expect(await actor.session.balances([receiver])).toEqual([55n]);
});

test('a deployment returns its address, and calls change its state', async () => {
  expect((await actor.session.emulate({ operation: call(fixture, 'value') })).result).toBe('7');
  expect(await execute(actor, call(fixture, 'set', ['0x2a']))).toHaveProperty('status', 'succeeded');
  expect((await actor.session.emulate({ operation: call(fixture, 'value') })).result).toBe('42');
});

test('executes legacy transactions without and with an access list, and EIP-1559 transactions with an access list', async () => {
  const accessList = [{ address: fixture, storageKeys: [`0x${'0'.repeat(64)}`] }];
  const natives = [
    ethereumWith({ gasPrice: 3_000_000_000n }),
    ethereumWith({ gasPrice: 3_000_000_000n, accessList }),
    ethereumWith({ accessList }),
    ethereumWith({ maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1n, gasLimit: 100_000n }),
  ];
  for (const [index, native] of natives.entries()) {
    const { main } = await sign(actor, call(fixture, 'set', [String(index)], { native }));
    expect(main.bytes[0]).toBe([0xf8, 1, 2, 2][index]);
    expect(await execute(actor, call(fixture, 'set', [String(index)], { native }))).toHaveProperty(
      'status',
      'succeeded',
    );
    expect(await execute(actor, transfer(other, 1n, { native }))).toHaveProperty('status', 'succeeded');
  }
});

test('deploys the development network’s token and transfers it', async () => {
  const token = await deploy(actor, tokenTemplate, ['Gold', 'GLD', '1000']);
  const contract = { address: token, interface: tokenTemplate.interface };
  const move = call(token, 'transfer', [other, '400'], { contract });
  expect(await execute(actor, move)).toHaveProperty('status', 'succeeded');
  const balance = await actor.session.emulate({ operation: call(token, 'balanceOf', [other], { contract }) });
  expect(balance.result).toBe('400');
});

test('sends ether to a payable constructor in a deployment', async () => {
  // Creation code that stores nothing and returns one zero byte of code.
  const source = {
    interface: JSON.stringify([{ type: 'constructor', stateMutability: 'payable', inputs: [] }]),
    code: '0x60016000f3',
  };
  const deploying = (more: object) => ({
    ...{ type: 'contract_deploy' as const, args: [], value: 7n, native: ethereum },
    source: { ...source, ...more },
  });
  const outcome = await execute(actor, deploying({}));
  expect(outcome).toMatchObject({ status: 'succeeded' });
  if (outcome.status !== 'succeeded') return;
  expect(await node.rpc('eth_getBalance', [outcome.contractAddress, 'latest'])).toBe('0x7');
  const closed = deploying({ interface: '[]' });
  await expect(actor.session.check({ wallet: actor.wallet, operation: closed })).rejects.toMatchObject({
    problem: { issues: [{ pointer: '/native/value' }] },
  });
});
