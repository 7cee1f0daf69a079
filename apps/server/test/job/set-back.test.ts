// A database is restored to an earlier state. Only the ledger shows what its wallets have sent since.
import { type Anvil, misbehaving, type RpcProxy, startAnvil, startProxy, wrongs } from '@ledger-ops/devnet';
import { noPostgresPrograms, RecoverablePostgres } from '@ledger-ops/store/testing';
import { Transaction, Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { isFaultsRun, selectCases } from '../../../../testing/faults.ts';
import { startReceiver } from '../events/receiver.ts';
import { balanceOf, freshAddress, nonceOf } from './chain.ts';
import { createProduct, type Product, type TestWallet, transferTo } from './product.ts';
import { readSuspensions, readUnknown, type Suspension, withPool } from './set-back-run.ts';
import { dumpSnapshots, loseHeartbeat, type Snapshots, sqliteSnapshots } from './snapshots.ts';

let anvil: Anvil;
/** The node that the server uses. Like geth, it shows an account's transactions in its mempool. */
let node: RpcProxy;
let postgres: RecoverablePostgres | undefined;
/** One server on SQLite for all tests, each of which has its own wallets, or a server on PostgreSQL for a single test. */
let product: Product;
let snapshots: Snapshots;
let sqlite: { product: Product; snapshots: Snapshots } | undefined;
/** Suspensions of earlier tests. */
let before: readonly string[];

beforeAll(async () => {
  anvil = await startAnvil();
  node = await startProxy(anvil.url);
  node.setFault(misbehaving(withPool));
});

afterAll(async () => {
  await sqlite?.product.stop();
  await sqlite?.snapshots.remove();
  await node?.close();
  await anvil?.stop();
});

afterEach(async () => {
  if (postgres === undefined) return;
  await product.stop();
  await snapshots.remove();
  await postgres.stop();
  postgres = undefined;
});

const options = {
  rpcUrl: () => node.url,
  timing: { lease: 2_000, gapPatience: 2_000 },
  webhookTiming: { look: 50, lease: 1_000, again: { first: 50, longest: 500 } },
};

async function start(dialect: 'sqlite' | 'postgres'): Promise<void> {
  if (dialect === 'postgres') {
    const running = await RecoverablePostgres.start();
    postgres = running;
    product = createProduct({ ...options, databaseUrl: () => running.url });
    snapshots = dumpSnapshots(running);
    await product.start();
  } else {
    ({ product, snapshots } = sqlite ??= await startSqlite());
  }
  await anvil.rpc('evm_setIntervalMining', [1]);
  before = (await readSuspensions(product)).map(({ suspensionId }) => suspensionId);
}

async function startSqlite() {
  const product = createProduct(options);
  await product.start();
  return { product, snapshots: sqliteSnapshots(product.folder) };
}

/** Suspensions since the start of the test. */
async function newSuspensions(): Promise<Suspension[]> {
  return (await readSuspensions(product)).filter(({ suspensionId }) => !before.includes(suspensionId));
}

/** Restores the last snapshot. Only the ledger shows this. On PostgreSQL, a deployer says that the database was moved. */
async function restoreSnapshot(): Promise<void> {
  await product.terminate();
  await snapshots.restore();
  loseHeartbeat(product.folder);
  if (postgres !== undefined) await product.adopt('moved');
  await product.start();
}

async function send(
  wallet: TestWallet,
  to: string,
  amount: number,
  more = {},
  key?: string,
): Promise<string> {
  const body = { ...transferTo(wallet, to, amount), ...more };
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  const answer = await product.call('POST', '/v1/ledger-ops/send', body, headers);
  expect(answer).toMatchObject({ status: 201 });
  return String(answer.body.actionId);
}

async function waitUntilSuspended({ walletId }: TestWallet): Promise<Suspension> {
  await expect.poll(newSuspensions, { timeout: 60_000 }).toHaveLength(1);
  const [one] = await newSuspensions();
  expect(one).toMatchObject({ walletId, createdBy: 'ledger-ops', cause: 'unknown-transactions' });
  return one as Suspension;
}

const dialects = ['sqlite', 'postgres'] as const;

test.for(selectCases(dialects, (dialect) => dialect === 'sqlite'))(
  '%s: a dependent payment is not paid again after the database was restored to an earlier state',
  { timeout: 120_000 },
  async (dialect, { skip }) => {
    if (dialect === 'postgres') skip(noPostgresPrograms !== undefined, noPostgresPrograms);
    await start(dialect);
    const wallet = await product.wallet({ exclusive: true });
    const [first, second] = [freshAddress(), freshAddress()];
    await anvil.rpc('evm_setIntervalMining', [0]);
    const earlier = await send(wallet, first, 3);
    const dependent = await send(wallet, second, 5, { dependencies: [earlier] });
    await snapshots.take();
    await anvil.rpc('evm_setIntervalMining', [1]);
    const [paid] = await product.ended([dependent]);
    expect(paid).toMatchObject({ status: 'SUCCEEDED' });

    await restoreSnapshot();
    const { suspensionId } = await waitUntilSuspended(wallet);
    await product.waitsFor(dependent, 'unknown transactions');
    expect(await balanceOf(anvil, second)).toBe(5n);
    expect(await readUnknown(product, wallet.walletId)).toEqual([
      expect.objectContaining({ sequence: 1, txId: paid?.locator, matches: [dependent] }),
    ]);

    const other = await product.call('POST', `/v1/ledger-ops/actions/${dependent}/executed`, {
      txId: (await product.actions([earlier]))[0]?.locator,
    });
    expect(other).toMatchObject({ status: 400 });
    const marked = await product.call('POST', `/v1/ledger-ops/actions/${dependent}/executed`, {
      txId: paid?.locator,
    });
    expect(marked).toMatchObject({ status: 200, body: { status: 'SUCCEEDED', locator: paid?.locator } });
    await product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
    const [later] = await product.ended([await send(wallet, first, 1)]);
    expect(later).toMatchObject({ status: 'SUCCEEDED' });
    expect(await balanceOf(anvil, second)).toBe(5n);
    expect(await nonceOf(anvil, wallet.address)).toBe(3);
    expect(await newSuspensions()).toEqual([]);
  },
);

test('a payment accepted after the database snapshot is not paid again if its client retries with the Idempotency-Key', async () => {
  await start('sqlite');
  const wallet = await product.wallet({ exclusive: true });
  const target = freshAddress();
  await snapshots.take();
  const [paid] = await product.ended([await send(wallet, target, 7, {}, 'key-1')]);
  await restoreSnapshot();
  const repeated = await send(wallet, target, 7, {}, 'key-1');
  const { suspensionId } = await waitUntilSuspended(wallet);
  const found = await readUnknown(product, wallet.walletId);
  expect(found).toEqual([expect.objectContaining({ sequence: 0, txId: paid?.locator, matches: [repeated] })]);
  const marked = await product.call('POST', `/v1/ledger-ops/actions/${repeated}/executed`, {
    txId: paid?.locator,
  });
  expect(marked).toMatchObject({ status: 200, body: { status: 'SUCCEEDED' } });
  const explained = await product.call('GET', `/v1/ledger-ops/actions/${repeated}/explain`);
  expect(JSON.stringify(explained.body)).toContain('by a transaction of another program');
  await product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
  expect(await balanceOf(anvil, target)).toBe(7n);
}, 120_000);

// Skipped by `npm test`, because unknown-transactions.test.ts of the runtime covers this case.
test.for(selectCases(dialects, () => false))(
  '%s: after the database was restored and adopted, even a wallet with nothing to sign is suspended soon after startup',
  { timeout: 120_000 },
  async (dialect, { skip }) => {
    if (dialect === 'postgres') skip(noPostgresPrograms !== undefined, noPostgresPrograms);
    await start(dialect);
    const wallet = await product.wallet({ exclusive: true });
    const target = freshAddress();
    await product.ended([await send(wallet, target, 1)]);
    await snapshots.take();
    const forgotten = [await send(wallet, target, 2), await send(wallet, target, 3)];
    await product.ended(forgotten);
    await product.terminate();
    await snapshots.restore();
    await product.adopt('restored');
    await product.start();
    await waitUntilSuspended(wallet);
    expect(await readUnknown(product, wallet.walletId)).toEqual([
      expect.objectContaining({ sequence: 1, txId: expect.any(String), matches: [] }),
      expect.objectContaining({ sequence: 2, txId: expect.any(String), matches: [] }),
    ]);
  },
);

// Skipped by `npm test`, because resume-guard.test.ts covers this case.
test.runIf(isFaultsRun)(
  'a wallet whose key another program also uses is suspended, and pays once after it is resumed',
  async () => {
    await start('sqlite');
    const wallet = await product.wallet({ exclusive: true });
    const target = freshAddress();
    const elsewhere = new Wallet(wallet.privateKey);
    const raw = await elsewhere.signTransaction({
      ...{ chainId: 31_337, nonce: 0, to: freshAddress(), value: 9n, gasLimit: 21_000n },
      ...{ type: 2, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n },
    });
    await anvil.rpc('eth_sendRawTransaction', [raw]);
    const id = await send(wallet, target, 4);
    const { suspensionId } = await waitUntilSuspended(wallet);
    expect(await readUnknown(product, wallet.walletId)).toEqual([
      expect.objectContaining({ sequence: 0, notCompared: null, matches: [] }),
    ]);
    await product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
    const [end] = await product.ended([id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED' });
    expect([await balanceOf(anvil, target), await nonceOf(anvil, wallet.address)]).toEqual([4n, 2]);
  },
  120_000,
);

test('after a restore, sent transactions that wait for a missing nonce suspend the wallet and are not paid again', async () => {
  await start('sqlite');
  const wallet = await product.wallet({ exclusive: true });
  const targets = [freshAddress(), freshAddress(), freshAddress()] as const;
  await snapshots.take();
  await anvil.rpc('evm_setIntervalMining', [0]);
  // The node loses the first transaction.
  const { eth_sendRawTransaction: swallow } = wrongs.swallow();
  node.setFault(
    misbehaving({
      ...withPool,
      eth_sendRawTransaction: async (call, ask) =>
        Transaction.from(String(call.params[0])).nonce === 0 && swallow !== undefined
          ? await swallow(call, ask)
          : await ask(call),
    }),
  );
  const pay = (index: 0 | 1 | 2) => send(wallet, targets[index], index + 1, {}, `gap-${index}`);
  await pay(0);
  await pay(1);
  await pay(2);
  const pooled = () => anvil.rpc<Record<string, string>>('txpool_status');
  await expect.poll(pooled).toEqual({ pending: '0x0', queued: '0x2' });
  await restoreSnapshot();
  node.setFault(misbehaving(withPool));

  // The client repeats its requests in a different order.
  const [second, third, again] = [await pay(1), await pay(2), await pay(0)];
  const { suspensionId } = await waitUntilSuspended(wallet);
  const unknown = await readUnknown(product, wallet.walletId);
  expect(unknown).toEqual([
    // No node shows a transaction with this nonce, so it may have executed any of these payments.
    expect.objectContaining({ sequence: 0, txId: null, matches: [second, third, again] }),
    expect.objectContaining({ sequence: 1, txId: expect.any(String), matches: [second] }),
    expect.objectContaining({ sequence: 2, txId: expect.any(String), matches: [third] }),
  ]);
  // The payments are executed once another transaction has the nonce 0.
  for (const waiting of [second, third]) {
    const canceled = await product.call('POST', `/v1/ledger-ops/actions/${waiting}/cancel`, {});
    expect(canceled).toMatchObject({ status: 200 });
    expect(JSON.stringify(canceled.body)).toContain('one of them may have executed the action');
  }
  const release = { transactions: unknown.slice(0, 1).map(({ id }) => id) };
  expect(await product.call('POST', `/v1/ledger-ops/actions/${again}/release`, release)).toMatchObject({
    status: 200,
  });
  const resumed = await product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
  expect(resumed.status).toBe(204);
  await anvil.rpc('evm_setIntervalMining', [1]);
  expect(await product.ended([again])).toMatchObject([{ status: 'SUCCEEDED' }]);
  await expect.poll(() => nonceOf(anvil, wallet.address)).toBe(3);
  for (const [index, target] of targets.entries())
    expect(await balanceOf(anvil, target)).toBe(BigInt(index + 1));
}, 120_000);

test('after a restore, canceling a payment of a wallet not yet compared reports that it may have been executed', async () => {
  await start('sqlite');
  const wallet = await product.wallet({ exclusive: true });
  const body = { walletId: wallet.walletId, reason: 'Maintenance.' };
  const { body: made } = await product.call<Suspension>('POST', '/v1/ledger-ops/suspensions', body);
  const target = freshAddress();
  const id = await send(wallet, target, 6);
  const dependent = await send(wallet, target, 7, { dependencies: [id] });
  await snapshots.take();
  await product.call('DELETE', `/v1/ledger-ops/suspensions/${made.suspensionId}`);
  await product.ended([id, dependent]);
  await restoreSnapshot();
  // Its wallet is still suspended and has never signed, so nothing else compares it.
  const canceled = await product.call('POST', `/v1/ledger-ops/actions/${id}/cancel`, {});
  expect(canceled).toMatchObject({ status: 200, body: { status: 'FAILED' } });
  const ends = await product.actions([id, dependent]);
  expect(ends.map(({ problem }) => problem?.detail)).toEqual([
    expect.stringContaining('one of them may have executed the action'),
    expect.stringContaining('one of them may have executed the action'),
  ]);
  for (const actionId of [id, dependent]) {
    const explained = JSON.stringify(
      (await product.call('GET', `/v1/ledger-ops/actions/${actionId}/explain`)).body,
    );
    expect(explained).toContain('The ledger may have executed the action');
    expect(explained).toContain(`/v1/cloud-wallet/wallets/${wallet.walletId}/unknown-transactions`);
    expect(explained).not.toContain('the ledger is unchanged');
  }
  expect(await newSuspensions()).toMatchObject([{ cause: 'unknown-transactions' }]);
}, 120_000);

test('after a restore, a webhook receives the events since the snapshot again, with different event ids', async () => {
  const receiver = await startReceiver();
  try {
    await start('sqlite');
    const wallet = await product.wallet({ exclusive: true });
    const made = await product.call<{ secret: string }>('POST', '/v1/webhooks', { url: receiver.url });
    receiver.secret = made.body.secret;
    await anvil.rpc('evm_setIntervalMining', [0]);
    const earlier = await send(wallet, freshAddress(), 3);
    const target = freshAddress();
    const dependent = await send(wallet, target, 5, { dependencies: [earlier] });
    await snapshots.take();
    await anvil.rpc('evm_setIntervalMining', [1]);
    const [paid] = await product.ended([dependent]);
    const told = () =>
      receiver.received.filter(
        ({ type, data }) => type === 'action.succeeded' && data.actionId === dependent,
      );
    await expect.poll(told).toHaveLength(1);
    await restoreSnapshot();
    const { suspensionId } = await waitUntilSuspended(wallet);
    const txId = paid?.locator;
    await expect
      .poll(() => product.call('POST', `/v1/ledger-ops/actions/${dependent}/executed`, { txId }))
      .toMatchObject({ status: 200 });
    await product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
    await expect.poll(told).toHaveLength(2);
    const [before, after] = told();
    expect(after?.id).not.toBe(before?.id);
    expect(await balanceOf(anvil, target)).toBe(5n);
  } finally {
    await receiver.close();
  }
}, 120_000);
