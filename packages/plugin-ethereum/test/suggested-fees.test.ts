import { AdapterError } from '@ledger-ops/adapter';
import { type Anvil, type Misbehaviour, misbehaving, type RpcProxy, startAnvil } from '@ledger-ops/devnet';
import { Transaction } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startProxy } from './proxy.ts';
import { execute, keyOf, ledgerOf, openSession, sign, type TestSession, transfer } from './stage.ts';

const gwei = 1_000_000_000n;
const other = '0x000000000000000000000000000000000000bEEF';
const quantity = (value: bigint) => `0x${value.toString(16)}`;

let node: Anvil;
let proxy: RpcProxy;
const open: TestSession[] = [];

beforeAll(async () => {
  node = await startAnvil({ chainId: 40_900 });
  proxy = await startProxy(node.url);
});
afterAll(async () => {
  await proxy?.close();
  await node?.stop();
});
beforeEach(() => proxy.setFault(undefined));
afterEach(async () => {
  for (const { session } of open.splice(0)) await session.close();
});

const unknown = async () => ({ error: { code: -32_601, message: 'Method not found' } });
const says = (result: unknown) => async () => ({ result });
/** Sets the base fee of each block. Undefined removes it. */
const withBaseFee = (baseFee: bigint | undefined): Misbehaviour => ({
  async eth_getBlockByNumber(call, ask) {
    const answer = await ask(call);
    if (!('result' in answer) || typeof answer.result !== 'object' || answer.result === null) return answer;
    const { baseFeePerGas: _, ...block } = { baseFeePerGas: '', ...answer.result };
    return { result: baseFee === undefined ? block : { ...block, baseFeePerGas: quantity(baseFee) } };
  },
});

/** Returns the fee of a transfer that is signed while the node gives these answers. */
async function feeWith(how: Misbehaviour, properties = {}): Promise<bigint[]> {
  proxy.setFault(misbehaving(how));
  const actor = await openSession(ledgerOf([proxy.url], properties), keyOf(node));
  open.push(actor);
  const { main } = await sign(actor, transfer(other));
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice, type } = Transaction.from(
    `0x${Buffer.from(main.bytes).toString('hex')}`,
  );
  return type === 2 ? [maxFeePerGas ?? -1n, maxPriorityFeePerGas ?? -1n] : [gasPrice ?? -1n];
}

/** Returns why a transfer is not signed while the node gives these answers. */
async function problemWith(how: Misbehaviour, properties = {}): Promise<unknown> {
  // The chain is identified before the node gives wrong answers.
  proxy.setFault(undefined);
  const actor = await openSession(ledgerOf([proxy.url], properties), keyOf(node));
  open.push(actor);
  await actor.session.chain();
  proxy.setFault(misbehaving(how));
  const operation = transfer(other);
  try {
    const { plan } = await actor.session.check({ wallet: actor.wallet, operation });
    const [estimated] = await actor.session.estimate([{ wallet: actor.wallet, plan, minHeight: 0 }]);
    return estimated?.status === 'ready' ? estimated : estimated?.problem;
  } catch (error) {
    return error instanceof AdapterError ? error.problem : error;
  }
}

const withoutTip: Misbehaviour = { eth_maxPriorityFeePerGas: unknown };
const withoutPrice: Misbehaviour = { ...withoutTip, eth_gasPrice: unknown };

test.each<[string, Misbehaviour, bigint[]]>([
  [
    'a gas price of zero and a base fee of zero',
    { ...withoutTip, ...withBaseFee(0n), eth_gasPrice: says('0x0') },
    [0n, 0n],
  ],
  [
    'a gas price of zero and no base fee',
    { ...withoutTip, ...withBaseFee(undefined), eth_gasPrice: says('0x0') },
    [0n],
  ],
  [
    'no fee, no history and a base fee of zero',
    { ...withoutPrice, ...withBaseFee(0n), eth_feeHistory: unknown },
    [0n, 0n],
  ],
  ['a suggested tip of zero', { ...withBaseFee(0n), eth_maxPriorityFeePerGas: says('0x0') }, [0n, 0n]],
])('offers no fee on a network without fees: %s', async (_, how, fee) => {
  expect(await feeWith(how)).toEqual(fee);
});

test('if the node suggests no tip, uses the gas price minus the base fee', async () => {
  const how = { ...withoutTip, ...withBaseFee(10n * gwei), eth_gasPrice: says(quantity(12n * gwei)) };
  expect(await feeWith(how)).toEqual([22n * gwei, 2n * gwei]);
  expect(await feeWith({ ...how, eth_gasPrice: says(quantity(10n * gwei)) })).toEqual([20n * gwei, 0n]);
});

