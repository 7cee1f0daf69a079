// A database that is set back to an earlier state: what its wallets have done since is on the ledger, not in the database.
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import { balanceOf, freshAddress, nonceOf } from './chain.ts';
import { createProduct, type Product, type TestWallet, transferTo } from './product.ts';
import { postgresSnapshots, type Snapshots, sqliteSnapshots } from './snapshots.ts';

let anvil: Anvil;
let postgres: PostgresCluster;
let product: Product;
let snapshots: Snapshots;

beforeAll(async () => {
  [anvil, postgres] = await Promise.all([startAnvil(), openPostgres()]);
});

afterAll(async () => {
  await Promise.all([anvil.stop(), postgres.stop()]);
});

afterEach(async () => {
  await product.stop();
  await snapshots.remove();
});

interface Suspension {
  suspensionId: string;
  walletId?: string;
  createdBy: string;
  cause: string | null;
}

interface Unknown {
  sequence: number;
  txId: string | null;
  matches: string[];
}

async function start(dialect: 'sqlite' | 'postgres'): Promise<void> {
  const databaseUrl = dialect === 'postgres' ? await postgres.createDatabase() : undefined;
  product = createProduct({
    ...{ rpcUrl: () => anvil.url, timing: { lease: 2_000 } },
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
  await product.start();
  snapshots =
    databaseUrl === undefined
      ? sqliteSnapshots(product.folder)
      : await postgresSnapshots(databaseUrl, product.folder);
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

async function suspensions(): Promise<Suspension[]> {
  const { body } = await product.call<{ suspensions: Suspension[] }>('GET', '/v1/ledger-ops/suspensions');
  return body.suspensions;
}

async function unknownOf({ walletId }: TestWallet): Promise<Unknown[]> {
  const { body } = await product.call<{ transactions: Unknown[] }>(
    'GET',
    `/v1/cloud-wallet/wallets/${walletId}/unknown-transactions`,
  );
  return body.transactions;
}

async function waitUntilSuspended({ walletId }: TestWallet): Promise<Suspension> {
  await expect.poll(suspensions, { timeout: 60_000 }).toHaveLength(1);
  const [one] = await suspensions();
  expect(one).toMatchObject({ walletId, createdBy: 'ledger-ops', cause: 'unknown-transactions' });
  return one as Suspension;
}

const dialects = ['sqlite', 'postgres'] as const;

test.each(selectCases(dialects, (dialect) => dialect === 'sqlite'))(
  '%s: a database that was set back does not pay a dependent payment again',
  async (dialect) => {
    await start(dialect);
    const wallet = await product.wallet({ exclusive: true });
    const [first, second] = [freshAddress(), freshAddress()];
    await anvil.rpc('evm_setIntervalMining', [0]);
    const earlier = await send(wallet, first, 3);
    const dependent = await send(wallet, second, 5, { dependencies: [earlier] });
    await product.terminate();
    await snapshots.take();
    await anvil.rpc('evm_setIntervalMining', [1]);
    await product.start();
    const [paid] = await product.ended([dependent]);
    expect(paid).toMatchObject({ status: 'SUCCEEDED' });

    await product.terminate();
    await snapshots.restore();
    await product.start();
    const { suspensionId } = await waitUntilSuspended(wallet);
    await product.waitsFor(dependent, 'not stored here');
    expect(await balanceOf(anvil, second)).toBe(5n);
    expect(await unknownOf(wallet)).toEqual([
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
    expect(await suspensions()).toEqual([]);
  },
  120_000,
);

test('a payment that was accepted after the snapshot is not paid again when its client repeats it with its key', async () => {
  await start('sqlite');
  const wallet = await product.wallet({ exclusive: true });
  const target = freshAddress();
  await product.terminate();
  await snapshots.take();
  await product.start();
  const [paid] = await product.ended([await send(wallet, target, 7, {}, 'key-1')]);
  await product.terminate();
  await snapshots.restore();
  await product.start();
  const repeated = await send(wallet, target, 7, {}, 'key-1');
  const { suspensionId } = await waitUntilSuspended(wallet);
  const found = await unknownOf(wallet);
  expect(found).toEqual([expect.objectContaining({ sequence: 0, txId: paid?.locator, matches: [repeated] })]);
  const marked = await product.call('POST', `/v1/ledger-ops/actions/${repeated}/executed`, {
    txId: paid?.locator,
  });
  expect(marked).toMatchObject({ status: 200, body: { status: 'SUCCEEDED' } });
  await product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
  expect(await balanceOf(anvil, target)).toBe(7n);
}, 120_000);

test('a wallet whose key signs elsewhere is suspended, and pays once after a person resumed it', async () => {
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
  // Until a block contains it, no node shows what it does.
  await expect
    .poll(() => unknownOf(wallet))
    .toEqual([expect.objectContaining({ sequence: 0, notCompared: null, matches: [] })]);
  await product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
  const [end] = await product.ended([id]);
  expect(end).toMatchObject({ status: 'SUCCEEDED' });
  expect([await balanceOf(anvil, target), await nonceOf(anvil, wallet.address)]).toEqual([4n, 2]);
}, 120_000);
