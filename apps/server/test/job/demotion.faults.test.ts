// A PostgreSQL primary becomes read-only under load, in two ways: by its configuration while it runs, and as
// a standby of its successor. Until a writable primary is available, writes are refused. Then they continue
// without intervention, and nothing is read from the former primary.
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { ReplicatedPostgres } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { KeyedLoad } from './keyed-load.ts';
import { createProduct, type Product } from './product.ts';
import { readSuspensions } from './set-back-run.ts';

const limit = 60_000;
const readOnly = 'The database server became read-only.';

let anvil: Anvil;
let postgres: ReplicatedPostgres;
let product: Product;
let load: KeyedLoad;

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
  const databaseUrl = `${postgres.url}?target_session_attrs=read-write`;
  product = createProduct({ rpcUrl: () => anvil.url, databaseUrl });
  await product.start();
  load = new KeyedLoad(product, await product.wallet({ exclusive: true }), 8);
  await load.accepted(20);
}

/** Waits until `/readyz` returns 503 with the reason. */
async function isReported(reason: string): Promise<void> {
  await expect
    .poll(async () => await product.call('GET', '/readyz'), { timeout: limit })
    .toMatchObject({
      status: 503,
      body: { reasons: expect.arrayContaining([expect.stringContaining(reason)]) },
    });
}

async function isReady(): Promise<void> {
  await expect.poll(async () => (await product.call('GET', '/readyz')).status, { timeout: limit }).toBe(200);
}

/** Checks that everything that was accepted was executed once, and that no ledger was suspended. */
async function demandOnce(): Promise<void> {
  await load.stop();
  await load.demandOnce(anvil);
  expect(await readSuspensions(product)).toEqual([]);
  console.log(`${load.sends.length} accepted, ${load.refused} refused`);
}

test('a server refuses changes while its PostgreSQL primary is read-only, and accepts them afterwards', async () => {
  await start(false);
  for (let n = 0; n < 3; n += 1) {
    await postgres.setReadOnly(true);
    await load.refusals(20);
    await isReported(readOnly);
    const before = load.sends.length;
    await load.refusals(20);
    expect(load.sends.length).toBe(before);
    await postgres.setReadOnly(false);
    await load.accepted(20);
    await isReady();
  }
  await demandOnce();
  const failures = () => product.output.join('').split('"database.write-failed"').length - 1;
  // Log lines are written within a second.
  await expect.poll(failures, { timeout: limit }).toBe(3);
}, 600_000);

test('a server switches immediately to a promoted standby, although the former primary still runs read-only', async () => {
  await start(true);
  await postgres.setReadOnly(true);
  await load.refusals(20);
  await isReported(readOnly);
  await postgres.promote();
  await load.accepted(40);
  await isReady();
  await demandOnce();
}, 600_000);

test('a server does not read from a former primary that returned as a standby', async () => {
  await start(true);
  for (let n = 0; n < 3; n += 1) {
    await expect
      .poll(() => postgres.read("select value from counter where name = 'replication.synchronous'"), {
        timeout: limit,
      })
      .toEqual([{ value: '1' }]);
    await postgres.stopPrimary('SIGINT');
    await load.refusals(20);
    await isReported('the database does not respond');
    await postgres.promote();
    await load.accepted(20);
    await postgres.addStandby();
    await load.accepted(60);
    await isReady();
  }
  await demandOnce();
}, 600_000);
