import type { AdapterDefinition } from '@ledger-ops/adapter';
import { type Anvil, profileFault } from '@ledger-ops/devnet';
import { Transaction } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ethereumAdapter } from '../src/index.ts';
import { askReplacement, type Late, makeLate, replaceWith } from './late.ts';
import { type RpcProxy, startProxy } from './proxy.ts';
import { shareAnvil } from './shared-anvil.ts';
import {
  type Attempt,
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
/**
 * A proxy that sets the suggested tip to 1 gwei. Anvil derives its suggestion from blocks of earlier tests, with a
 * delay.
 */
let constantTip: RpcProxy;
const shared = shareAnvil();
const open: TestSession[] = [];

beforeAll(async () => {
  constantTip = await startProxy(shared().url);
  constantTip.setFault(
    profileFault({ methods: { eth_maxPriorityFeePerGas: async () => ({ result: quantity(gwei) }) } }),
  );
});
afterAll(() => constantTip.close());
beforeEach(() => {
  node = shared();
});
afterEach(async () => {
  for (const { session } of open.splice(0)) await session.close();
});

const other = '0x000000000000000000000000000000000000bEEF';
const gwei = 1_000_000_000n;
const quantity = (value: bigint) => `0x${value.toString(16)}`;
const mine = (blocks = 1) => node.rpc('anvil_mine', [`0x${blocks.toString(16)}`, '0x1']);
const readBack = ({ bytes }: { bytes: Uint8Array }) =>
  Transaction.from(`0x${Buffer.from(bytes).toString('hex')}`);

async function enter(properties = {}, account = 0, uris = [constantTip.url]): Promise<TestSession> {
  const actor = await openSession(ledgerOf(uris, properties), keyOf(node, account));
  open.push(actor);
  return actor;
}

/**
 * Mines a block with this base fee, so offers below it are not mined. The next block has the same base fee.
 */
async function setBaseFee(baseFee: bigint): Promise<void> {
  await node.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(baseFee)]);
  await mine();
  await node.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(baseFee)]);
}

/** Sends the attempt, mines a block, and returns which signed attempt is in it. */
async function mined(actor: TestSession, { signed, sequence }: Late, sent: Attempt): Promise<string[]> {
  expect(await actor.session.submit([sent])).toMatchObject([{ status: 'accepted' }]);
  await mine();
  const pending = new Map(signed.map(({ txId }) => [txId, { address: actor.wallet.address, sequence }]));
  const { outcomes } = await actor.session.confirm({ cursor: null, pending });
  return outcomes.flatMap(({ status, txId }) => (status === 'succeeded' ? [txId] : []));
}

test('the adapter declares that replacements are created on demand', () => {
  const { capabilities }: AdapterDefinition = ethereumAdapter;
  expect(capabilities).toMatchObject({ replacement: true, onDemandReplacement: true });
});

test('signs only the main transaction in advance, even with replace_after, unless the ledger sets presigned_replacements', async () => {
  const kinds = async (properties: object) => {
    const { attempts } = await sign(await enter(properties), transfer(other));
    return attempts.map(({ kind }) => kind).join(' ');
  };
  expect(await kinds({})).toBe('main');
  expect(await kinds({ replace_after: 10 })).toBe('main');
  expect(await kinds({ presigned_replacements: true })).toBe('main bump bump noop');
  expect(await kinds({ presigned_replacements: true, replace_after: 10, max_bumps: 1 })).toBe(
    'main bump noop',
  );
  expect(await kinds({ presigned_replacements: true, replace_after: 0 })).toBe('main');
});

test('does not replace a transaction while its fee covers the chain’s price for the next blocks', async () => {
  const actor = await enter();
  const late = await makeLate(actor, transfer(other), undefined, {
    maxFeePerGas: String(10n * gwei),
    maxPriorityFeePerGas: String(gwei),
  });
  await setBaseFee(8n * gwei);
  expect(await askReplacement(actor, late, 'bump')).toEqual({ status: 'enough' });
  // Another full block would raise the base fee above the offer.
  await node.rpc('anvil_dropTransaction', [late.main.txId]);
  await setBaseFee(8n * gwei + 1n);
  const bump = await replaceWith(actor, late, 'bump');
  expect(readBack(bump).maxFeePerGas).toBe(16n * gwei + 2n + gwei);
  expect(await askReplacement(actor, late, 'bump')).toEqual({ status: 'enough' });
});

const kinds: { name: string; properties: object; native: object; type: number }[] = [
  { name: 'EIP-1559', properties: {}, native: {}, type: 2 },
  { name: 'legacy', properties: { fee_mode: 'legacy' }, native: {}, type: 0 },
  {
    name: 'legacy with an access list',
    properties: { fee_mode: 'legacy' },
    native: { accessList: [] },
    type: 1,
  },
];

