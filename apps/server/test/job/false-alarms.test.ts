// Restarts, crashes, takeovers and moves of a database must not raise an alarm if it was never restored from
// an earlier state.
import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { isFaultsRun, selectCases } from '../../../../testing/faults.ts';
import { databaseFile } from '../../src/database-place.ts';
import { balanceOf, freshAddress } from './chain.ts';
import { createChance } from './faults.ts';
import { createProduct, type Product, type TestWallet, transferTo } from './product.ts';
import { readSuspensions } from './set-back-run.ts';

/** Number of restarts in each test. */
const restarts = isFaultsRun ? 30 : 2;
const timing = { lease: 2_000 };

let anvil: Anvil;
let postgres: PostgresCluster | undefined;
let products: readonly Product[] = [];

beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());
afterEach(async () => {
  for (const product of products) await product.stop();
  await postgres?.stop();
  postgres = undefined;
});

interface Payment {
  readonly wallet: TestWallet;
  readonly target: string;
  actionId: string | undefined;
}

/** Sends payments with their keys until each got a response or the server is killed. */
async function pay(product: Product, payments: readonly Payment[]): Promise<void> {
  for (const payment of payments) {
    if (payment.actionId !== undefined) continue;
    try {
      const body = transferTo(payment.wallet, payment.target, 3);
      const sent = await product.call('POST', '/v1/ledger-ops/send', body, {
        'Idempotency-Key': payment.target,
      });
      expect(sent).toMatchObject({ status: 201 });
      payment.actionId = String(sent.body.actionId);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

const createPayments = (wallets: readonly TestWallet[]): Payment[] =>
  [...wallets, ...wallets].map((wallet) => ({ wallet, target: freshAddress(), actionId: undefined }));

/**
 * @throws if the server reports that the database was restored to an earlier state or copied, or lacks
 * transactions
 */
async function expectNoAlarm(product: Product): Promise<void> {
  expect(await product.call('GET', '/readyz')).toMatchObject({ body: { readOnly: false } });
  expect(await readSuspensions(product)).toEqual([]);
  expect(product.output.join('')).not.toMatch(/database\.not-adopted|wallet\.unknown-transactions/);
}

async function expectPaidOnce(product: Product, payments: readonly Payment[]): Promise<void> {
  const ends = await product.ended(payments.map(({ actionId }) => String(actionId)));
  expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
  for (const { target } of payments) expect(await balanceOf(anvil, target)).toBe(3n);
}

/** Gives the database file a new inode, like volumes that assign new inode numbers when they are mounted. */
function renumber(folder: string): void {
  const file = join(folder, databaseFile);
  copyFileSync(file, `${file}.new`);
  renameSync(`${file}.new`, file);
}

// Docker and Kubernetes keep the volume and its path, but change the host name, the machine id and, on some
// volumes, the inodes.
const machines = {
  'a host': {},
  Docker: { container: 'docker' },
  Kubernetes: { KUBERNETES_SERVICE_HOST: '::1' },
};

test.each(selectCases(Object.entries(machines), ([name]) => name === 'Docker'))(
  `SQLite on %s: ${restarts} stops and crashes under load, new inodes and moves do not raise an alarm`,
  async (_, processEnvironment) => {
    const product = createProduct({ rpcUrl: () => anvil.url, timing, processEnvironment });
    products = [product];
    await product.start();
    const wallets = [await product.wallet({ exclusive: true }), await product.wallet({ exclusive: true })];
    const chance = createChance(`false alarms ${JSON.stringify(processEnvironment)}`);
    const all: Payment[] = [];
    const counts = { crashes: 0, stops: 0, inodes: 0, moves: 0 };
    for (let round = 0; round < restarts; round += 1) {
      const payments = createPayments(wallets);
      all.push(...payments);
      const [wait, isCrash, move] = [chance(0, 400), chance(0, 2) === 0, round === 0 ? 1 : chance(0, 4)];
      console.log(`round ${round}: ${isCrash ? 'killed' : 'stopped'} after ${wait} ms, then ${move}`);
      const ending = pause(wait).then(async () => {
        await (isCrash ? product.kill() : product.terminate());
      });
      await pay(product, payments);
      await ending;
      counts[isCrash ? 'crashes' : 'stops'] += 1;
      if (move === 0) {
        product.copyFolder();
        await product.adopt('moved');
        counts.moves += 1;
      } else if (move === 1 && !isCrash) {
        renumber(product.folder);
        counts.inodes += 1;
      }
      await product.start();
      await expectNoAlarm(product);
      await pay(product, payments);
    }
    await expectPaidOnce(product, all);
    await expectNoAlarm(product);
    console.log(`no alarm after ${JSON.stringify(counts)}`);
  },
  600_000,
);

test.each(selectCases([restarts], () => false))(
  'PostgreSQL: %i crashes of two servers that take over from each other do not raise an alarm',
  async (count) => {
    postgres = await openPostgres();
    const databaseUrl = await postgres.createDatabase();
    const one = createProduct({ rpcUrl: () => anvil.url, timing, databaseUrl });
    const two = createProduct({ rpcUrl: () => anvil.url, timing, databaseUrl, beside: one });
    products = [two, one];
    await one.start();
    await two.start();
    const wallets = [await one.wallet({ exclusive: true }), await one.wallet({ exclusive: true })];
    const chance = createChance('false alarms postgres');
    const all: Payment[] = [];
    for (let round = 0; round < count; round += 1) {
      const [dying, other] = chance(0, 2) === 0 ? [one, two] : [two, one];
      const payments = createPayments(wallets);
      all.push(...payments);
      const wait = chance(0, 400);
      const ending = pause(wait).then(() => dying.kill());
      await pay(dying, payments);
      await ending;
      await pay(other, payments);
      await expectNoAlarm(other);
      await dying.start();
      await expectNoAlarm(dying);
    }
    await expectPaidOnce(one, all);
    await expectNoAlarm(one);
    console.log(`${count} takeovers, 0 alarms`);
  },
  600_000,
);
