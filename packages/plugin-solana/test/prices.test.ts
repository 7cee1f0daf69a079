import type { EstimateRequest, FeeRaise, JsonObject } from '@ledger-ops/adapter';
import { type RpcProxy, startProxy } from '@ledger-ops/devnet';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fund, furnish, recipient, transferOf } from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, pendingOf, sign } from './stage.ts';

let ledger: SolanaProcess;
let first: RpcProxy;
let second: RpcProxy;
const actors: Actor[] = [];
const method = 'getRecentPrioritizationFees';

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
  [first, second] = await Promise.all([startProxy(ledger.url), startProxy(ledger.url)]);
});
afterEach(async () => {
  first.setFault(undefined);
  second.setFault(undefined);
  await Promise.all(actors.splice(0).map(({ session }) => session.close()));
});
afterAll(async () => {
  await first?.close();
  await second?.close();
  await ledger?.stop();
});

async function open(urls: readonly string[], properties = {}): Promise<Actor> {
  const actor = await openActor(ledgerOf(urls, properties));
  actors.push(actor);
  await fund(ledger, actor.wallet.address, 10_000_000_000);
  return actor;
}

/**
 * Makes a node answer `getRecentPrioritizationFees` with this HTTP status and body: a string, or a value that is sent
 * as JSON.
 */
function answerFees(proxy: RpcProxy, status: number, body: (id: number) => unknown): void {
  proxy.setFault(([call], _forward, response) => {
    if (call?.method !== method) return undefined;
    response.writeHead(status, { 'content-type': 'application/json' });
    const answer = body(call.id);
    return typeof answer === 'string' ? answer : JSON.stringify(answer);
  });
}

const fees = (prices: number[]) => (id: number) => ({
  ...{ jsonrpc: '2.0', id },
  result: prices.map((prioritizationFee, slot) => ({ slot, prioritizationFee })),
});

describe('a node without getRecentPrioritizationFees', () => {
  const missing = (id: number) => ({ error: { code: -32_601, message: 'Method not found' }, id });

  test.each([
    ['an error with HTTP status 200', 200, missing],
    ['an error with HTTP status 403', 403, missing],
    ['an error of its provider', 200, (id: number) => ({ id, error: { code: -32_000, message: 'plan' } })],
    ['an HTML page with HTTP status 403', 403, () => '<html>forbidden</html>'],
    ['HTTP status 404 and no body', 404, () => ''],
    ['the result null', 200, (id: number) => ({ jsonrpc: '2.0', id, result: null })],
  ])('if a node answers with %s, the price is 0 and a warning names the remedy', async (_, status, body) => {
    const actor = await open([first.url]);
    answerFees(first, status, body);
    const main = await sign(actor, transferOf(recipient, 5n));
    expect(main.cost).toBe(5_005n);
    await actor.session.submit([main]);
    await ledger.rpc('devnet_mine', [3]);
    const { outcomes, warnings } = await actor.session.confirm({
      cursor: null,
      pending: pendingOf(actor, [main]),
    });
    expect(outcomes).toMatchObject([{ status: 'succeeded', fee: 5_000n }]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /Node node-1 answered getRecentPrioritizationFees with .*Set the ledger property compute_unit_price/,
      ),
    ]);
  });

  test('a node without getRecentPrioritizationFees is queried once, not for each transaction', async () => {
    const actor = await open([first.url]);
    answerFees(first, 200, missing);
    const before = first.methods.filter((one) => one === method).length;
    for (const amount of [1n, 2n, 3n]) await sign(actor, transferOf(recipient, amount));
    expect(first.methods.filter((one) => one === method).length - before).toBe(1);
  });

  test('if one node lacks getRecentPrioritizationFees, uses the price of another node', async () => {
    const actor = await open([first.url, second.url]);
    answerFees(first, 200, missing);
    answerFees(second, 200, fees([7_000_000]));
    const main = await sign(actor, transferOf(recipient, 5n));
    expect(main.cost).toBeGreaterThan(5_005n);
    const { warnings } = await actor.session.confirm({ cursor: null, pending: new Map() });
    expect(warnings).toEqual([expect.stringContaining('node-1')]);
  });

  test('with a compute_unit_price, does not call getRecentPrioritizationFees and shows no warning', async () => {
    const actor = await open([first.url], { compute_unit_price: '1000' });
    answerFees(first, 200, missing);
    await sign(actor, transferOf(recipient));
    const { warnings } = await actor.session.confirm({ cursor: null, pending: new Map() });
    expect(warnings ?? []).toEqual([]);
  });
});

