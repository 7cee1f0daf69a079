// Restores databases to earlier states at random times, while clients repeat requests with their Idempotency-Keys.
import { setTimeout as pause } from 'node:timers/promises';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { noPostgresPrograms, RecoverablePostgres } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createChance } from './faults.ts';
import { type Action, createProduct, type Product, type TestWallet } from './product.ts';
import {
  addContracts,
  type Contracts,
  executionsOf,
  expectPaidOnce,
  forgottenOf,
  heightOf,
  minedBetween,
  Noticed,
  noticeAll,
  type Payment,
  Payments,
  pay,
  readSuspensions,
  settle,
  signedHere,
} from './set-back-run.ts';
import {
  dumpSnapshots,
  loseHeartbeat,
  recoverySnapshots,
  type Snapshots,
  sqliteSnapshots,
} from './snapshots.ts';

/** Number of rollbacks per test. */
const rollbacks = Number(process.env.SET_BACK_ROUNDS ?? 25);

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

/** Starts the server on the restored database. If the server only reads, a deployer decides. Returns the decision. */
async function startAgain(decision: 'moved' | 'restored'): Promise<typeof decision | undefined> {
  await product.start();
  const ready = await product.call('GET', '/readyz');
  if (ready.body.readOnly !== true) return undefined;
  await product.terminate();
  await product.adopt(decision);
  await product.start();
  return decision;
}

test.for(ways)(
  `%s: in ${rollbacks} rollbacks of the database at random times, nothing is paid twice and each rollback is noticed`,
  { timeout: 7_200_000 },
  async (way, { skip }) => {
    if (!way.startsWith('SQLite')) skip(noPostgresPrograms !== undefined, noPostgresPrograms);
    await start(way);
    const chance = createChance(`set back ${way}`);
    const counts = {
      ...{
        rollbacks: 0,
        forgotten: 0,
        suspended: 0,
        signedAgain: 0,
        readOnly: 0,
        promotions: 0,
        paidTwice: 0,
      },
      ...{ succeeded: 0, canceled: 0, expired: 0, failed: 0, refused: 0 },
    };
    const made = new Payments(chance, wallets);
    let from = await heightOf(anvil);
    for (let round = 0; counts.rollbacks < rollbacks; round += 1) {
      const payments: Payment[] = [];
      // Without blocks, dependent payments are still unsigned at their deadlines, and no cancellation is carried out.
      const isMining = chance(0, 3) > 0;
      if (!isMining) await anvil.rpc('evm_setIntervalMining', [0]);
      // Some payments are pending when the snapshot is taken.
      for (const payment of made.add(payments, chance(0, 7)))
        expect(await pay(product, payment, contracts)).toBe(true);
      await pause(chance(0, 200));
      await snapshots.take();
      const wait = chance(20, 1_500);
      const times = chance(0, 4) === 0 ? 2 : 1;
      const keepsHeartbeat = chance(0, 3) === 0;
      const decision = chance(0, 2) === 0 ? 'moved' : 'restored';
      console.log(
        `${way}, round ${round}: killed after ${wait} ms, restored ${times} times, heartbeat ${keepsHeartbeat ? 'kept' : 'lost'}, adopted as ${decision}${isMining ? '' : ', without blocks'}`,
      );
      const killing = pause(wait).then(() => product.kill());
      for (const payment of made.add(payments, 6)) if (!(await pay(product, payment, contracts))) break;
      await killing;

      /** Transactions that servers signed, and that the restored database does not contain. */
      const lost = new Set<string>();
      let decided: typeof decision | undefined;
      for (let time = 1; time <= times; time += 1) {
        const before = await signedHere(product, postgres?.url);
        await snapshots.restore();
        const kept = await signedHere(product, postgres?.url);
        for (const txId of before) if (!kept.has(txId)) lost.add(txId);
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
      await pause(isMining ? 0 : chance(0, 4_000));
      await anvil.rpc('evm_setIntervalMining', [1]);
      const noticed = new Noticed();
      const { promotions, ends } = await settle(product, payments, noticed);
      if (promotions > 0) counts.promotions += 1;
      // Forgotten transactions may still be in the mempool.
      await anvil.rpc('evm_mine');
      const to = await heightOf(anvil);
      const mined = await minedBetween(anvil, { from, to }, wallets);
      from = to;
      const signed = await signedHere(product, postgres?.url);
      const executions = await executionsOf(anvil, payments, mined);
      for (const [index, payment] of payments.entries()) {
        const end = ends.find(({ actionId }) => actionId === payment.actionId);
        expectPaidOnce(payment, end, executions[index], decided === 'restored');
        counts[outcomeOf(end)] += 1;
        if ((executions[index] ?? 0) > 1) counts.paidTwice += 1;
      }
      const forgotten = forgottenOf(wallets, mined, signed);
      await noticeAll(product, forgotten, noticed);
      // Checks that no wallet was suspended for another reason. The restored server may have signed a forgotten
      // replacement again, with the same bytes, just after its wallet was suspended; the database then contains it.
      const falseAlarms = [...noticed].filter(
        ([, txIds]) => txIds.size === 0 || [...txIds].some((txId) => !lost.has(txId)),
      );
      expect({ round, falseAlarms }).toEqual({ round, falseAlarms: [] });
      counts.forgotten += forgotten.size;
      counts.suspended += noticed.size;
      counts.signedAgain += [...noticed.keys()].filter((walletId) => !forgotten.has(walletId)).length;
    }
    console.log(`${way}: ${JSON.stringify(counts)}`);
    expect(counts.forgotten).toBeGreaterThan(0);
    expect(await readSuspensions(product)).toEqual([]);
  },
);

function outcomeOf(end: Action | undefined): 'succeeded' | 'canceled' | 'expired' | 'failed' | 'refused' {
  if (end === undefined) return 'refused';
  if (end.status === 'SUCCEEDED') return 'succeeded';
  if (end.problem?.type.endsWith('cancelled') === true) return 'canceled';
  return end.problem?.type.endsWith('deadline-passed') === true ? 'expired' : 'failed';
}
