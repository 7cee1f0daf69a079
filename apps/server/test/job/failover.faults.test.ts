// A PostgreSQL primary is killed, and its standby promoted. If the standby was synchronous, servers continue
// without intervention, and every operation whose request got 201 is executed exactly once. If it was not
// synchronous, no more transactions are signed.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { noPostgresPrograms, ReplicatedPostgres } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { balanceOf, freshAddress, nonceOf, poolSize } from './chain.ts';
import { createChance } from './faults.ts';
import { KeyedLoad } from './keyed-load.ts';
import { createProduct, type Product, type TestWallet, transferTo } from './product.ts';
import { readSuspensions } from './set-back-run.ts';

const failovers = 10;
/** Number of promotions after pg_rewind. It is odd, so the standby is the first host in the end. */
const rewinds = 5;
/** Number of concurrent requests, from three wallets. */
const clients = 12;
/** Time in milliseconds within which operations are accepted again after a promotion. */
const limit = 30_000;

/** Whether servers know that commits wait for the standby. */
const knownMode = "select value from counter where name = 'replication.synchronous'";

let anvil: Anvil;
let postgres: ReplicatedPostgres;
let product: Product;

beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil?.stop());
afterEach(async () => {
  await product?.stop();
  await postgres?.stop();
});

async function start(isSynchronous: boolean): Promise<void> {
  postgres = await ReplicatedPostgres.start(isSynchronous);
  await startServer();
}

async function startServer(): Promise<void> {
  product = createProduct({ rpcUrl: () => anvil.url, databaseUrl: postgres.url });
  await product.start();
}

test('killing the primary ten times under load neither loses actions nor executes any twice', async () => {
  await start(true);
  const exclusive = { exclusive: true };
  const wallets = await Promise.all([
    product.wallet(exclusive),
    product.wallet(exclusive),
    product.wallet(exclusive),
  ]);
  const sends: { target: string; actionId: string; wallet: TestWallet }[] = [];
  const chance = createChance('failover');
  let isOver = false;

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
      // 503: the database is unavailable. 409: the previous request with this key is still running.
      expect(answer).toMatchObject({ status: expect.toSatisfy((status) => [409, 503].includes(status)) });
      await delay(50);
    }
  };
  const client = async (index: number) => {
    const wallet = wallets[index % wallets.length];
    if (wallet === undefined) throw new RangeError('Each client has a wallet.');
    for (let n = 0; !isOver; n += 1) await send(`key-${index}-${n}`, wallet);
  };
  const all = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  const accepted = async (count: number) => {
    const from = sends.length;
    await expect.poll(() => sends.length - from, { timeout: limit }).toBeGreaterThanOrEqual(count);
  };
  const paused: number[] = [];
  try {
    for (let n = 0; n < failovers; n += 1) {
      // Servers notice within a second that commits wait for the new standby.
      await expect.poll(() => postgres.read(knownMode), { timeout: limit }).toEqual([{ value: '1' }]);
      const before = chance(1, 60);
      await accepted(before);
      const killedAt = performance.now();
      await postgres.failOver();
      await accepted(1);
      paused.push(Math.round(performance.now() - killedAt));
      if (n < failovers - 1) await postgres.addStandby();
    }
  } finally {
    isOver = true;
  }
  await all;
  console.log(
    `${sends.length} accepted; milliseconds from each kill to the next acceptance: ${paused.join(', ')}`,
  );

  const ends = await product.ended(sends.map(({ actionId }) => actionId));
  // Failed actions are printed completely, with their reasons.
  expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
  for (const { target } of sends) expect(await balanceOf(anvil, target)).toBe(7n);
  for (const wallet of wallets) {
    const own = sends.filter((one) => one.wallet === wallet);
    expect(await nonceOf(anvil, wallet.address)).toBe(own.length);
  }
  expect(await poolSize(anvil)).toBe(0);
  expect(await readSuspensions(product)).toEqual([]);
  // The server recognizes the cluster as the same one, and no heartbeat is lost.
  await product.terminate();
  await product.start();
  expect(await product.call('GET', '/readyz')).toMatchObject({ status: 200, body: { readOnly: false } });
}, 900_000);