describe('after a transaction expired', () => {
  async function estimate(
    { session, wallet }: Actor,
    request: Partial<EstimateRequest> & { plan: JsonObject },
  ) {
    const [estimated] = await session.estimate([{ wallet, minHeight: 0, ...request }]);
    if (estimated?.status !== 'ready') throw new Error(JSON.stringify(estimated));
    return { plan: estimated.plan, fee: (estimated.cost ?? 0n) - 5n - 5_000n };
  }

  const planOf = async (actor: Actor, content = {}) => {
    const operation = { ...transferOf(recipient, 5n), native: { technology: 'solana', content } };
    return (await actor.session.check({ wallet: actor.wallet, operation })).plan;
  };

  async function feesOf(actor: Actor, raise: FeeRaise, times: number, content = {}): Promise<bigint[]> {
    let { plan, fee } = await estimate(actor, { plan: await planOf(actor, content) });
    const all = [fee];
    for (let time = 0; time < times; time += 1) {
      ({ plan, fee } = await estimate(actor, { plan, raise }));
      all.push(fee);
    }
    return all;
  }

  const near = (lamports: number) => ({
    asymmetricMatch: (fee: bigint) => Number(fee) >= lamports - 1 && Number(fee) <= lamports + 1,
  });

  test('each transaction after an expired one pays a higher price, up to priority_fee_cap', async () => {
    const actor = await open([first.url], { priority_fee_cap: 80_000 });
    answerFees(first, 200, fees([0]));
    const all = await feesOf(actor, { reason: 'expired' }, 6);
    expect(all).toEqual([0, 5_000, 10_000, 20_000, 40_000, 80_000, 80_000].map(near));
  });

  test('the next transaction after an expired one pays the recent price if that is higher', async () => {
    const actor = await open([first.url], { priority_fee_cap: 80_000 });
    answerFees(first, 200, fees([0]));
    const { plan } = await estimate(actor, { plan: await planOf(actor) });
    answerFees(first, 200, fees([1_000_000_000]));
    expect((await estimate(actor, { plan, raise: { reason: 'expired' } })).fee).toEqual(near(80_000));
  });

  test('a speed-up request raises the price by two steps, within the requested cap', async () => {
    const actor = await open([first.url], { priority_fee_cap: 80_000 });
    answerFees(first, 200, fees([0]));
    expect(await feesOf(actor, { reason: 'hurried' }, 2)).toEqual([0, 20_000, 80_000].map(near));
    const cap = 1_000n;
    const [, bounded] = await feesOf(actor, { reason: 'hurried', cap }, 1);
    expect(bounded).toBeLessThan(10n);
  });

  test.each([
    ['ledger’s properties', { compute_unit_price: '2000000' }, {}],
    ['operation’s content', {}, { computeUnitPrice: '2000000' }],
  ])('a price set in the %s is raised only by a speed-up request', async (_, properties, content) => {
    const actor = await open([first.url], { priority_fee_cap: 80_000, ...properties });
    const [before = 0n, after] = await feesOf(actor, { reason: 'expired' }, 1, content);
    expect(before).toBeGreaterThan(0n);
    expect(after).toBe(before);
    expect((await feesOf(actor, { reason: 'hurried' }, 1, content))[1]).toEqual(near(20_000));
  });

  test('with a priority_fee_cap of 0, the price is not raised after an expiry', async () => {
    const actor = await open([first.url], { priority_fee_cap: 0 });
    expect(await feesOf(actor, { reason: 'expired' }, 2)).toEqual([0n, 0n, 0n]);
    expect(await feesOf(actor, { reason: 'hurried' }, 2)).toEqual([0n, 0n, 0n]);
  });

  test('estimates compute units again after an expiry', async () => {
    const actor = await open([first.url]);
    const { plan } = await estimate(actor, { plan: await planOf(actor) });
    const used = { ...plan, estimated: { units: 100, price: '0' } };
    const { plan: next } = await estimate(actor, { plan: used, raise: { reason: 'expired' } });
    expect(next).toMatchObject({ estimated: { units: expect.any(Number) } });
    expect(Object(next.estimated).units).toBeGreaterThan(100);
  });
});
