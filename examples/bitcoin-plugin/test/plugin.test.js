// @ts-check
import { createTestSigner, prepareAndSign } from '@ledger-ops/adapter-kit/conformance';
import { expect, onTestFinished, test } from 'vitest';
import { coin as parameters } from '../src/networks.js';
import plugin from '../src/plugin.js';
import { decode } from '../src/transaction.js';
import {
  addressOf,
  configOf,
  dustOf,
  freshAddress,
  miner,
  native,
  openLedger,
  ownAddress,
  signer,
} from './harness.js';
import { openProxy } from './proxy.js';

/**
 * @import { ClaimingTransaction, LedgerSession, PrepareRequest, ReplaceRequest } from '@ledger-ops/adapter'
 * @import { SignedAttempt } from '@ledger-ops/adapter-kit/conformance'
 */

const wallet = {
  address: ownAddress('regtest'),
  material: { publicKey: Buffer.from(signer.publicKey).toString('hex') },
};
const recipient = freshAddress('regtest');

/** Multiplier for amounts and fee rates in tests. It grows with the lowest fee that nodes relay. */
const scale = parameters.relayRate;

/**
 * Opens a session on a ledger on which the wallet has final coins.
 * @param {Parameters<typeof openLedger>[0] & Record<string, string | number | bigint>} [options]
 * @param {Parameters<typeof openProxy>[1]} [answers] answers of a node that differs from the kit's
 */
async function setUp({ coins = 1, amount = 100_000n * scale, ...properties } = {}, answers = {}) {
  const { ledger, node } = await openLedger({ coins, amount });
  const proxy = await openProxy(node.url, answers);
  /** Methods that the plugin called. @type {string[]} */
  const calls = [];
  const requested = (/** @type {string} */ method) => void calls.push(method);
  const host = { now: Date.now, log: () => undefined, signal: new AbortController().signal, requested };
  const config = configOf(proxy.url, 'regtest', { confirmations: 1, ...properties });
  const session = await plugin.open(config, host);
  onTestFinished(async () => {
    await session.close();
    await proxy.close();
    await node.close();
  });
  return { ledger, node, session, calls };
}

/**
 * @param {LedgerSession} session
 * @param {bigint} amount
 * @param {readonly ClaimingTransaction[]} [unsettled]
 * @returns {Promise<PrepareRequest>}
 */
async function plan(session, amount, unsettled = []) {
  const operation = { type: /** @type {const} */ ('transfer'), recipient, amount, native };
  const checked = await session.check({ wallet, operation });
  const [estimated] = await session.estimate([{ wallet, plan: checked.plan, minHeight: 0 }]);
  if (estimated?.status !== 'ready') throw new Error(estimated?.problem.detail);
  return { actionId: 'action', wallet, plan: estimated.plan, unsettled };
}

/**
 * @param {LedgerSession} session
 * @param {bigint} amount
 * @param {readonly SignedAttempt[]} [others] unsettled transactions of the wallet
 */
async function sign(session, amount, others = []) {
  const unsettled = others.map(({ txId, claims = [] }) => ({ txId, claims }));
  const request = await plan(session, amount, unsettled);
  const [main] = await prepareAndSign(session, request, signer.sign);
  if (main === undefined) throw new Error('Nothing was signed.');
  return { request, main };
}

/**
 * @param {LedgerSession} session
 * @param {Omit<ReplaceRequest, 'raise' | 'signed'> & { signed: SignedAttempt[] }} request
 */
async function replace(session, request) {
  const [answer] = (await session.replace?.([{ ...request, raise: 'always' }])) ?? [];
  if (answer?.status !== 'prepared') throw new Error(JSON.stringify(answer));
  const { kind, round } = answer.attempt;
  if (round.done) throw new Error('A replacement is signed.');
  const signatures = round.requests.map((one) => signer.sign(one));
  const [next] = await session.advance([{ state: round.state, signatures }]);
  if (next?.done !== true) throw new Error('A replacement takes one round.');
  return { kind, ...next.result };
}

/** @param {SignedAttempt} attempt */
const amountsOf = ({ bytes }) => decode(bytes).outputs.map(({ amount }) => amount);

test('a transfer returns the change to the wallet and pays the estimated fee', async () => {
  const { ledger, session } = await setUp();
  ledger.feeRate = 7n * scale;
  const { main } = await sign(session, 40_000n * scale);
  const [paid, change = 0n] = amountsOf(main);
  expect(paid).toBe(40_000n * scale);
  const fee = (100_000n - 40_000n) * scale - change;
  expect(main.cost).toBe(40_000n * scale + fee);
  const { size } = decode(main.bytes);
  expect(fee).toBeGreaterThanOrEqual(7n * scale * size);
  expect(fee).toBeLessThanOrEqual(7n * scale * (size + 2n));
  await session.submit([main]);
  ledger.mine();
  expect(await session.balances([wallet.address, recipient])).toEqual([change, 40_000n * scale]);
});

