// Databases that are set back again and again at random instants, with clients that repeat with their keys.
import { setTimeout as pause } from 'node:timers/promises';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { noPostgresPrograms, RecoverablePostgres } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createChance } from './faults.ts';
import { createProduct, type Product, type TestWallet } from './product.ts';
import {
  addContracts,
  type Contracts,
  createPayment,
  decide,
  executionsOf,
  heightOf,
  minedSince,
  type Payment,
  pay,
  paymentKinds,
  readSuspensions,
  readUnknown,
  signedHere,
} from './set-back-run.ts';
import {
  dumpSnapshots,
  loseHeartbeat,
  recoverySnapshots,
  type Snapshots,
  sqliteSnapshots,
} from './snapshots.ts';

/** Rollbacks in each way. */
const rollbacks = Number(process.env.SET_BACK_ROUNDS ?? 25);

/** Milliseconds until all payments of a round have to be final. */
const patience = 180_000;

const ways = ['SQLite from a backup', 'PostgreSQL by recovery', 'PostgreSQL from a dump'] as const;

let anvil: Anvil;
let postgres: RecoverablePostgres | undefined;
let product: Product;
let snapshots: Snapshots;
let contracts: Contracts;
let wallets: TestWallet[];

beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());
afterEach(async () => {
  await product?.stop();
  await snapshots?.remove();
  await postgres?.stop();
  postgres = undefined;
});

async function start(way: (typeof ways)[number]): Promise<void> {
  const running = way.startsWith('SQLite') ? undefined : await RecoverablePostgres.start();
  postgres = running;
  product = createProduct({
    ...{ rpcUrl: () => anvil.url, timing: { lease: 2_000 } },
    ...(running === undefined ? {} : { databaseUrl: () => running.url }),
  });
  if (running === undefined) snapshots = sqliteSnapshots(product.folder);
  else snapshots = way.endsWith('dump') ? dumpSnapshots(running) : recoverySnapshots(running);
  await product.start();
  wallets = [await product.wallet({ exclusive: true }), await product.wallet({ exclusive: true })];
  contracts = await addContracts(product, wallets);
}

/** Starts the server on a database that was set back. If it only reads, an operator decides. Returns the decision. */
async function startAgain(decision: 'moved' | 'restored'): Promise<typeof decision | undefined> {
  await product.start();
  const ready = await product.call('GET', '/readyz');
  if (ready.body.readOnly !== true) return undefined;
  await product.terminate();
  await product.adopt(decision);
  await product.start();
  return decision;
}

/** Decides about suspended wallets until no payment is pending. Returns the wallets that were suspended. */
async function settle(payments: readonly Payment[]) {
  const suspended = new Set<string>();
  let promotions = 0;
  const end = performance.now() + patience;
  for (;;) {
    const { wallets: resumed, ledgers } = await decide(product);
    for (const walletId of resumed) suspended.add(walletId);
    promotions += ledgers;
    const ends = await product.actions(payments.map(({ actionId }) => String(actionId)));
    const pending = ends.filter(({ status }) => status === 'PENDING');
    if (pending.length === 0) return { suspended, promotions, ends };
    if (performance.now() > end) {
      const unknown = await Promise.all(wallets.map(({ walletId }) => readUnknown(product, walletId)));
      throw new Error(`Payments are PENDING: ${JSON.stringify({ pending, unknown })}`);
    }
    await pause(100);
  }
}

