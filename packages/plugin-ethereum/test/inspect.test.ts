import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inspectOne, makeLate, replaceWith } from './late.ts';
import { type RpcProxy, startProxy } from './proxy.ts';
import { shareAnvil } from './shared-anvil.ts';
import {
  call,
  contracts,
  deploy,
  ethereumWith,
  keyOf,
  ledgerOf,
  openSession,
  sign,
  type TestSession,
  transfer,
} from './stage.ts';

let node: Anvil;
const open: TestSession[] = [];
const others: { close(): Promise<void> }[] = [];

/** Nodes that start with the same timestamp have the same first block. */
const together = { mining: 'manual', extraArgs: ['--timestamp', '1700000000'] } as const;
const shared = shareAnvil(together);

beforeEach(() => {
  node = shared();
});
afterEach(async () => {
  for (const { session } of open.splice(0)) await session.close();
  for (const one of others.splice(0)) await one.close();
});

const other = '0x000000000000000000000000000000000000bEEF';
const gwei = 1_000_000_000n;
const quantity = (value: bigint) => `0x${value.toString(16)}`;
const mine = (blocks = 1) => node.rpc('anvil_mine', [`0x${blocks.toString(16)}`, '0x1']);

async function enter(properties = {}, account = 0, uris = [node.url]): Promise<TestSession> {
  const actor = await openSession(ledgerOf(uris, properties), keyOf(node, account));
  open.push(actor);
  return actor;
}

async function behindProxy(url: string): Promise<RpcProxy> {
  const proxy = await startProxy(url);
  others.push(proxy);
  return proxy;
}

async function deployed(): Promise<string> {
  await node.rpc('evm_setAutomine', [true]);
  const fixture = await deploy(await enter({}, 9), contracts.Fixture, ['7', 'x']);
  await node.rpc('evm_setAutomine', [false]);
  return fixture;
}

test('reports a transaction as shown while it is in a mempool or a block, and as absent after the mempool dropped it', async () => {
  const actor = await enter();
  const late = await makeLate(actor, transfer(other));
  expect(await inspectOne(actor, late)).toEqual({ status: 'shown' });
  await node.rpc('anvil_dropTransaction', [late.main.txId]);
  expect(await inspectOne(actor, late)).toEqual({ status: 'absent' });
  const bump = await replaceWith(actor, late, 'bump', { raise: 'always' });
  await actor.session.submit([bump]);
  expect(await inspectOne(actor, late)).toEqual({ status: 'shown' });
  await mine();
  expect(await inspectOne(actor, late)).toEqual({ status: 'shown' });
});

test('reports a transaction as shown if any node has it, and as absent if no node that answers has it', async () => {
  const second = await startAnvil(together);
  others.push({ close: () => second.stop() });
  const [front, back] = [await behindProxy(node.url), await behindProxy(second.url)];
  const actor = await enter({ rpc_timeout: 2_000 }, 0, [front.url, back.url]);
  const late = await makeLate(actor, transfer(other));
  expect(late.answer).toMatchObject({ status: 'accepted' });
  expect(await inspectOne(actor, late)).toEqual({ status: 'shown' });
  await node.rpc('anvil_dropTransaction', [late.main.txId]);
  expect(await inspectOne(actor, late)).toEqual({ status: 'absent' });
  await second.rpc('eth_sendRawTransaction', [`0x${Buffer.from(late.main.bytes).toString('hex')}`]);
  expect(await inspectOne(actor, late)).toEqual({ status: 'shown' });
  // If one node does not answer, the answers of the others are still used.
  front.setFault(async (_calls, _forward, response) => {
    await new Promise((resolve) => response.once('close', resolve));
    return undefined;
  });
  expect(await inspectOne(actor, late)).toMatchObject({ status: 'shown' });
  await second.rpc('anvil_dropTransaction', [late.main.txId]);
  expect(await inspectOne(actor, late)).toMatchObject({ status: 'absent' });
  await back.goDown();
  expect(await inspectOne(actor, late)).toEqual({ status: 'unknown' });
});