test('change that would be dust is paid as a fee', async () => {
  const { session } = await setUp();
  const { main } = await sign(session, 99_500n * scale);
  expect(amountsOf(main)).toEqual([99_500n * scale]);
  expect(main.cost).toBe(100_000n * scale);
});

test('a transfer spends only as many coins as the amount requires', async () => {
  const { session } = await setUp({ coins: 5 });
  const { main } = await sign(session, 250_000n * scale);
  expect(main.claims).toHaveLength(3);
  expect(new Set(main.claims).size).toBe(3);
});

test('a transfer spends unconfirmed change if no other coins are left, and lists its transaction in `needs`', async () => {
  const { ledger, session } = await setUp();
  const first = await sign(session, 20_000n * scale);
  await session.submit([first.main]);
  const second = await sign(session, 20_000n * scale, [first.main]);
  const needs = [{ txId: first.main.txId, claims: first.main.claims }];
  expect(second.main).toMatchObject({ claims: [`${first.main.txId}:1`], needs });
  expect(await session.submit([second.main])).toMatchObject([{ status: 'accepted' }]);
  ledger.mine();
  expect(await session.balances([recipient])).toEqual([40_000n * scale]);
});

test('a transaction is superseded if a reorg replaces the deposit whose coin it spends', async () => {
  const { ledger, session } = await setUp({ coins: 0, confirmations: 2 });
  const coin = ledger.fund(addressOf(miner, 'regtest'), 100_000n * scale);
  ledger.mine();
  const { privateKey } = miner;
  const deposit = ledger.signOutside({ privateKey, coins: [coin], recipient: wallet.address });
  ledger.include(deposit.bytes);
  ledger.mine(2);
  const { main } = await sign(session, 20_000n * scale);
  expect(main.needs?.[0]).toEqual({ txId: deposit.txId, claims: [coin] });
  const { claims = [], needs = [] } = main;
  const pending = new Map([[main.txId, { address: wallet.address, claims, needs }]]);
  const { cursor } = await session.confirm({ cursor: null, pending });
  ledger.reorganise(2, 'vanish');
  const other = ledger.signOutside({ privateKey, coins: [coin], recipient });
  ledger.include(other.bytes);
  ledger.mine();
  expect((await session.confirm({ cursor: null, pending })).outcomes).toEqual([]);
  ledger.mine(2);
  const outcome = { txId: main.txId, status: 'superseded', claim: coin, by: other.txId };
  for (const from of [cursor, null])
    expect((await session.confirm({ cursor: from, pending })).outcomes).toMatchObject([outcome]);
});

test('a transaction is superseded if a reorg replaces a parent of the deposit whose coin it spends', async () => {
  const { ledger, session } = await setUp({ coins: 0, confirmations: 2 });
  const stranger = createTestSigner('secp256k1');
  const coin = ledger.fund(addressOf(miner, 'regtest'), 100_000n * scale);
  ledger.mine();
  const { privateKey } = miner;
  const grandparent = ledger.signOutside({
    ...{ privateKey, coins: [coin], recipient: addressOf(stranger, 'regtest') },
  });
  ledger.include(grandparent.bytes);
  ledger.mine();
  const between = `${grandparent.txId}:0`;
  const deposit = ledger.signOutside({ ...stranger, coins: [between], recipient: wallet.address });
  ledger.include(deposit.bytes);
  ledger.mine(2);
  const { main } = await sign(session, 20_000n * scale);
  const { claims = [], needs = [] } = main;
  const pending = new Map([[main.txId, { address: wallet.address, claims, needs }]]);
  const { cursor } = await session.confirm({ cursor: null, pending });
  ledger.reorganise(3, 'vanish');
  const other = ledger.signOutside({ privateKey, coins: [coin], recipient });
  ledger.include(other.bytes);
  ledger.mine(4);
  const outcome = { txId: main.txId, status: 'superseded', claim: coin, by: other.txId };
  for (const from of [cursor, null])
    expect((await session.confirm({ cursor: from, pending })).outcomes).toMatchObject([outcome]);
  expect(needs).toContainEqual({ txId: deposit.txId, claims: [between] });
});

