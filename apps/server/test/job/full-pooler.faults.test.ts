// A server behind PgBouncer in session mode. PgBouncer refuses connections because it is full or PostgreSQL
// is down. The server reports the reason once, and every accepted operation is executed once.
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { CrashingPostgres, PgBouncer, pgBouncerVersion } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { KeyedLoad } from './keyed-load.ts';
import { createProduct, type Product } from './product.ts';

const limit = 60_000;
const isMissing = pgBouncerVersion() === undefined;
if (isMissing) console.warn('Skipped: PgBouncer, because it is not installed.');

describe.skipIf(isMissing)('behind PgBouncer', () => {
  let anvil: Anvil;
  let postgres: CrashingPostgres;
  let bouncer: PgBouncer;
  let product: Product | undefined;
  const others: { end(): Promise<void> }[] = [];

  beforeAll(async () => {
    anvil = await startAnvil();
  });
  beforeEach(async () => {
    postgres = await CrashingPostgres.start();
  });
  afterEach(async () => {
    await Promise.all(others.splice(0).map((one) => one.end().catch(() => undefined)));
    await product?.stop();
    await bouncer?.stop();
    await postgres?.stop();
  });
  afterAll(() => anvil?.stop());

  const session = (...more: string[]) => ['pool_mode = session', 'server_login_retry = 1', ...more];
  async function isReported(server: Product, reason: string): Promise<void> {
    await expect
      .poll(async () => (await server.call<{ reasons: string[] }>('GET', '/readyz')).body.reasons, {
        timeout: limit,
      })
      .toContain(`the last change was not stored: ${reason}`);
  }

  test('a server that starts while the pooler is full waits for it, and its log names the cause', async () => {
    bouncer = await PgBouncer.start(postgres.url, session());
    others.push(await bouncer.restartFull(session()));
    const server = createProduct({ rpcUrl: () => anvil.url, databaseUrl: bouncer.url });
    product = server;
    const started = server.start();
    const log = () => server.output.join('');
    await expect.poll(log, { timeout: limit }).toContain('no more connections allowed (max_client_conn)');
    await bouncer.restart(session());
    await started;
    expect(log().split('no more connections allowed').length - 1).toBe(1);
    await expect.poll(async () => (await server.call('GET', '/readyz')).status, { timeout: limit }).toBe(200);
  }, 300_000);

  test.each<[string, () => Promise<unknown>, () => Promise<unknown>, string, string]>([
    [
      'is full',
      async () => others.push(await bouncer.restartFull(session())),
      () => bouncer.restart(session()),
      'The database has no free connection.',
      'no more connections allowed (max_client_conn)',
    ],
    [
      'cannot connect to PostgreSQL',
      () => postgres.crash(),
      () => postgres.restart(),
      'A pooler in front of the database cannot connect to it.',
      'server_login_retry',
    ],
  ])(
    'while the pooler %s, changes are refused with the reason, and nothing is lost',
    async (_, begin, end, reason, words) => {
      bouncer = await PgBouncer.start(postgres.url, session());
      const server = createProduct({
        rpcUrl: () => anvil.url,
        // Requests wait this long for a connection.
        databaseUrl: `${bouncer.url}?connect_timeout=2`,
        environment: { DATABASE_CONNECTIONS: '8' },
      });
      product = server;
      await server.start();
      const load = new KeyedLoad(server, await server.wallet({ exclusive: true }), 6);
      await load.accepted(20);
      await begin();
      await load.refusals(10);
      await isReported(server, reason);
      await end();
      await load.accepted(20);
      await load.stop();
      await load.demandOnce(anvil);
      await expect
        .poll(async () => (await server.call('GET', '/readyz')).status, { timeout: limit })
        .toBe(200);
      const log = () => server.output.join('');
      // Log lines are written within a second.
      await expect.poll(log, { timeout: limit }).toContain(words);
      expect(log().split(`"reason":"${reason}"`).length - 1).toBe(1);
      console.log(`${load.sends.length} accepted, ${load.refused} refused`);
    },
    300_000,
  );
});