test.each(kinds)(
  '$name: after a permanent rise of the base fee, a bump at the current price is accepted and mined',
  async ({ properties, native, type }) => {
    const actor = await enter(properties);
    const late = await makeLate(actor, transfer(other, 777n, { native: ethereumWith(native) }));
    await setBaseFee(20n * gwei);
    const bump = await replaceWith(actor, late, 'bump');
    expect(bump.kind).toBe('bump');
    const [before, after] = [readBack(late.main), readBack(bump)];
    expect(after).toMatchObject({
      type,
      nonce: before.nonce,
      to: before.to,
      value: 777n,
      data: before.data,
      gasLimit: before.gasLimit,
      chainId: before.chainId,
    });
    expect(after.maxFeePerGas ?? after.gasPrice ?? 0n).toBeGreaterThanOrEqual(22n * gwei);
    expect(await mined(actor, late, bump)).toEqual([bump.txId]);
    expect(await actor.session.balances([other])).toEqual([777n]);
  },
);

test.each(kinds)(
  '$name: the no-op outbids every attempt and is mined, and the operation never executes',
  async ({ properties, native, type }) => {
    const actor = await enter(properties);
    const late = await makeLate(actor, transfer(other, 777n, { native: ethereumWith(native) }));
    await setBaseFee(20n * gwei);
    await replaceWith(actor, late, 'bump', { raise: 'always' });
    const noop = await replaceWith(actor, late, 'noop');
    expect(readBack(noop)).toMatchObject({
      type: type === 1 ? 0 : type,
      to: actor.wallet.address,
      value: 0n,
      data: '0x',
      gasLimit: 21_000n,
      nonce: 0,
    });
    expect(await mined(actor, late, noop)).toEqual([noop.txId]);
    expect(await actor.session.balances([other])).toEqual([0n]);
  },
);

test('a bump keeps the signed transaction’s content, even if the plan has changed', async () => {
  const actor = await enter();
  const fixture = await deployed();
  const accessList = [{ address: fixture, storageKeys: [`0x${'1'.repeat(64)}`] }];
  const operation = call(fixture, 'setPayable', ['42'], { value: 5n, native: ethereumWith({ accessList }) });
  const late = await makeLate(actor, operation);
  const { given: _, ...plan } = late.plan;
  late.plan = { ...plan, maxFeePerGas: '1', maxPriorityFeePerGas: '1', gas: '21000', data: '0x', value: '9' };
  const bump = await replaceWith(actor, late, 'bump', { raise: 'always' });
  const [before, after] = [readBack(late.main), readBack(bump)];
  for (const name of ['to', 'data', 'value', 'gasLimit', 'accessList'] as const) {
    expect(after[name]).toEqual(before[name]);
  }
  expect(after.maxFeePerGas ?? 0n).toBeGreaterThan(before.maxFeePerGas ?? 0n);
  expect(await mined(actor, late, bump)).toEqual([bump.txId]);
});

async function deployed(): Promise<string> {
  await node.rpc('evm_setAutomine', [true]);
  const fixture = await deploy(await enter({}, 9), contracts.Fixture, ['7', 'x']);
  await node.rpc('evm_setAutomine', [false]);
  return fixture;
}

test('each time a higher fee is requested, nodes accept the new transaction', async () => {
  const actor = await enter();
  const late = await makeLate(actor, transfer(other));
  let last = late.main;
  for (let step = 0; step < 5; step += 1) {
    const bump = await replaceWith(actor, late, 'bump', { raise: 'always' });
    const [before, after] = [readBack(last), readBack(bump)];
    for (const name of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      expect((after[name] ?? 0n) * 8n).toBeGreaterThanOrEqual((before[name] ?? 0n) * 9n);
    }
    expect(await actor.session.submit([bump])).toMatchObject([{ status: 'accepted' }]);
    last = bump;
  }
  expect(new Set(late.signed.map(({ txId }) => txId)).size).toBe(6);
  expect(await mined(actor, late, await replaceWith(actor, late, 'noop'))).toEqual([
    late.signed.at(-1)?.txId,
  ]);
});