test('a search for the transaction that spent a coin reads each block once', async () => {
  const { ledger, session, calls } = await setUp({ confirmations: 2 });
  ledger.mine();
  const { main } = await sign(session, 20_000n * scale);
  const { claims = [] } = main;
  const pending = new Map([[main.txId, { address: wallet.address, claims }]]);
  const { privateKey } = signer;
  const other = ledger.signOutside({ privateKey, coins: claims, recipient });
  ledger.include(other.bytes);
  ledger.mine(20);
  const search = async () => {
    const before = calls.length;
    const { outcomes, cursor } = await session.confirm({ cursor: null, pending });
    expect(outcomes).toMatchObject([{ txId: main.txId, status: 'superseded', by: other.txId }]);
    return { cursor, read: calls.slice(before).filter((method) => method === 'getblock').length };
  };
  const first = await search();
  expect(first.read).toBe(20);
  expect((await search()).read).toBe(0);
  ledger.mine(9);
  await session.confirm({ cursor: first.cursor, pending });
  // `confirm` has read the other new blocks. The newest one was not deep enough.
  expect((await search()).read).toBe(1);
});

test('the parents of the wallet’s own transactions are not listed in `needs`', async () => {
  const { ledger, session } = await setUp();
  const first = await sign(session, 20_000n * scale);
  await session.submit([first.main]);
  ledger.mine();
  const second = await sign(session, 20_000n * scale);
  expect(second.main.needs).toEqual([{ txId: first.main.txId, claims: first.main.claims }]);
});

test('transactions that are too deep for a reorg are not listed in `needs`', async () => {
  const { ledger, session } = await setUp();
  ledger.mine(parameters.deepest - 1);
  expect(await sign(session, 20_000n * scale)).not.toHaveProperty('main.needs');
});

test('change of a transaction that has a replacement is not spent', async () => {
  const { session } = await setUp();
  const { request, main } = await sign(session, 20_000n * scale);
  await session.submit([main]);
  const bump = await replace(session, { ...request, signed: [main], kind: 'bump' });
  await session.submit([bump]);
  await expect(sign(session, 20_000n * scale, [main, bump])).rejects.toThrow(/coins are in use/);
});

test('a transfer waits if the coins are in use, and fails if the wallet has too little', async () => {
  const { session } = await setUp();
  const { main } = await sign(session, 20_000n * scale);
  const unsettled = [{ txId: main.txId, claims: main.claims ?? [] }];
  const waiting = session.prepare([await plan(session, 20_000n * scale, unsettled)]);
  await expect(waiting).rejects.toMatchObject({ problem: { code: 'unavailable' } });
  const [poor] = await session.prepare([await plan(session, 200_000n * scale)]);
  expect(poor).toMatchObject({ status: 'failed', problem: { code: 'insufficient-funds' } });
});

test('a transfer does not spend a coin that a transaction of another program spends', async () => {
  const { ledger, session } = await setUp({ coins: 2 });
  const [coin] = ledger.coinsOf(wallet.address);
  const { privateKey } = signer;
  const other = ledger.signOutside({ privateKey, coins: [coin?.id ?? ''], recipient, fee: 500n * scale });
  expect(ledger.submit(other.bytes)).toMatchObject({ status: 'accepted' });
  const { main } = await sign(session, 20_000n * scale);
  expect(main.claims).not.toContain(coin?.id);
});

test('does not spend such a coin on a node without gettxspendingprevout', async () => {
  const unknown = { error: { code: -32601, message: 'Method not found' } };
  const { ledger, session } = await setUp({ coins: 2 }, { gettxspendingprevout: unknown });
  const [coin] = ledger.coinsOf(wallet.address);
  const { privateKey } = signer;
  const other = ledger.signOutside({ privateKey, coins: [coin?.id ?? ''], recipient, fee: 500n * scale });
  expect(ledger.submit(other.bytes)).toMatchObject({ status: 'accepted' });
  const { main } = await sign(session, 20_000n * scale);
  expect(main.claims).toHaveLength(1);
  expect(main.claims).not.toContain(coin?.id);
});

test('refuses amounts below the dust limit of the recipient’s address, and names the limit', async () => {
  const { session } = await setUp();
  const least = dustOf(recipient, 'regtest');
  await expect(plan(session, least - 1n)).rejects.toThrow(`/amount must be at least ${least} satoshi`);
  expect((await plan(session, least)).plan.amount).toBe(`${least}`);
});

test('a transfer waits while the network requires more than max_fee_rate', async () => {
  const { ledger, session } = await setUp({ max_fee_rate: Number(10n * scale) });
  ledger.feeRate = 11n * scale;
  await expect(plan(session, 20_000n * scale)).rejects.toThrow(
    `The network requires ${11n * scale} satoshi per virtual byte, but max_fee_rate is ${10n * scale}.`,
  );
});

