import { type Anvil, type Misbehaviour, misbehaving, type RpcProxy, startAnvil } from '@ledger-ops/devnet';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startProxy } from './proxy.ts';
import { keyOf, ledgerOf, openSession, sign, type TestSession, transfer } from './stage.ts';

const other = '0x000000000000000000000000000000000000bEEF';
const minutes = 60_000;

let node: Anvil;
let proxy: RpcProxy;
const open: TestSession[] = [];

beforeAll(async () => {
  node = await startAnvil({ chainId: 40_901 });
  proxy = await startProxy(node.url);
});
afterAll(async () => {
  await proxy?.close();
  await node?.stop();
});
beforeEach(() => proxy.setFault(undefined));
afterEach(async () => {
  vi.useRealTimers();
  for (const { session } of open.splice(0)) await session.close();
});

const estimates = (gas: number) => async () => ({ result: `0x${gas.toString(16)}` });
const refuses = (code: number, message: string) => async () => ({ error: { code, message } });

async function enter(how: Misbehaviour, properties = {}): Promise<TestSession> {
  proxy.setFault(misbehaving(how));
  const actor = await openSession(ledgerOf([proxy.url], properties), keyOf(node));
  open.push(actor);
  return actor;
}

async function readinessOf({ session, wallet }: TestSession) {
  return (await session.check({ wallet, operation: transfer(other) })).readiness;
}

test.each<[string, Misbehaviour, object, string]>([
  ['a node that estimates 21,000 gas for a transfer', {}, {}, 'ready'],
  ['a node that estimates more', { eth_estimateGas: estimates(84_000) }, {}, 'estimate'],
  [
    'a node that estimates more, with `auto`',
    { eth_estimateGas: estimates(21_001) },
    { transfer_gas: 'auto' },
    'estimate',
  ],
  [
    'a node that estimates more, with `fixed`',
    { eth_estimateGas: estimates(84_000) },
    { transfer_gas: 'fixed' },
    'ready',
  ],
  ['a node that estimates 21,000 gas, with `estimate`', {}, { transfer_gas: 'estimate' }, 'estimate'],
  ['a node without the method', { eth_estimateGas: refuses(-32_601, 'method not found') }, {}, 'ready'],
  [
    'a node that refuses the estimate',
    { eth_estimateGas: refuses(-32_000, 'execution reverted') },
    {},
    'ready',
  ],
  ['a node that returns something else', { eth_estimateGas: async () => ({ result: 'much' }) }, {}, 'ready'],
])('checks whether a transfer is ready or needs an estimate: %s', async (_, how, properties, readiness) => {
  expect(await readinessOf(await enter(how, properties))).toBe(readiness);
});

test.each([
  ['with a sender', true],
  ['without a sender', false],
])('detects unusual transfer costs on a node that estimates only calls %s', async (_, needsSender) => {
  const actor = await enter({
    async eth_estimateGas({ params }) {
      const hasSender = Object(params[0]).from !== undefined;
      return hasSender === needsSender
        ? { result: '0x14820' }
        : { error: { code: -32_000, message: 'bad sender' } };
    },
  });
  expect(await readinessOf(actor)).toBe('estimate');
});

test('signs transfers and no-ops with the estimated gas on a chain with unusual transfer costs', async () => {
  const actor = await enter(
    { eth_estimateGas: estimates(84_000) },
    { presigned_replacements: true, max_bumps: 0 },
  );
  const { plan, attempts, main } = await sign(actor, transfer(other));
  expect(plan).toMatchObject({ gas: '100800' });
  expect(attempts.map(({ kind }) => kind)).toEqual(['main', 'noop']);
  const noop = attempts[1];
  expect(noop?.cost).toBeGreaterThan(main.cost ?? 0n);
});

test('detects once how much gas transfers cost, not for each transfer', async () => {
  let estimated = 0;
  const actor = await enter({
    eth_estimateGas(call, ask) {
      estimated += 1;
      return ask(call);
    },
  });
  await readinessOf(actor);
  const first = estimated;
  expect(first).toBeGreaterThan(0);
  await node.rpc('anvil_mine', ['0x3']);
  for (let index = 0; index < 5; index += 1) await readinessOf(actor);
  expect(estimated).toBe(first);
});

test('waits for a busy node instead of assuming that a transfer costs 21,000 gas', async () => {
  const actor = await enter({ eth_estimateGas: refuses(-32_005, 'limit exceeded') });
  await expect(readinessOf(actor)).rejects.toMatchObject({ code: 'unavailable' });
  proxy.setFault(misbehaving({ eth_estimateGas: estimates(84_000) }));
  await vi.waitFor(async () => expect(await readinessOf(actor)).toBe('estimate'), { timeout: 10_000 });
});

test('estimates the gas of transfers again after ten minutes, and keeps a higher cost until the chain changes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const actor = await enter({});
  expect(await readinessOf(actor)).toBe('ready');
  proxy.setFault(misbehaving({ eth_estimateGas: estimates(84_000) }));
  vi.setSystemTime(Date.now() + 9 * minutes);
  expect(await readinessOf(actor)).toBe('ready');
  vi.setSystemTime(Date.now() + 2 * minutes);
  expect(await readinessOf(actor)).toBe('estimate');
  proxy.setFault(undefined);
  vi.setSystemTime(Date.now() + 20 * minutes);
  expect(await readinessOf(actor)).toBe('estimate');
});