const caps: { name: string; properties: object; given: object; request: object; words: RegExp }[] = [
  {
    name: "the ledger's cap",
    properties: { max_fee_cap: String(15n * gwei) },
    given: {},
    request: {},
    words: /exceeds the ledger's max_fee_cap \(15000000000\)/,
  },
  {
    name: "the user's price",
    properties: { max_fee_cap: String(300n * gwei) },
    given: { maxFeePerGas: 9n * gwei },
    request: {},
    words: /exceeds the maxFeePerGas of the operation \(9000000000\)/,
  },
  {
    name: "the user's gas price",
    properties: {},
    given: { gasPrice: 9n * gwei },
    request: { cap: 10n * gwei },
    words: /exceeds the gasPrice of the operation \(9000000000\)/,
  },
  {
    name: 'the cap of the request',
    properties: { max_fee_cap: String(300n * gwei) },
    given: {},
    request: { cap: 20n * gwei },
    words: /exceeds the maximum fee of the speed-up request \(20000000000\)/,
  },
];

test.each(caps)(
  'a bump above $name waits, and the problem contains the current price and the limit',
  async ({ properties, given, request, words }) => {
    const actor = await enter(properties);
    const late = await makeLate(actor, transfer(other, 1n, { native: ethereumWith(given) }));
    await setBaseFee(20n * gwei);
    const answer = await askReplacement(actor, late, 'bump', request);
    expect(answer).toMatchObject({
      status: 'wait',
      problem: {
        code: 'fee-above-cap',
        phase: 'prepare',
        detail: expect.stringMatching(words),
        data: { goingFee: String(21n * gwei) },
      },
    });
    expect(answer).toHaveProperty(
      'problem.detail',
      expect.stringContaining('The chain currently requires 21000000000 wei'),
    );
    // Later the fee falls below the cap again.
    await setBaseFee(gwei / 2n);
    expect(await askReplacement(actor, late, 'bump', request)).not.toHaveProperty('problem');
  },
);

test('a fee cap that is slightly above the current fee limits the headroom of a bump', async () => {
  const actor = await enter({ max_fee_cap: String(22n * gwei) });
  const late = await makeLate(actor, transfer(other));
  await setBaseFee(20n * gwei);
  const bump = await replaceWith(actor, late, 'bump');
  expect(readBack(bump).maxFeePerGas).toBe(22n * gwei);
  // The cap allows no further bump. The base fee could rise in the next block, but it has not risen.
  expect(await askReplacement(actor, late, 'bump')).toEqual({ status: 'enough' });
  expect(await askReplacement(actor, late, 'bump', { raise: 'always' })).toMatchObject({
    status: 'wait',
    problem: { code: 'fee-above-cap' },
  });
  expect(await mined(actor, late, bump)).toEqual([bump.txId]);
});

test("the no-op may exceed the user's maximum fee, and is mined at the current price", async () => {
  const actor = await enter();
  const native = ethereumWith({ maxFeePerGas: 3n * gwei });
  const late = await makeLate(actor, transfer(other, 1n, { native }));
  await setBaseFee(20n * gwei);
  const noop = await replaceWith(actor, late, 'noop');
  expect(await mined(actor, late, noop)).toEqual([noop.txId]);
});

test("a no-op waits while the current fee exceeds the ledger's cap, and is created once the fee has fallen", async () => {
  const actor = await enter({ max_fee_cap: String(5n * gwei) });
  const late = await makeLate(actor, transfer(other));
  await setBaseFee(20n * gwei);
  expect(await askReplacement(actor, late, 'noop')).toMatchObject({
    status: 'wait',
    problem: {
      code: 'fee-above-cap',
      detail: expect.stringContaining("the ledger's max_fee_cap (5000000000)"),
    },
  });
  await setBaseFee(gwei);
  const noop = await replaceWith(actor, late, 'noop');
  expect(await mined(actor, late, noop)).toEqual([noop.txId]);
});

test('at the fee cap, the no-op offers as much as the highest attempt and differs from all signed transactions', async () => {
  const actor = await enter({ max_fee_cap: String(3n * gwei) });
  const late = await makeLate(actor, transfer(actor.wallet.address, 0n));
  expect(readBack(late.main).maxFeePerGas).toBe(3n * gwei);
  const noops = [await replaceWith(actor, late, 'noop'), await replaceWith(actor, late, 'noop')];
  expect(noops.map((noop) => readBack(noop).maxFeePerGas)).toEqual([3n * gwei, 3n * gwei]);
  expect(new Set(late.signed.map(({ txId }) => txId)).size).toBe(3);
  // Mempools that dropped the attempts can still accept the no-op.
  await node.rpc('anvil_dropTransaction', [late.main.txId]);
  const [noop] = noops;
  expect(await mined(actor, late, noop as Attempt)).toEqual([noop?.txId]);
});