test('ignores a suggested fee that is not a number', async () => {
  const how = { ...withBaseFee(10n * gwei), eth_maxPriorityFeePerGas: says(null) };
  expect(await feeWith({ ...how, eth_gasPrice: says(quantity(12n * gwei)) })).toEqual([
    22n * gwei,
    2n * gwei,
  ]);
  const none = { eth_gasPrice: says('0x'), eth_feeHistory: says({ reward: [] }) };
  expect(await feeWith({ ...how, ...none })).toEqual([21n * gwei, gwei]);
});

test('if the node has no gas price, uses the highest median tip of the newest blocks', async () => {
  const reward = [['0x5'], [quantity(3n * gwei)], ['0x7']];
  const how = { ...withoutPrice, ...withBaseFee(10n * gwei), eth_feeHistory: says({ reward }) };
  expect(await feeWith(how)).toEqual([23n * gwei, 3n * gwei]);
  // A history without tips.
  expect(await feeWith({ ...how, eth_feeHistory: says({}) })).toEqual([21n * gwei, gwei]);
});

test.each<[string, unknown, bigint[]]>([
  ['is null', null, [21n * gwei, gwei]],
  ['is a string', '0x1', [21n * gwei, gwei]],
  ['has no tips', { reward: null }, [21n * gwei, gwei]],
  ['has blocks without tips', { reward: [[null], [], null, {}, 7] }, [21n * gwei, gwei]],
  ['has one readable tip', { reward: [[null], [quantity(3n * gwei)], []] }, [23n * gwei, 3n * gwei]],
  ['has numbers for tips', { reward: [[1.5], [-1], [1e21], ['-0x5'], ['1e3']] }, [21n * gwei, gwei]],
  ['has a tip of too many digits', { reward: [[`0x${'f'.repeat(65)}`], ['0x7']] }, [20n * gwei + 7n, 7n]],
  [
    'has full blocks that paid no tip',
    { reward: [['0x0'], ['0x0']], gasUsedRatio: [1, 1] },
    [20n * gwei, 0n],
  ],
  [
    'has fewer base fees than blocks',
    { reward: [['0x5'], ['0x6']], baseFeePerGas: [] },
    [20n * gwei + 6n, 6n],
  ],
])('offers a plausible fee if the fee history %s', async (_, history, fee) => {
  const how = { ...withoutPrice, ...withBaseFee(10n * gwei), eth_feeHistory: says(history) };
  expect(await feeWith(how)).toEqual(fee);
});

const refused = (message: string) => async () => ({ error: { code: -32_000, message } });
const words = 'fee oracle is starting, try again later';
/** Replaces the base fee of each block by this value. */
const withOddBaseFee = (baseFeePerGas: unknown): Misbehaviour => ({
  async eth_getBlockByNumber(call, ask) {
    const answer = await ask(call);
    if (!('result' in answer) || typeof answer.result !== 'object' || answer.result === null) return answer;
    return { result: { ...answer.result, baseFeePerGas } };
  },
});

const absurd = { code: 'fee-above-cap', detail: expect.stringContaining('more than any account can hold') };

test.each<[string, Misbehaviour, object]>([
  [
    'the gas price of a legacy chain is refused',
    { ...withBaseFee(undefined), eth_gasPrice: refused(words) },
    { code: 'unavailable', detail: expect.stringContaining(words) },
  ],
  [
    'the suggested tip is refused',
    { eth_maxPriorityFeePerGas: refused(`${words}: request timed out`) },
    { code: 'unavailable', detail: expect.stringContaining(words) },
  ],
  [
    'the newest block is refused',
    { eth_getBlockByNumber: refused(words) },
    { code: 'unavailable', detail: expect.stringContaining(words) },
  ],
  [
    'the gas price of a legacy chain is a number',
    { ...withBaseFee(undefined), eth_gasPrice: says(1.5) },
    { code: 'unavailable', detail: expect.stringContaining('malformed response: a fee') },
  ],
  [
    'the base fee is negative',
    withOddBaseFee('-0x1'),
    { code: 'unavailable', detail: expect.stringContaining("a block's base fee") },
  ],
  [
    'the base fee is a number',
    withOddBaseFee(1e21),
    { code: 'unavailable', detail: expect.stringContaining("a block's base fee") },
  ],
  ['the base fee has the highest possible value', withOddBaseFee(`0x${'f'.repeat(64)}`), absurd],
  [
    'the suggested tip has the highest possible value',
    { eth_maxPriorityFeePerGas: says(`0x${'f'.repeat(64)}`) },
    absurd,
  ],
  [
    'the gas price of a legacy chain has the highest possible value',
    { ...withBaseFee(undefined), eth_gasPrice: says(`0x${'f'.repeat(64)}`) },
    absurd,
  ],
])('if %s, does not sign, and reports the reason', async (_, how, problem) => {
  expect(await problemWith(how)).toMatchObject(problem);
});