test('a transaction is not reported as absent because a node on another chain lacks it', async () => {
  const stranger = await startAnvil({ mining: 'manual', chainId: 99 });
  others.push({ close: () => stranger.stop() });
  const proxy = await behindProxy(node.url);
  const actor = await enter({ chain_id: 31337 }, 0, [proxy.url, stranger.url]);
  const late = await makeLate(actor, transfer(other));
  expect(await inspectOne(actor, late)).toEqual({ status: 'shown' });
  proxy.setFault((calls) =>
    calls.some(({ method }) => method === 'eth_getTransactionByHash') ? '<html>no</html>' : undefined,
  );
  expect(await inspectOne(actor, late)).toHaveProperty('status', 'unknown');
});

test('a transaction with gas below the EIP-7623 floor is hopeless, in the mempool and after a block without it', async () => {
  const actor = await enter();
  const operation = transfer(other, 0n, { data: `0x${'ff'.repeat(36)}` });
  const late = await makeLate(actor, operation, undefined, { gas: '21500' });
  expect(late.answer).toMatchObject({ status: 'accepted' });
  const hopeless = {
    hopeless: true,
    problem: {
      code: 'out-of-gas',
      phase: 'confirm',
      detail: expect.stringMatching(/gasLimit of 21500 is below the minimum of 22440 /),
      data: { gas: '21500', needed: '22440' },
    },
  };
  expect(await inspectOne(actor, late)).toEqual({ status: 'shown', ...hopeless });
  await mine();
  expect(await inspectOne(actor, late)).toEqual({ status: 'absent', ...hopeless });
  // A late transaction is not hopeless if a no-op was signed to replace it.
  const noop = await replaceWith(actor, late, 'noop');
  const { hopeless: isHopeless, ...waiting } = await inspectOne(actor, late);
  expect(isHopeless).toBeUndefined();
  expect(waiting).toEqual({ status: 'absent', problem: hopeless.problem });
  expect(await actor.session.submit([noop])).toMatchObject([{ status: 'accepted' }]);
  await mine();
  expect(await inspectOne(actor, late)).toEqual({ status: 'shown' });
});

test('a transaction above Osaka’s gas limit per transaction is hopeless when no node has it', async () => {
  const osaka = await startAnvil({
    mining: 'manual',
    extraArgs: ['--hardfork', 'osaka', '--enable-tx-gas-limit'],
  });
  others.push({ close: () => osaka.stop() });
  const actor = await enter({}, 0, [osaka.url]);
  const late = await makeLate(actor, transfer(other), undefined, { gas: '20000000' });
  expect(late.answer).toMatchObject({ status: 'refused' });
  const detail = expect.stringMatching(/gasLimit of 20000000 is above the limit of 16777216 .*EIP-7825/);
  expect(await inspectOne(actor, late)).toEqual({
    ...{ status: 'absent', hopeless: true },
    problem: { code: 'refused', phase: 'confirm', detail, data: { gas: '20000000', most: '16777216' } },
  });
  // A node of a chain without this limit keeps the transaction in its mempool.
  const free = await enter();
  const kept = await makeLate(free, transfer(other), undefined, { gas: '20000000' });
  expect(kept.answer).toMatchObject({ status: 'accepted' });
  expect(await inspectOne(free, kept)).toEqual({ status: 'shown' });
});

test('a transaction below the EIP-7623 floor is not hopeless on a chain without EIP-7623', async () => {
  const older = await startAnvil({ mining: 'manual', extraArgs: ['--hardfork', 'shanghai'] });
  others.push({ close: () => older.stop() });
  const actor = await enter({}, 0, [older.url]);
  const operation = transfer(other, 0n, { data: `0x${'ff'.repeat(36)}` });
  const late = await makeLate(actor, operation, undefined, { gas: '21600' });
  await older.rpc('anvil_dropTransaction', [late.main.txId]);
  expect(await inspectOne(actor, late)).toEqual({ status: 'absent' });
  await actor.session.submit([late.main]);
  await older.rpc('anvil_mine', ['0x1']);
  expect(await inspectOne(actor, late)).toEqual({ status: 'shown' });
  expect(await actor.session.sequences([actor.wallet.address])).toEqual([1n]);
});

