// Databases that are set back again and again at random instants, with clients that repeat with their keys.
import { setTimeout as pause } from 'node:timers/promises';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { balanceOf, freshAddress, nonceOf } from './chain.ts';
import { createChance } from './faults.ts';
import { createProduct, type Product, type TestWallet, transferTo } from './product.ts';
import { postgresSnapshots, type Snapshots, sqliteSnapshots } from './snapshots.ts';

/** Rollbacks of each database. */
const rollbacks = Number(process.env.SET_BACK_ROUNDS ?? 100);

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

interface Payment {
  readonly key: string;
  readonly wallet: TestWallet;
  readonly target: string;
  readonly amount: number;
  /** The payment that it depends on. */
  readonly after: Payment | null;
  actionId: string | null;
}

interface Suspension {
  suspensionId: string;
  walletId?: string;
  cause: string | null;
}

/** Sends a payment with its key; returns false if the server died. */
async function send(payment: Payment): Promise<boolean> {
  const { wallet, target, amount, key, after } = payment;
  const dependencies = after === null ? {} : { dependencies: [String(after.actionId)] };
  try {
    const { status, body } = await product.call(
      'POST',
      '/v1/ledger-ops/send',
      { ...transferTo(wallet, target, amount), ...dependencies },
      { 'Idempotency-Key': key },
    );
    expect({ status, body }).toMatchObject({ status: 201 });
    payment.actionId = String(body.actionId);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

async function suspended(): Promise<Suspension[]> {
  const { body } = await product.call<{ suspensions: Suspension[] }>('GET', '/v1/ledger-ops/suspensions');
  return body.suspensions;
}

/** Does what an operator does: marks what unknown transactions executed, then resumes the wallets. Returns those wallets. */
async function decide(): Promise<string[]> {
  const wallets: string[] = [];
  for (const { suspensionId, walletId = '', cause } of await suspended()) {
    expect(cause).toBe('unknown-transactions');
    const { body } = await product.call<{ transactions: { txId: string | null; matches: string[] }[] }>(
      'GET',
      `/v1/cloud-wallet/wallets/${walletId}/unknown-transactions`,
    );
    let isClear = true;
    for (const { txId, matches } of body.transactions) {
      // A transaction in a mempool has no id yet.
      isClear &&= txId !== null;
      if (txId === null) continue;
      for (const actionId of matches) {
        const marked = await product.call('POST', `/v1/ledger-ops/actions/${actionId}/executed`, { txId });
        // 409: a payment of another wallet, on which it depends, has to be marked first, or the transaction is not final.
        expect([200, 409]).toContain(marked.status);
        isClear &&= marked.status === 200;
      }
    }
    if (!isClear) continue;
    await product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
    wallets.push(walletId);
  }
  return wallets;
}

test.each(['sqlite', 'postgres'] as const)(
  `%s: ${rollbacks} rollbacks at random instants pay nothing twice, and each is noticed`,
  async (dialect) => {
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
    const wallets = [await product.wallet({ exclusive: true }), await product.wallet({ exclusive: true })];
    const chance = createChance(`set back ${dialect}`);
    const counts = () => Promise.all(wallets.map(({ address }) => nonceOf(anvil, address)));
    let noticed = 0;
    let needed = 0;
    for (let round = 0; round < rollbacks; round += 1) {
      await product.terminate();
      await snapshots.take();
      const before = await counts();
      await product.start();
      const payments: Payment[] = [];
      for (let index = 0; index < 8; index += 1) {
        const wallet = wallets[chance(0, wallets.length)] as TestWallet;
        const after = chance(0, 3) === 0 ? (payments.at(-1) ?? null) : null;
        payments.push({
          ...{ key: `${dialect}-${round}-${index}`, wallet, target: freshAddress(), amount: index + 1 },
          ...{ after, actionId: null },
        });
      }
      const wait = chance(20, 1_500);
      console.log(`${dialect} round ${round}: killed after ${wait} ms`);
      const killing = pause(wait).then(() => product.kill());
      for (const payment of payments) {
        if (payment.after !== null && payment.after.actionId === null) break;
        if (!(await send(payment))) break;
      }
      await killing;
      const executed = (await counts()).map((count, index) => count > (before[index] ?? 0));
      needed += executed.filter(Boolean).length;

      await snapshots.restore();
      await product.start();
      for (const payment of payments) payment.actionId = null;
      for (const payment of payments) expect(await send(payment)).toBe(true);
      const told = new Set<string>();
      for (;;) {
        for (const walletId of await decide()) told.add(walletId);
        const ends = await product.actions(payments.map(({ actionId }) => String(actionId)));
        if (ends.every(({ status }) => status !== 'PENDING')) {
          expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
          break;
        }
        await pause(100);
      }
      for (const [index, { walletId }] of wallets.entries())
        if (executed[index] === true) {
          expect(told).toContain(walletId);
          noticed += 1;
        }
      for (const { target, amount } of payments) expect(await balanceOf(anvil, target)).toBe(BigInt(amount));
    }
    console.log(`${dialect}: ${noticed} of ${needed} wallets with forgotten transactions were suspended`);
    expect(noticed).toBe(needed);
    expect(await suspended()).toEqual([]);
  },
  3_600_000,
);
