// Like set-back.test.ts, but on Solana. Its transactions have no nonces, so the account's signatures are compared with the
// database.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { isFaultsRun } from '../../../../testing/faults.ts';
import { databaseFile } from '../../src/database-place.ts';
import { readSuspensions, readUnknown, type Suspension } from './set-back-run.ts';
import { loseHeartbeat, type Snapshots, sqliteSnapshots } from './snapshots.ts';
import {
  freshAddress,
  least,
  openSolanaJob,
  type SolanaJob,
  signedTransfer,
  transferGlo,
  walletPassword,
} from './solana-ledger.ts';

/** One server for all tests, each with its own wallets. */
let job: SolanaJob;
let snapshots: Snapshots;
/** Suspensions of earlier tests. */
let before: readonly string[];

beforeAll(async () => {
  job = await openSolanaJob();
  snapshots = sqliteSnapshots(job.product.folder);
});
afterAll(async () => {
  await job?.stop();
  await snapshots?.remove();
});
beforeEach(async () => {
  await job.ledger.rpc('devnet_resume');
  // After a database was restored to an earlier state, nothing is signed before forgotten transactions have expired.
  await passExpiry();
  before = [];
  before = (await suspensions()).map(({ suspensionId }) => suspensionId);
});

async function send(walletId: string, to: string, amount: number, more = {}, key?: string): Promise<string> {
  const body = { walletId, walletPassword, glo: transferGlo(to, amount), ...more };
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  const answer = await job.product.call('POST', '/v1/ledger-ops/send', body, headers);
  expect(answer).toMatchObject({ status: 201 });
  return String(answer.body.actionId);
}

/** Waits until transactions that the database may have forgotten have expired. */
const passExpiry = () => job.ledger.rpc('devnet_mine', [200]);

/** Suspensions since the start of the test. */
async function suspensions(): Promise<Suspension[]> {
  return (await readSuspensions(job.product)).filter(({ suspensionId }) => !before.includes(suspensionId));
}

const unknownOf = (walletId: string) => readUnknown(job.product, walletId);

async function waitUntilSuspended(walletId: string): Promise<Suspension> {
  await expect.poll(suspensions, { timeout: 60_000 }).toHaveLength(1);
  const [one] = await suspensions();
  expect(one).toMatchObject({ walletId, createdBy: 'ledger-ops', cause: 'unknown-transactions' });
  return one as Suspension;
}

/** Makes the last heartbeat of a stopped server one minute older. */
function ageHeartbeat(folder: string): void {
  const database = new DatabaseSync(join(folder, databaseFile));
  database.exec('UPDATE installation SET heartbeat = heartbeat - 60000');
  database.close();
  loseHeartbeat(folder);
}

/** Returns the number of transactions that wait for a block. */
async function waitingTransactions(): Promise<number> {
  return (await job.ledger.rpc<{ pending: number }>('devnet_status')).pending;
}

async function stageOf(id: string): Promise<string | undefined> {
  return (await job.product.actions([id]))[0]?.pending?.stage;
}

/** Restores the last snapshot. @param isOld makes the snapshot look a minute old */
async function restoreSnapshot({ isOld = false } = {}): Promise<void> {
  await job.product.terminate();
  await snapshots.restore();
  if (isOld) ageHeartbeat(job.product.folder);
  // Without the heartbeat file, only the ledger shows what happened since the snapshot.
  loseHeartbeat(job.product.folder);
  await job.product.start();
}

test('a dependent payment is not made again after the database was restored to an earlier state', async () => {
  const { walletId } = await job.wallet();
  const [first, second] = [freshAddress(), freshAddress()];
  await job.ledger.rpc('devnet_pause');
  const earlier = await send(walletId, first, least);
  const dependent = await send(walletId, second, least + 1, { dependencies: [earlier] });
  await expect.poll(() => stageOf(earlier), { timeout: 30_000 }).toBe('signed');
  await snapshots.take();
  await job.ledger.rpc('devnet_resume');
  const [paid] = await job.product.ended([dependent]);
  expect(paid).toMatchObject({ status: 'SUCCEEDED' });

  await restoreSnapshot();
  const { suspensionId } = await waitUntilSuspended(walletId);
  await job.product.waitsFor(dependent, 'unknown transactions');
  expect(await job.balanceOf(second)).toBe(least + 1);
  expect(await unknownOf(walletId)).toEqual([
    expect.objectContaining({ sequence: null, txId: paid?.locator, matches: [dependent] }),
  ]);
  const executed = `/v1/ledger-ops/actions/${dependent}/executed`;
  const [before] = await job.product.actions([earlier]);
  expect(await job.product.call('POST', executed, { txId: before?.locator })).toMatchObject({ status: 400 });
  const marked = await job.product.call('POST', executed, { txId: paid?.locator });
  expect(marked).toMatchObject({ status: 200, body: { status: 'SUCCEEDED', locator: paid?.locator } });
  await job.product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
  await passExpiry();
  const [later] = await job.product.ended([await send(walletId, first, least)]);
  expect(later).toMatchObject({ status: 'SUCCEEDED' });
  expect([await job.balanceOf(first), await job.balanceOf(second)]).toEqual([2 * least, least + 1]);
  expect(await suspensions()).toEqual([]);
}, 180_000);