test('a transaction is hopeless if its gas does not cover its access list or creation code, or the code is too long', async () => {
  const actor = await enter();
  const accessList = Array.from({ length: 120 }, (_, index) => ({
    address: `0x${(index + 1).toString(16).padStart(40, '0')}`,
    storageKeys: [],
  }));
  const listed = transfer(other, 0n, { native: ethereumWith({ accessList }) });
  const creation = {
    ...{ type: 'contract_deploy' as const, args: [], value: 0n },
    ...{ data: '0x00', native: ethereumWith({ gasLimit: 10_000_000n }) },
  };
  const zeros = (bytes: number) => ({ data: `0x${'00'.repeat(bytes)}` });
  const cases = [
    {
      operation: listed,
      changes: { gas: '60000' },
      words: /gasLimit of 60000 is below the minimum of 309000/,
      code: 'out-of-gas',
    },
    {
      ...{ operation: creation, changes: { ...zeros(1000), gas: '53100' }, code: 'out-of-gas' },
      words: /gasLimit of 53100 is below the/,
    },
    {
      ...{ operation: creation, changes: zeros(50_001), code: 'refused' },
      words: /creation code of 50001 bytes/,
    },
  ];
  for (const { operation, changes, words, code } of cases) {
    // The mempool refuses some of the transactions.
    const late = await makeLate(actor, operation, undefined, changes);
    await mine();
    expect(await inspectOne(actor, late)).toMatchObject({
      status: 'absent',
      hopeless: true,
      problem: { code, detail: expect.stringMatching(words) },
    });
  }
});

test('a transaction that is too long for mempools is hopeless only if no node has it', async () => {
  const actor = await enter();
  const native = ethereumWith({ gasLimit: 5_000_000n });
  const data = `0x${'00'.repeat(131_000)}`;
  const late = await makeLate(actor, transfer(other, 0n, { native }), undefined, { data });
  expect(late.main.bytes.length).toBeGreaterThan(131_072);
  expect(late.answer).toMatchObject({ status: 'accepted' });
  expect(await inspectOne(actor, late)).not.toHaveProperty('hopeless');
  await node.rpc('anvil_dropTransaction', [late.main.txId]);
  expect(await inspectOne(actor, late)).toMatchObject({
    status: 'absent',
    hopeless: true,
    problem: { code: 'refused', detail: expect.stringContaining('bytes long') },
  });
});

test('a transaction above the block gas limit is reported with both amounts, but not as hopeless', async () => {
  const actor = await enter();
  const late = await makeLate(actor, transfer(other, 1n, { native: ethereumWith({ gasLimit: 900_000n }) }));
  await node.rpc('evm_setBlockGasLimit', [quantity(500_000n)]);
  await mine(2);
  expect(await inspectOne(actor, late)).toEqual({
    status: 'shown',
    problem: {
      code: 'refused',
      phase: 'confirm',
      detail: expect.stringMatching(/gas of 900000 is above the current block gas limit of 500000/),
      data: { gas: '900000', blockGasLimit: '500000' },
    },
  });
});

test('reports that the wallet balance is below the cost, with both amounts', async () => {
  const actor = await enter();
  const { address } = actor.wallet;
  const late = await makeLate(actor, transfer(other, 10n ** 18n));
  await node.rpc('anvil_setBalance', [address, quantity(10n ** 17n)]);
  await mine();
  const { cost } = late.main;
  expect(await inspectOne(actor, late)).toEqual({
    status: 'absent',
    problem: {
      code: 'insufficient-funds',
      phase: 'confirm',
      detail: expect.stringContaining(
        `holds 100000000000000000 wei (0.1 ether), but the transaction can cost ${cost} wei (1.0`,
      ),
      data: { balance: `${10n ** 17n}`, needed: `${cost}`, missing: `${cost - 10n ** 17n}` },
    },
  });
  // If there is a no-op, later transactions wait for the no-op.
  await replaceWith(actor, late, 'noop');
  await node.rpc('anvil_setBalance', [address, '0x1']);
  expect(await inspectOne(actor, late)).toHaveProperty('problem.data.balance', '1');
  expect(await inspectOne(actor, late)).toHaveProperty('problem.data.needed', `${late.signed.at(-1)?.cost}`);
});

