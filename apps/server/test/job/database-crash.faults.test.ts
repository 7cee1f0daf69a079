// PostgreSQL crashes while its role has turned synchronous_commit off. Every operation whose request got 201
// exists and is executed exactly once, although callers send unanswered requests again with their keys.
import { setTimeout as delay } from 'node:timers/promises';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { CrashingPostgres } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { balanceOf, freshAddress, nonceOf, poolSize } from './chain.ts';
import { createChance } from './faults.ts';
import { createProduct, type Product, type TestWallet, transferTo } from './product.ts';
import { readSuspensions } from './set-back-run.ts';

const actions = 2_000;
/** Number of concurrent requests, from four wallets. */
const clients = 12;
/** Approximate time between a restart and the next crash, in milliseconds. */
const between = 10_000;
/** Milliseconds that a client pauses after each action. The actions then last for many crashes. */
const pause = 400;

let anvil: Anvil;
let postgres: CrashingPostgres;
let product: Product;

beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil?.stop());
beforeEach(async () => {
  postgres = await CrashingPostgres.start();
  product = createProduct({ rpcUrl: () => anvil.url, databaseUrl: postgres.url });
  await product.start();
});
afterEach(async () => {
  await product?.stop();
  await postgres?.stop();
});

test('everything that was accepted exists after a crash of PostgreSQL', async () => {
  const wallet = await product.wallet();
  const targets = Array.from({ length: 10 }, freshAddress);
  const ids = await Promise.all(
    targets.map(async (target) => {
      const answer = await product.call('POST', '/v1/ledger-ops/send', transferTo(wallet, target, 7));
      expect(answer).toMatchObject({ status: 201 });
      return String(answer.body.actionId);
    }),
  );
  await postgres.crash();
  await postgres.restart();
  const { rows } = await postgres.asAdministrator((client) => client.query('select id from action'));
  expect(rows.map(({ id }) => id).sort()).toEqual(expect.arrayContaining([...ids].sort()));
}, 120_000);

test('if PostgreSQL crashes every ten seconds, 2,000 actions are neither lost nor executed twice', async () => {
  const wallets = await Promise.all(Array.from({ length: 4 }, () => product.wallet({ exclusive: true })));
  const chance = createChance('database-crash');
  const sends: { target: string; actionId: string; wallet: TestWallet }[] = [];
  let started = 0;

  /** Sends a request with its key until it gets a response. */
  const send = async (key: string, wallet: TestWallet) => {
    const target = freshAddress();
    for (;;) {
      const answer = await product.call('POST', '/v1/ledger-ops/send', transferTo(wallet, target, 7), {
        'Idempotency-Key': key,
      });
      if (answer.status === 201) {
        sends.push({ target, actionId: String(answer.body.actionId), wallet });
        return;
      }
      // 503: the database is restarting. 409: the previous request with this key is still running.
      expect(answer).toMatchObject({ status: expect.toSatisfy((status) => [409, 503].includes(status)) });
      await delay(50);
    }
  };
  const client = async (index: number) => {
    const wallet = wallets[index % wallets.length];
    if (wallet === undefined) throw new RangeError('Each client has a wallet.');
    while (started < actions) {
      started += 1;
      await send(`key-${started}`, wallet);
      await delay(pause);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  let isOver = false;
  const over = all.finally(() => {
    isOver = true;
  });
  let crashes = 0;
  for (; !isOver; crashes += 1) {
    await Promise.race([over, delay(between + chance(-500, 500))]);
    if (isOver) break;
    await postgres.crash();
    await postgres.restart();
  }
  await over;
  console.log(`${sends.length} actions were accepted during ${crashes} crashes of PostgreSQL.`);
  expect(crashes).toBeGreaterThan(2);

  const ends = await product.ended(sends.map(({ actionId }) => actionId));
  expect(ends).toHaveLength(actions);
  // Failed actions are printed completely, with their reasons.
  expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
  for (const { target } of sends) expect(await balanceOf(anvil, target)).toBe(7n);
  for (const wallet of wallets) {
    const own = sends.filter((one) => one.wallet === wallet);
    expect(await nonceOf(anvil, wallet.address)).toBe(own.length);
  }
  expect(await poolSize(anvil)).toBe(0);
  expect(await readSuspensions(product)).toEqual([]);
}, 900_000);
