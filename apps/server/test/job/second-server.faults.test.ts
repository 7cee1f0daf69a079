// A second server starts on a restored dump, in another process with its own data folder. The first server
// continues.
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

const rounds = Number(process.env.SET_BACK_ROUNDS ?? 25);
const timing = { lease: 2_000 };

let anvil: Anvil;
let postgres: RecoverablePostgres | undefined;
let products: Product[] = [];

beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());
afterEach(async () => {
  for (const product of products) await product.stop();
  products = [];
  await postgres?.stop();
  postgres = undefined;
});

/** Sends payments with their keys. */
async function payAll(product: Product, payments: readonly Payment[], contracts: Contracts): Promise<void> {
  for (const payment of payments) expect(await pay(product, payment, contracts)).toBe(true);
}

/** Starts a server on a copied database. The server is read-only until a deployer decides. */
async function startCopy(copy: Product, decision: 'copy' | 'restored'): Promise<void> {
  products.push(copy);
  await copy.start();
  expect((await copy.call('GET', '/readyz')).body).toMatchObject({ readOnly: true });
  await copy.terminate();
  await copy.adopt(decision);
  await copy.start();
}

/** Sends a transfer from each wallet. Before signing it, the server compares the wallet with the ledger. */
function transfersFrom(wallets: readonly TestWallet[], made: Payments): Payment[] {
  return wallets.map((wallet) => made.transferFrom(wallet));
}

test(`in ${rounds} rounds, two servers, one on a restored dump, pay nothing twice and notice each other`, {
  timeout: 7_200_000,
}, async ({ skip }) => {
  skip(noPostgresPrograms !== undefined, noPostgresPrograms);
  const running = await RecoverablePostgres.start();
  postgres = running;
  const databaseUrl = running.url;
  const first = createProduct({ rpcUrl: () => anvil.url, timing, databaseUrl });
  products.push(first);
  await first.start();
  const wallets = [await first.wallet({ exclusive: true }), await first.wallet({ exclusive: true })];
  const names = wallets.map(({ walletId }) => walletId).toSorted();
  const contracts = await addContracts(first, wallets);
  const chance = createChance('second server');
  const made = new Payments(chance, wallets);
  const counts = {
    ...{
      rounds: 0,
      payments: 0,
      forgotten: 0,
      noticed: 0,
      noticedBeforePaying: 0,
      noticedByFirst: 0,
      replaced: 0,
      paidTwice: 0,
    },
  };
  let from = await heightOf(anvil);
  for (let round = 0; round < rounds; round += 1) {
    const folder = chance(0, 2) === 0 ? 'empty' : 'copied';
    const decision = chance(0, 2) === 0 ? 'copy' : 'restored';
    const [before, during] = [chance(0, 200), chance(0, 1_500)];
    console.log(`round ${round}: ${folder} data folder, adopted as ${decision}, restored after ${during} ms`);
    const payments: Payment[] = [];
    await payAll(first, made.add(payments, chance(0, 8)), contracts);
    await pause(before);
    await running.dump();
    // The first server continues while the second one starts.
    const goesOn = payAll(first, made.add(payments, chance(2, 9)), contracts);
    await pause(during);
    const copyUrl = await running.restoreCopy();
    const copy = createProduct({
      ...{ rpcUrl: () => anvil.url, timing, databaseUrl: copyUrl },
      environment: { BASE_URL: 'http://copy.test' },
      copyOf: { product: first, folder },
    });
    await startCopy(copy, decision);
    await goesOn;

    // By now, the second server can only have sent replacements of transactions that were signed in the dump.
    const replaced = new Noticed();
    const ofFirst = await settle(first, payments, replaced);
    let to = await heightOf(anvil);
    let mined = await minedBetween(anvil, { from, to }, wallets);
    const onFirst = await executionsOf(anvil, payments, mined);
    for (const [index, payment] of payments.entries())
      expectPaidOnce(payment, endOf(payment, ofFirst.ends), onFirst[index], false);
    const knownToCopy = await signedHere(copy, copyUrl);
    const forgotten = forgottenOf(wallets, mined, knownToCopy);
    const suspendedEarly = (await readSuspensions(copy)).length;

    // Clients repeat their requests with their keys at the second server.
    for (const payment of payments) payment.actionId = undefined;
    await payAll(copy, payments, contracts);
    const others = transfersFrom(wallets, made);
    await payAll(copy, others, contracts);
    const noticed = new Noticed();
    const settled = await settle(copy, [...payments, ...others], noticed);
    await noticeAll(copy, forgotten, noticed);
    expect([...noticed.keys()].toSorted()).toEqual([...forgotten.keys()].toSorted());

    // The first server notices the transactions of the second one.
    const last = transfersFrom(wallets, made);
    await payAll(first, last, contracts);
    const noticedByFirst = new Noticed();
    const end = await settle(first, last, noticedByFirst);
    expect([...noticedByFirst.keys()].toSorted()).toEqual(names);
    to = await heightOf(anvil);
    mined = await minedBetween(anvil, { from, to }, wallets);
    from = to;
    const all = [...payments, ...others, ...last];
    const executions = await executionsOf(anvil, all, mined);
    for (const [index, payment] of all.entries()) {
      expectPaidOnce(payment, endOf(payment, [...settled.ends, ...end.ends]), executions[index], true);
      if ((executions[index] ?? 0) > 1) counts.paidTwice += 1;
    }
    counts.rounds += 1;
    counts.payments += all.length;
    counts.forgotten += forgotten.size;
    counts.noticed += noticed.size;
    counts.noticedBeforePaying += suspendedEarly;
    counts.noticedByFirst += noticedByFirst.size;
    counts.replaced += replaced.size;
    await copy.stop();
    products = products.filter((product) => product !== copy);
  }
  console.log(`second server: ${JSON.stringify(counts)}`);
  expect(counts.forgotten).toBeGreaterThan(0);
});

/** Returns the completed action of a payment; undefined if the payment was refused. */
function endOf(payment: Payment, ends: readonly Action[]): Action | undefined {
  return ends.find(({ actionId }) => actionId === payment.actionId);
}