test.for(ways)(
  `%s: ${rollbacks} rollbacks at random instants pay nothing twice, and each is noticed`,
  { timeout: 7_200_000 },
  async (way, { skip }) => {
    if (!way.startsWith('SQLite')) skip(noPostgresPrograms !== undefined, noPostgresPrograms);
    await start(way);
    const chance = createChance(`set back ${way}`);
    const counts = {
      rollbacks: 0,
      forgotten: 0,
      suspended: 0,
      readOnly: 0,
      promotions: 0,
      failed: 0,
      payments: 0,
    };
    /** Wallets with forgotten transactions that have signed nothing since. */
    const unnoticed = new Set<string>();
    let amount = 1;
    for (let round = 0; counts.rollbacks < rollbacks; round += 1) {
      const from = await heightOf(anvil);
      const payments: Payment[] = [];
      const add = (count: number) => {
        const added: Payment[] = [];
        for (let index = 0; index < count; index += 1) {
          const wallet = wallets[chance(0, wallets.length)];
          const kind = paymentKinds[chance(0, paymentKinds.length)];
          if (wallet === undefined || kind === undefined) throw new RangeError('There is none.');
          amount += 1;
          const payment = createPayment(`${round}-${amount}`, amount, wallet, {
            kind,
            before: payments.at(-1),
          });
          payments.push(payment);
          added.push(payment);
        }
        return added;
      };
      // Some are pending when the snapshot is taken.
      for (const payment of add(chance(0, 5))) expect(await pay(product, payment, contracts)).toBe(true);
      await pause(chance(0, 200));
      await snapshots.take();
      const wait = chance(20, 1_500);
      const times = chance(0, 4) === 0 ? 2 : 1;
      const keepsHeartbeat = chance(0, 3) === 0;
      const decision = chance(0, 2) === 0 ? 'moved' : 'restored';
      console.log(
        `${way}, round ${round}: killed after ${wait} ms, set back ${times} times, heartbeat ${keepsHeartbeat ? 'kept' : 'lost'}, adopted as ${decision}`,
      );
      const killing = pause(wait).then(() => product.kill());
      for (const payment of add(6)) {
        // A client that got no answer for the payment that it depends on sends nothing.
        if (payment.after !== undefined && payment.after.actionId === undefined) continue;
        if (!(await pay(product, payment, contracts))) break;
      }
      await killing;

      let decided: typeof decision | undefined;
      for (let time = 1; time <= times; time += 1) {
        await snapshots.restore();
        counts.rollbacks += 1;
        if (!keepsHeartbeat) loseHeartbeat(product.folder);
        decided = await startAgain(decision);
        if (decided !== undefined) counts.readOnly += 1;
        for (const payment of payments) payment.actionId = undefined;
        for (const payment of payments) expect(await pay(product, payment, contracts)).toBe(true);
        if (time === times) break;
        await pause(chance(0, 1_000));
        await product.kill();
      }
      const { suspended, promotions, ends } = await settle(payments);
      if (promotions > 0) counts.promotions += 1;
      const mined = await minedSince(anvil, from, wallets);
      const signed = await signedHere(product, postgres?.url);
      const executions = await executionsOf(anvil, payments, mined);
      for (const [index, payment] of payments.entries()) {
        const end = ends.find(({ actionId }) => actionId === payment.actionId);
        const happened = { payment: payment.key, kind: payment.kind, status: end?.status };
        if (end?.status === 'SUCCEEDED') {
          expect({ ...happened, executions: executions[index] }).toEqual({ ...happened, executions: 1 });
          continue;
        }
        // The command `adopt --restored` ended what was pending in the snapshot.
        expect({ ...happened, decided, problem: end?.problem }).toMatchObject({ decided: 'restored' });
        expect(executions[index]).toBeLessThanOrEqual(1);
        counts.failed += 1;
      }
      for (const { walletId, address } of wallets) {
        const forgotten = mined.filter(
          ({ from: sender, hash }) => sender === address.toLowerCase() && !signed.has(hash.toLowerCase()),
        );
        if (forgotten.length > 0) counts.forgotten += 1;
        if (suspended.has(walletId)) counts.suspended += 1;
        // A wallet is compared before it signs. After `adopt --restored`, there may be nothing left to sign.
        const isIdle = payments.every(
          ({ wallet, actionId }) =>
            wallet.walletId !== walletId ||
            ends.find((end) => end.actionId === actionId)?.status !== 'SUCCEEDED',
        );
        const isWaiting = decided === 'restored' && isIdle && !suspended.has(walletId);
        const isExpected = forgotten.length > 0 || unnoticed.has(walletId);
        if (isWaiting && isExpected) unnoticed.add(walletId);
        else {
          unnoticed.delete(walletId);
          const seen = { round, walletId, forgotten: forgotten.length };
          expect({ ...seen, isSuspended: suspended.has(walletId) }).toEqual({
            ...seen,
            isSuspended: isExpected,
          });
        }
      }
      counts.payments += payments.length;
    }
    console.log(`${way}: ${JSON.stringify(counts)}`);
    expect(counts.forgotten).toBeGreaterThan(0);
    expect(await readSuspensions(product)).toEqual([]);
  },
);