test('reports that the base fee is above every offer, with both prices', async () => {
  const actor = await enter();
  const late = await makeLate(actor, transfer(other), undefined, {
    maxFeePerGas: String(3n * gwei),
    maxPriorityFeePerGas: String(gwei),
  });
  await node.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(20n * gwei)]);
  await mine();
  expect(await inspectOne(actor, late)).toEqual({
    status: 'absent',
    problem: {
      code: 'refused',
      phase: 'confirm',
      detail: expect.stringContaining(
        'offers at most 3000000000 wei per gas, but the base fee is 20000000000',
      ),
      data: { offered: `${3n * gwei}`, baseFee: `${20n * gwei}` },
    },
  });
  const bump = await replaceWith(actor, late, 'bump');
  await actor.session.submit([bump]);
  expect(await inspectOne(actor, late)).toEqual({ status: 'shown' });
});

test('reports that a mined transaction used the nonce, without saying which one', async () => {
  const actor = await enter();
  const late = await makeLate(actor, transfer(other));
  await node.rpc('anvil_dropTransaction', [late.main.txId]);
  const outside = await sign(await enter(), transfer(other, 2n));
  await actor.session.submit([outside.main]);
  await mine();
  const found = await inspectOne(actor, late);
  expect(found).toMatchObject({
    status: 'absent',
    problem: {
      code: 'refused',
      detail: expect.stringContaining('with nonce 0 has been mined (the next nonce is 1)'),
    },
  });
  expect(found).not.toHaveProperty('hopeless');
});

test('reports that a call would revert now, although it can still be mined', async () => {
  const fixture = await deployed();
  const actor = await enter();
  const operation = call(fixture, 'failWithText', ['closed'], {
    native: ethereumWith({ gasLimit: 100_000n }),
  });
  const late = await makeLate(actor, operation);
  await node.rpc('anvil_dropTransaction', [late.main.txId]);
  const found = await inspectOne(actor, late);
  expect(found).toMatchObject({
    status: 'absent',
    problem: {
      code: 'reverted',
      phase: 'confirm',
      detail: expect.stringMatching(/it can still be mined.*closed/),
      data: { error: 'Error', arguments: ['closed'] },
    },
  });
  expect(found).not.toHaveProperty('hopeless');
});

test('does not simulate a call on a pending block that already includes this call', async () => {
  const actor = await enter();
  const { address } = actor.wallet;
  const [balance = 0n] = await actor.session.balances([address]);
  const most = balance - 21_000n * 3n * gwei;
  const late = await makeLate(actor, transfer(other, most), undefined, {
    maxFeePerGas: String(3n * gwei),
    maxPriorityFeePerGas: String(gwei),
  });
  expect(await inspectOne(actor, late)).toEqual({ status: 'shown' });
});

test('inspects many transactions in few requests, and returns the results in order', async () => {
  const proxy = await behindProxy(node.url);
  const actor = await enter({ rpc_batch: 1000 }, 0, [proxy.url]);
  const { session, wallet } = actor;
  const signed = await Promise.all(
    Array.from({ length: 40 }, (_, index) => sign(actor, transfer(other), BigInt(index))),
  );
  await session.submit(signed.slice(0, 20).map(({ main }) => main));
  const requests = signed.map(({ plan, sequence, attempts }, index) => ({
    ...{ actionId: `a${index}`, wallet, plan, sequence, signed: attempts },
  }));
  const before = proxy.requests();
  const answers = (await session.inspect?.(requests)) ?? [];
  expect(answers.map(({ status }) => status)).toEqual(
    Array.from({ length: 40 }, (_, index) => (index < 20 ? 'shown' : 'absent')),
  );
  expect(proxy.requests() - before).toBeLessThanOrEqual(3);
});