// Skipped by `npm test`, because the next test also retries a request with its Idempotency-Key after a restore.
test.runIf(isFaultsRun)(
  'a payment accepted after the database snapshot is not paid again if its client retries with the Idempotency-Key',
  async () => {
    const { walletId } = await job.wallet();
    const target = freshAddress();
    await snapshots.take();
    const [paid] = await job.product.ended([await send(walletId, target, least, {}, 'key-1')]);
    await restoreSnapshot();
    const repeated = await send(walletId, target, least, {}, 'key-1');
    await waitUntilSuspended(walletId);
    expect(await unknownOf(walletId)).toEqual([
      expect.objectContaining({ txId: paid?.locator, matches: [repeated] }),
    ]);
    expect(await job.balanceOf(target)).toBe(least);
  },
  180_000,
);

test('a wallet that paid the fee of an executed action cannot be resumed until the action is marked, canceled or released', async () => {
  const sender = await job.wallet();
  const payer = await job.wallet();
  const target = freshAddress();
  await job.product.ended([await send(payer.walletId, target, least)]);
  await snapshots.take();
  const native_transaction_content = { feePayer: payer.walletId };
  const request = async () => {
    const glo = {
      ...transferGlo(target, least + 1),
      meta: { ledger: { solana: { version: '1', native_transaction_content } } },
    };
    const wallets = [{ walletId: payer.walletId, walletPassword }];
    const body = { walletId: sender.walletId, walletPassword, wallets, glo };
    const answer = await job.product.call('POST', '/v1/ledger-ops/send', body, {
      'Idempotency-Key': 'co-signed',
    });
    expect(answer).toMatchObject({ status: 201 });
    return String(answer.body.actionId);
  };
  const [paid] = await job.product.ended([await request()]);
  expect(paid).toMatchObject({ status: 'SUCCEEDED' });
  await restoreSnapshot();

  const repeated = await request();
  await expect.poll(suspensions, { timeout: 60_000 }).toHaveLength(2);
  const resume = async ({ walletId }: { walletId: string }) => {
    const found = (await suspensions()).find((one) => one.walletId === walletId);
    return await job.product.call('DELETE', `/v1/ledger-ops/suspensions/${found?.suspensionId}`);
  };
  for (const wallet of [payer, sender]) {
    expect(await unknownOf(wallet.walletId)).toEqual([
      expect.objectContaining({ txId: paid?.locator, matches: [repeated] }),
    ]);
    expect(await resume(wallet)).toMatchObject({ status: 409, body: { matches: [{ actionId: repeated }] } });
  }
  const executed = `/v1/ledger-ops/actions/${repeated}/executed`;
  expect(await job.product.call('POST', executed, { txId: paid?.locator })).toMatchObject({ status: 200 });
  for (const wallet of [payer, sender]) expect((await resume(wallet)).status).toBe(204);
  await passExpiry();
  const ends = await job.product.ended([await send(payer.walletId, target, least)]);
  expect(ends).toMatchObject([{ status: 'SUCCEEDED' }]);
  expect(await job.balanceOf(target)).toBe(3 * least + 1);
  expect(await suspensions()).toEqual([]);
}, 180_000);