test('a replacement waits if it would exceed max_fee_rate, or if the coins do not cover its fee', async () => {
  const { ledger, session } = await setUp({ max_fee_rate: Number(600n * scale) });
  const { request, main } = await sign(session, 90_000n * scale);
  const late = { ...request, signed: [main], raise: /** @type {const} */ ('always') };
  ledger.feeRate = 601n * scale;
  const capped = await session.replace?.([{ ...late, kind: 'bump' }]);
  expect(capped).toMatchObject([{ status: 'wait', problem: { code: 'fee-above-cap' } }]);
  ledger.feeRate = 100n * scale;
  const poor = await session.replace?.([{ ...late, kind: 'bump' }]);
  expect(poor).toMatchObject([{ status: 'wait', problem: { code: 'insufficient-funds' } }]);
});

test('a fee bump reduces the change, or spends another coin if the change is too small', async () => {
  const { ledger, session } = await setUp({ coins: 2 });
  const first = await sign(session, 50_000n * scale);
  await session.submit([first.main]);
  const bump = await replace(session, { ...first.request, signed: [first.main], kind: 'bump' });
  expect(bump.claims).toEqual(first.main.claims);
  expect(await session.submit([bump])).toMatchObject([{ status: 'accepted' }]);
  ledger.mine();
  const second = await sign(session, 99_000n * scale);
  await session.submit([second.main]);
  ledger.feeRate = 20n * scale;
  const larger = await replace(session, { ...second.request, signed: [second.main], kind: 'bump' });
  expect(larger.claims?.slice(0, 1)).toEqual(second.main.claims);
  expect(larger.claims).toHaveLength(2);
  expect(await session.submit([larger])).toMatchObject([{ status: 'accepted' }]);
});

test('the no-op pays the coins back to the wallet', async () => {
  const { ledger, session } = await setUp();
  const { request, main } = await sign(session, 50_000n * scale);
  await session.submit([main]);
  const noop = await replace(session, { ...request, signed: [main], kind: 'noop' });
  await session.submit([noop]);
  ledger.mine();
  expect(await session.balances([recipient])).toEqual([0n]);
  expect(await session.balances([wallet.address])).toEqual([100_000n * scale - noop.cost]);
});

test('reports whether a refused fee is below the node’s minimum or too low for a replacement', async () => {
  const { ledger, session } = await setUp();
  const { request, main } = await sign(session, 50_000n * scale);
  ledger.feeFloor = 50n * scale;
  expect(await session.submit([main])).toMatchObject([{ status: 'refused', feeTooLow: 'minimum' }]);
  ledger.feeFloor = scale;
  const bump = await replace(session, { ...request, signed: [main], kind: 'bump' });
  await session.submit([bump]);
  expect(await session.submit([main])).toMatchObject([{ status: 'refused', feeTooLow: 'outbid' }]);
});

test('a transaction whose coin was spent is refused with this reason', async () => {
  const { ledger, session } = await setUp();
  const { main } = await sign(session, 50_000n * scale);
  const { privateKey } = signer;
  ledger.include(ledger.signOutside({ privateKey, coins: [...(main.claims ?? [])], recipient }).bytes);
  ledger.mine();
  expect(await session.submit([main])).toMatchObject([
    { status: 'refused', problem: { detail: expect.stringContaining('does not know a coin') } },
  ]);
});

test('a node of another network is refused', async () => {
  const { node } = await setUp();
  const host = { now: Date.now, log: () => undefined, signal: new AbortController().signal };
  const session = await plugin.open(configOf(node.url, 'mainnet'), host);
  onTestFinished(() => session.close());
  await expect(session.chain()).rejects.toMatchObject({ problem: { code: 'wrong-chain' } });
});

test('the fee rate is fallback_fee_rate if the node has no estimate', async () => {
  const { ledger, session } = await setUp({ fallback_fee_rate: Number(9n * scale) });
  ledger.feeRate = 0n;
  expect((await plan(session, 20_000n * scale)).plan.feeRate).toBe(`${9n * scale}`);
});

test('uses fallback_fee_rate if the node reports -1 instead of an estimate', async () => {
  const none = { result: { feerate: -1, blocks: 6 } };
  const { session } = await setUp({ fallback_fee_rate: Number(9n * scale) }, { estimatesmartfee: none });
  expect((await plan(session, 20_000n * scale)).plan.feeRate).toBe(`${9n * scale}`);
});
