// The password of the database's role is changed five times under load, and all connections are closed each
// time. The server continues without a restart, and executes each operation exactly once.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { CrashingPostgres } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';
import { balanceOf, freshAddress, nonceOf, poolSize } from './chain.ts';
import { createProduct, type Product, transferTo } from './product.ts';

const rotations = 5;
const clients = 6;
/** Time in milliseconds within which operations are accepted again. */
const limit = 30_000;

let anvil: Anvil;
let postgres: CrashingPostgres;
let folder: Awaited<ReturnType<typeof openFolder>>;
let product: Product | undefined;

beforeAll(async () => {
  [anvil, postgres, folder] = await Promise.all([startAnvil(), CrashingPostgres.start(), openFolder()]);
});
afterEach(() => product?.stop());
afterAll(async () => {
  await Promise.all([anvil?.stop(), postgres?.stop(), folder?.remove()]);
});

const run = (sql: string) => postgres.asAdministrator(async (client) => (await client.query(sql)).rows);

test('a changed database password requires no restart and loses no operation', async () => {
  const file = join(folder.path, 'database.url');
  await writeFile(file, postgres.url);
  const server = createProduct({ rpcUrl: () => anvil.url, environment: { DATABASE_URL_FILE: file } });
  product = server;
  await server.start();
  const wallet = await server.wallet({ exclusive: true });
  const sends: { target: string; actionId: string }[] = [];
  const statuses: number[] = [];
  let isOver = false;
  const client = async (index: number) => {
    for (let n = 0; !isOver; n += 1) {
      const target = freshAddress();
      for (;;) {
        const headers = { 'Idempotency-Key': `key-${index}-${n}` };
        const answer = await server.call(
          'POST',
          '/v1/ledger-ops/send',
          transferTo(wallet, target, 7),
          headers,
        );
        statuses.push(answer.status);
        if (answer.status === 201) {
          sends.push({ target, actionId: String(answer.body.actionId) });
          break;
        }
        expect(answer).toMatchObject({ status: expect.toSatisfy((status) => [409, 503].includes(status)) });
        await delay(50);
      }
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  const accepted = async (count: number) => {
    const from = sends.length;
    await expect.poll(() => sends.length - from, { timeout: limit }).toBeGreaterThanOrEqual(count);
  };
  const role = new URL(postgres.url).username;
  try {
    for (let n = 0; n < rotations; n += 1) {
      await accepted(20);
      await run(`alter role ${role} password 'rotated-${n}'`);
      await writeFile(file, Object.assign(new URL(postgres.url), { password: `rotated-${n}` }).href);
      await run(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
    }
    await accepted(20);
  } finally {
    isOver = true;
  }
  await all;
  console.log(
    `${sends.length} accepted; ${statuses.filter((status) => status !== 201).length} other responses`,
  );
  const ends = await server.ended(sends.map(({ actionId }) => actionId));
  expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
  for (const { target } of sends) expect(await balanceOf(anvil, target)).toBe(7n);
  expect(await nonceOf(anvil, wallet.address)).toBe(sends.length);
  expect(await poolSize(anvil)).toBe(0);
  await expect.poll(async () => (await server.call('GET', '/readyz')).status, { timeout: limit }).toBe(200);
  // Log lines are written within a second.
  const log = () => server.output.join('');
  await expect
    .poll(() => log().split('has another role or password').length - 1, { timeout: limit })
    .toBe(rotations);
  expect(log()).not.toContain('rotated-');
  expect(log()).not.toMatch(/"plugin\.(?:failed|refused|unresponsive)"/);
}, 300_000);