test('after a restore, a payment that was sent but is not in a block yet is not paid again while it can be executed', async () => {
  const { walletId } = await job.wallet();
  const target = freshAddress();
  await snapshots.take();
  await job.ledger.rpc('devnet_pause');
  const forgotten = await send(walletId, target, least, {}, 'forgotten');
  await expect.poll(() => stageOf(forgotten), { timeout: 30_000 }).toBe('signed');
  await expect.poll(waitingTransactions, { timeout: 30_000 }).toBe(1);
  await restoreSnapshot({ isOld: true });
  const repeated = await send(walletId, target, least, {}, 'forgotten');
  await job.product.waitsFor(repeated, 'its database may have been restored to an earlier state');
  await job.ledger.rpc('devnet_mine', [1]);
  await waitUntilSuspended(walletId);
  expect(await unknownOf(walletId)).toMatchObject([{ matches: [repeated] }]);
  await job.ledger.rpc('devnet_resume');
  expect(await waitingTransactions()).toBe(0);
  expect(await job.balanceOf(target)).toBeLessThanOrEqual(least);
}, 180_000);

// Skipped by `npm test`, because compared-accounts.test.ts of the runtime covers this case.
test.runIf(isFaultsRun)(
  'a payment is signed immediately after a short restart, but with a delay after a long downtime',
  async () => {
    const { walletId } = await job.wallet();
    const target = freshAddress();
    await job.product.terminate();
    await job.product.start();
    await job.ledger.rpc('devnet_pause');
    const first = await send(walletId, target, least);
    await expect.poll(() => stageOf(first), { timeout: 30_000 }).toBe('signed');
    await job.ledger.rpc('devnet_resume');
    await job.product.ended([first]);
    await job.product.terminate();
    ageHeartbeat(job.product.folder);
    await job.product.start();
    await job.ledger.rpc('devnet_pause');
    const second = await send(walletId, target, least);
    await job.product.waitsFor(second, 'its database may have been restored to an earlier state');
    await passExpiry();
    await job.ledger.rpc('devnet_resume');
    expect(await job.product.ended([second])).toMatchObject([{ status: 'SUCCEEDED' }]);
    expect(await suspensions()).toEqual([]);
  },
  180_000,
);

test('a wallet whose key another program also uses is suspended, and pays once after it is resumed', async () => {
  const { walletId } = await job.wallet();
  const [target, thief] = [freshAddress(), freshAddress()];
  const { body } = await job.product.call<{ document: string }>(
    ...['POST', `/v1/cloud-wallet/wallets/${walletId}/export`, { walletPassword }],
  );
  const { value } = await job.ledger.rpc<{ value: { blockhash: string } }>('getLatestBlockhash', []);
  const pair = Uint8Array.from(JSON.parse(body.document) as number[]);
  const stolen = signedTransfer(pair, thief, least, value.blockhash);
  const txId = await job.ledger.rpc<string>('sendTransaction', [stolen, { encoding: 'base64' }]);
  await expect.poll(() => job.balanceOf(thief), { timeout: 30_000 }).toBe(least);
  const id = await send(walletId, target, least);
  const { suspensionId } = await waitUntilSuspended(walletId);
  expect(await unknownOf(walletId)).toEqual([expect.objectContaining({ txId, matches: [] })]);
  expect(await job.balanceOf(target)).toBe(0);
  await job.product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
  expect(await job.product.ended([id])).toMatchObject([{ status: 'SUCCEEDED' }]);
  expect([await job.balanceOf(target), await suspensions()]).toEqual([least, []]);
}, 180_000);

// Skipped by `npm test`, because compared-accounts.test.ts of the runtime covers this case.
test.runIf(isFaultsRun)(
  'restarts, kills, expired attempts and deposits do not suspend a wallet',
  async () => {
    job.product.output.length = 0;
    const { walletId, address } = await job.wallet();
    const target = freshAddress();
    await job.product.ended(await Promise.all([1, 2, 3].map((one) => send(walletId, target, least + one))));
    await job.ledger.rpc('devnet_setDropping', [true]);
    const lost = await send(walletId, target, least + 4);
    await job.product.waitsFor(lost, '');
    await job.ledger.rpc('devnet_mine', [160]);
    await job.ledger.rpc('devnet_setDropping', [false]);
    expect(await job.product.ended([lost])).toMatchObject([{ status: 'SUCCEEDED' }]);
    await job.product.kill();
    await job.product.start();
    await job.ledger.rpc('requestAirdrop', [address, 1_000_000_000]);
    await job.product.ended([await send(walletId, target, least + 5)]);
    await job.product.terminate();
    await job.product.start();
    const [end] = await job.product.ended([await send(walletId, target, least + 6)]);
    expect(end).toMatchObject({ status: 'SUCCEEDED' });
    expect(await suspensions()).toEqual([]);
    expect(job.product.output.join('')).not.toContain('wallet.not-compared');
  },
  180_000,
);