test('an absurd gas price makes an accepted operation wait, whereas an operation with an absurd amount is refused', async () => {
  const actor = await openSession(ledgerOf([proxy.url]), keyOf(node));
  open.push(actor);
  const { plan } = await actor.session.check({ wallet: actor.wallet, operation: transfer(other) });
  const estimated = async () => await actor.session.estimate([{ wallet: actor.wallet, plan, minHeight: 0 }]);
  proxy.setFault(misbehaving(withOddBaseFee(`0x${'f'.repeat(64)}`)));
  expect(await estimated()).toMatchObject([{ status: 'wait', problem: absurd }]);
  proxy.setFault(undefined);
  expect(await estimated()).toMatchObject([{ status: 'ready' }]);
  const most = transfer(other, (1n << 256n) - 1n);
  await expect(actor.session.check({ wallet: actor.wallet, operation: most })).rejects.toMatchObject({
    problem: { code: 'refused', detail: expect.stringContaining('Lower its value or its fee') },
  });
});

test.each<[string, Misbehaviour]>([
  ['base fee', withOddBaseFee(quantity(10n ** 15n))],
  ['suggested tip', { eth_maxPriorityFeePerGas: says(quantity(10n ** 15n)) }],
  ['gas price on a legacy chain', { ...withBaseFee(undefined), eth_gasPrice: says(quantity(10n ** 15n)) }],
  [
    'gas price from which the tip is derived',
    { ...withoutTip, ...withBaseFee(gwei), eth_gasPrice: says(quantity(10n ** 15n)) },
  ],
  [
    'fee history',
    { ...withoutPrice, ...withBaseFee(gwei), eth_feeHistory: says({ reward: [[quantity(10n ** 15n)]] }) },
  ],
])(
  "if the ledger has a cap, an absurd fee from the node's %s is reported as above the cap",
  async (_, how) => {
    const problem = await problemWith(how, { max_fee_cap: '200000000000' });
    expect(problem).toMatchObject({ code: 'fee-above-cap', data: { cap: '200000000000' } });
  },
);

test('retries a node that is too busy to suggest a tip, instead of using a tip of 0', async () => {
  let asked = 0;
  const how: Misbehaviour = {
    ...withBaseFee(10n * gwei),
    async eth_maxPriorityFeePerGas() {
      asked += 1;
      if (asked === 1) return { error: { code: -32_000, message: 'request timed out' } };
      return { result: quantity(2n * gwei) };
    },
  };
  expect(await feeWith(how)).toEqual([22n * gwei, 2n * gwei]);
  expect(asked).toBeGreaterThan(1);
});

test('confirm() reports the base fee plus the tip, or the gas price on a network without base fees', async () => {
  const price = async (how: Misbehaviour) => {
    await feeWith(how);
    const { session } = open.at(-1) ?? { session: undefined };
    return (await session?.confirm({ cursor: null, pending: new Map() }))?.gasPrice;
  };
  const suggested = { eth_maxPriorityFeePerGas: says(quantity(2n * gwei)), eth_gasPrice: says(quantity(5n)) };
  expect(await price({ ...suggested, ...withBaseFee(10n * gwei) })).toBe(12n * gwei);
  expect(await price({ ...suggested, ...withBaseFee(undefined) })).toBe(5n);
});

test('an account without a balance can send transactions on a network without gas fees', async () => {
  const free = await startAnvil({ chainId: 40_901, extraArgs: ['--base-fee', '0', '--gas-price', '0'] });
  const front = await startProxy(free.url);
  try {
    front.setFault(misbehaving({ ...withoutTip, eth_gasPrice: says('0x0') }));
    const actor = await openSession(ledgerOf([front.url]), `0x${'7'.repeat(64)}`);
    open.push(actor);
    const fixture = transfer(other, 0n);
    expect(await execute(actor, fixture)).toMatchObject({ status: 'succeeded' });
  } finally {
    await front.close();
    await free.stop();
  }
});