test('reports the amount with which the no-op of a drained wallet is mined', async () => {
  const actor = await enter();
  const { address } = actor.wallet;
  const late = await makeLate(actor, transfer(other, 10n ** 18n));
  await node.rpc('anvil_setBalance', [address, quantity(1_000n)]);
  await mine();
  const bump = await askReplacement(actor, late, 'bump', { raise: 'always' });
  expect(bump).toMatchObject({ status: 'wait', problem: { code: 'insufficient-funds' } });
  const answer = await askReplacement(actor, late, 'noop');
  if (answer.status !== 'wait') throw new Error('The no-op does not wait.');
  const { code, detail, data } = answer.problem;
  const needed = BigInt(String(data?.needed));
  expect(code).toBe('insufficient-funds');
  expect(needed).toBeGreaterThan(1_000n);
  expect(data).toEqual({ balance: '1000', needed: `${needed}`, missing: `${needed - 1_000n}` });
  expect(detail).toContain(`${address} holds 1000 wei (0.000000000000001 ether)`);
  expect(detail).toContain(`needs at least ${needed} wei (0.0000`);
  await node.rpc('anvil_setBalance', [address, quantity(needed - 1n)]);
  expect(await askReplacement(actor, late, 'noop')).toHaveProperty('status', 'wait');
  await node.rpc('anvil_setBalance', [address, quantity(needed)]);
  const noop = await replaceWith(actor, late, 'noop');
  expect(noop.cost).toBeLessThanOrEqual(needed);
  expect(await mined(actor, late, noop)).toEqual([noop.txId]);
});

test('if a wallet cannot afford the full headroom, offers the highest fee that it can pay', async () => {
  const actor = await enter();
  const late = await makeLate(actor, transfer(other, 5n));
  await setBaseFee(20n * gwei);
  const affordable = 30n * gwei * 21_000n + 5n;
  await node.rpc('anvil_setBalance', [actor.wallet.address, quantity(affordable)]);
  const bump = await replaceWith(actor, late, 'bump');
  expect(readBack(bump).maxFeePerGas).toBe(30n * gwei);
  expect(bump.cost).toBe(affordable);
  expect(await mined(actor, late, bump)).toEqual([bump.txId]);
});

test('estimates the no-op’s gas on chains with unusual transfer costs', async () => {
  const proxy = await startProxy(node.url);
  try {
    const actor = await enter({ transfer_gas: 'estimate' }, 0, [proxy.url]);
    const late = await makeLate(actor, transfer(other));
    proxy.setFault(async (calls, forward) => {
      const answers = JSON.parse(await forward());
      for (const [index, { method }] of calls.entries()) {
        const answer = Array.isArray(answers) ? answers[index] : answers;
        if (method === 'eth_estimateGas') answer.result = quantity(50_000n);
      }
      return JSON.stringify(answers);
    });
    expect(readBack(await replaceWith(actor, late, 'noop')).gasLimit).toBe(60_000n);
  } finally {
    await proxy.close();
  }
});

test('reads the chain once to create many replacements, and returns one answer per request', async () => {
  const proxy = await startProxy(node.url);
  try {
    const actor = await enter({}, 0, [proxy.url]);
    const { session, wallet } = actor;
    const signed = await Promise.all(
      Array.from({ length: 40 }, (_, index) => sign(actor, transfer(other), BigInt(index))),
    );
    const requests = signed.map(({ plan, sequence, attempts }, index) => ({
      ...{ actionId: `a${index}`, wallet, plan, sequence },
      signed: index === 7 ? [{ kind: 'main' as const, txId: '0x00', bytes: Uint8Array.of(1) }] : attempts,
      kind: index % 2 === 0 ? ('bump' as const) : ('noop' as const),
      raise: 'always' as const,
    }));
    const before = proxy.requests();
    const answers = (await session.replace?.(requests)) ?? [];
    expect(proxy.requests() - before).toBe(1);
    expect(answers).toHaveLength(40);
    for (const [index, answer] of answers.entries()) {
      if (index === 7) {
        expect(answer).toMatchObject({ status: 'wait', problem: { code: 'invalid-argument' } });
      } else {
        expect(answer).toMatchObject({ status: 'prepared', attempt: { kind: requests[index]?.kind } });
      }
    }
  } finally {
    await proxy.close();
  }
});

test('while no node answers, replacements wait, and nothing is signed with outdated fees', async () => {
  const proxy = await startProxy(node.url);
  try {
    const actor = await enter({}, 0, [proxy.url]);
    const late = await makeLate(actor, transfer(other));
    await proxy.goDown();
    for (const kind of ['bump', 'noop'] as const) {
      expect(await askReplacement(actor, late, kind, { raise: 'always' })).toMatchObject({
        status: 'wait',
        problem: { code: 'unavailable', phase: 'prepare' },
      });
    }
  } finally {
    await proxy.close();
  }
});