test('if former primaries rejoin with pg_rewind and are promoted again, no action is lost or executed twice', async ({
  skip,
}) => {
  skip(noPostgresPrograms !== undefined, noPostgresPrograms);
  postgres = await ReplicatedPostgres.startInstalled(true);
  await startServer();
  const load = new KeyedLoad(product, await product.wallet({ exclusive: true }), 6);
  const chance = createChance('pg_rewind');
  const isKnown = () =>
    expect.poll(() => postgres.read(knownMode), { timeout: limit }).toEqual([{ value: '1' }]);
  const paused: number[] = [];
  for (let n = 0; n < rewinds; n += 1) {
    // Servers notice within a second that commits wait for the new standby.
    await isKnown();
    await load.accepted(chance(1, 40));
    const killedAt = performance.now();
    await postgres.failOver();
    await load.accepted(1);
    paused.push(Math.round(performance.now() - killedAt));
    await postgres.rejoin();
  }
  await isKnown();
  await load.stop();
  console.log(
    `${load.sends.length} accepted, ${load.refused} refused; milliseconds from each kill to the next acceptance: ${paused.join(', ')}`,
  );
  await load.demandOnce(anvil);
  expect(await readSuspensions(product)).toEqual([]);
  // The next start knows the timeline of the last promotion. The first host in the URL is then the standby.
  await product.terminate();
  await product.start();
  expect(await product.call('GET', '/readyz')).toMatchObject({ status: 200, body: { readOnly: false } });
  expect(await readSuspensions(product)).toEqual([]);
}, 900_000);

const heartbeatFile = () => join(product.folder, 'heartbeat.json');

test('a server that kept its data folder does not change a database that lost commits', async () => {
  await start(false);
  const wallet = await product.wallet();
  await postgres.disconnectStandby();
  const before = await readFile(heartbeatFile(), 'utf8');
  const target = freshAddress();
  const sent = await product.call('POST', '/v1/ledger-ops/send', transferTo(wallet, target, 7));
  await product.ended([String(sent.body.actionId)]);
  await expect.poll(() => readFile(heartbeatFile(), 'utf8'), { timeout: limit }).not.toBe(before);
  await product.kill();
  await postgres.failOver();
  await product.start();
  expect(await product.call('GET', '/readyz')).toMatchObject({ status: 503, body: { readOnly: true } });
  // Log lines are written within a second.
  await expect
    .poll(() => product.output.join(''), { timeout: limit })
    .toContain('The database was restored to an earlier state');
}, 300_000);

test.each(['keeps running', 'is killed with the primary and its data folder'])(
  'a promotion that lost commits suspends all ledgers, and nothing is executed twice (the server %s)',
  async (fate) => {
    await start(false);
    const wallet = await product.wallet();
    const send = async (target: string): Promise<string> => {
      const answer = await product.call('POST', '/v1/ledger-ops/send', transferTo(wallet, target, 7));
      expect(answer).toMatchObject({ status: 201 });
      return String(answer.body.actionId);
    };
    const before = freshAddress();
    await product.ended([await send(before)]);
    await postgres.disconnectStandby();
    const lost = Array.from({ length: 5 }, freshAddress);
    const ids = await Promise.all(lost.map(send));
    expect((await product.ended(ids)).map(({ status }) => status)).toEqual(ids.map(() => 'SUCCEEDED'));

    if (fate === 'keeps running') await postgres.failOver();
    else {
      await product.kill();
      await rm(heartbeatFile());
      await postgres.failOver();
      await product.start();
    }
    const listed = () =>
      product.call<{ suspensions: { reason: string }[] }>('GET', '/v1/ledger-ops/suspensions');
    await expect.poll(async () => (await listed()).status, { timeout: limit }).toBe(200);
    const { body } = await listed();
    expect(body.suspensions).not.toEqual([]);
    for (const { reason } of body.suspensions)
      expect(reason).toContain('A standby of the database was promoted.');

    const after = freshAddress();
    const waiting = await send(after);
    await product.waitsFor(waiting, 'A standby of the database was promoted.');
    for (const target of [before, ...lost]) expect(await balanceOf(anvil, target)).toBe(7n);
    expect(await balanceOf(anvil, after)).toBe(0n);
  },
  300_000,
);
