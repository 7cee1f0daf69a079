// Kills the command `move` from SQLite to PostgreSQL at several points. Before that, the server was killed
// under load.
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { holdTable, openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { endAll, run } from '../../../../testing/children.ts';
import { balanceOf, freshAddress, nonceOf, poolSize } from './chain.ts';
import { createProduct, type Product, type TestWallet, transferTo } from './product.ts';

const actions = 300;
const clients = 8;
/**
 * Number of actions that one request creates before the move, so that tables have more rows than `move`
 * writes at once.
 */
const inBatch = 1_000;
const main = new URL('../../src/main.ts', import.meta.url);

describe('a database that is moved', () => {
  let anvil: Anvil;
  let postgres: PostgresCluster;
  let before: Product | undefined;
  let after: Product | undefined;
  beforeAll(async () => {
    [anvil, postgres] = await Promise.all([startAnvil({ mining: 'manual' }), openPostgres()]);
  });
  afterAll(async () => {
    await endAll();
    await after?.stop();
    await before?.stop();
    await Promise.all([anvil?.stop(), postgres?.stop()]);
  });

  test('a moved database keeps all accepted actions, each executed once, wherever the server and the move are killed', async () => {
    const databaseUrl = await postgres.createDatabase();
    const old = createProduct({ rpcUrl: () => anvil.url });
    before = old;
    await old.start();
    const wallets = await Promise.all([old.wallet(), old.wallet(), old.wallet(), old.wallet()]);
    const sends = Array.from({ length: actions }, (_, index) => ({
      key: `key-${index}`,
      target: freshAddress(),
      wallet: wallets[index % wallets.length] as TestWallet,
      actionId: '',
    }));
    const batchTarget = freshAddress();
    const accepted = () => sends.filter(({ actionId }) => actionId !== '').length;
    /** Sends each request once, until all have responses or the server has exited. */
    async function sendAll(server: Product): Promise<void> {
      const queue = sends.filter(({ actionId }) => actionId === '').values();
      const client = async () => {
        for (const one of queue) {
          const body = transferTo(one.wallet, one.target, 7);
          const headers = { 'Idempotency-Key': one.key };
          const answer = await server.call('POST', '/v1/ledger-ops/send', body, headers).catch((error) => {
            // The connection was broken or refused.
            if (error instanceof TypeError) return null;
            throw error;
          });
          if (answer === null) continue;
          expect(answer).toMatchObject({ status: 201 });
          one.actionId = String(answer.body.actionId);
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
    }

    const operations = Array.from({ length: inBatch }, (_, index) =>
      transferTo(wallets[index % wallets.length] as TestWallet, batchTarget, 1),
    );
    const batch = await old.call<{ results: { actionId: string }[] }>(
      ...(['POST', '/v1/ledger-ops/batch', { operations }] as const),
    );
    expect(batch.status).toBe(201);
    const load = sendAll(old);
    await vi.waitFor(() => expect(accepted()).toBeGreaterThan(actions / 6), 60_000);
    // The actions accepted so far complete; those accepted later are in progress when the server dies.
    await anvil.rpc('anvil_mine', ['0x1']);
    await vi.waitFor(() => expect(accepted()).toBeGreaterThan(actions / 2), 60_000);
    await old.breakAt({ point: 'accept:after-commit', nth: 5 });
    await old.exited();
    await load;
    const answered = accepted();
    expect(answered).toBeLessThan(actions);

    const environment = {
      ...{ DATA_DIR: old.folder, MASTER_KEY: old.masterKey, PORT: '0' },
      ...{ OUTBOUND_OPEN: '127.0.0.1', BASE_URL: 'http://ledger.test' },
    };
    const there = { ...environment, DATABASE_URL: databaseUrl };
    /**
     * Kills a move before it writes to a table.
     *
     * @param pages number of pages of the table that are written before
     */
    async function killedAt(table: string, pages = 0): Promise<string> {
      const held = await holdTable(databaseUrl, table);
      try {
        const moving = run(main, there, ['move']);
        const ended = moving.code.then((code) => {
          throw new Error(`The move did not come to ${table}, and ended (${code}): ${moving.err()}`);
        });
        for (let at = 0; at < pages; at += 1) {
          await Promise.race([held.awaited(), ended]);
          await held.releaseOne();
        }
        await Promise.race([held.awaited(), ended]);
        ended.catch(() => undefined);
        moving.child.kill('SIGKILL');
        expect(await moving.code).toBe(null);
        return moving.err();
      } finally {
        await held.release();
      }
    }
    /** Starts a server that must refuse to start, and returns its reason. */
    async function refused(settings: Record<string, string>): Promise<string> {
      const server = run(main, settings);
      // A running server has no exit code.
      server.child.stdout?.on('data', () => {
        if (server.out().includes('"msg":"listening"')) server.child.kill('SIGKILL');
      });
      // Exit code 2: DATABASE_URL, or its absence, is wrong.
      expect(await server.code).toBe(2);
      return server.out() + server.err();
    }

    const first = await killedAt('action_listed', 1);
    expect(first).toMatch(/^action: [1-9]\d* rows written$/m);
    expect(first).not.toContain('action_listed');
    expect(await killedAt('timeline')).toContain('action: 0 rows written');
    expect(await refused(there)).toContain('An unfinished move is copying data into this database');
    // All rows were compared and the source is marked as moved, but the target is still marked as incomplete.
    // No server opens either database.
    await killedAt('schema_migration');
    expect(await refused(there)).toContain('An unfinished move is copying data into this database');
    expect(await refused(environment)).toContain('The database was moved to PostgreSQL at ');
    const last = run(main, there, ['move', '--json']);
    expect(await last.code, last.err()).toBe(0);
    const { written, tables } = JSON.parse(last.out());
    expect(written).toBe(0);
    expect(tables.action_listed.rows).toBeGreaterThan(inBatch);
    // The server accepted more actions than it responded to.
    expect(tables.action.rows).toBeGreaterThan(inBatch + answered);
    expect(await refused(environment)).toContain('The database was moved to PostgreSQL at ');

    const next = createProduct({ rpcUrl: () => anvil.url, databaseUrl, beside: old });
    after = next;
    await next.start();
    await sendAll(next);
    expect(accepted()).toBe(actions);
    await anvil.rpc('evm_setIntervalMining', [1]);
    const ids = sends.map(({ actionId }) => actionId);
    ids.push(...batch.body.results.map(({ actionId }) => actionId));
    expect(new Set(ids).size).toBe(actions + inBatch);
    for (let at = 0; at < ids.length; at += 100) {
      const ends = await next.ended(ids.slice(at, at + 100));
      expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
    }
    for (const { target } of sends) expect(await balanceOf(anvil, target)).toBe(7n);
    expect(await balanceOf(anvil, batchTarget)).toBe(BigInt(inBatch));
    for (const { address } of wallets)
      expect(await nonceOf(anvil, address)).toBe(ids.length / wallets.length);
    expect(await poolSize(anvil)).toBe(0);
    const verified = run(main, there, ['verify', '--json']);
    expect(await verified.code, verified.out() + verified.err()).toBe(0);
    expect(JSON.parse(verified.out())).toMatchObject({
      discrepancies: [],
      ledgers: [{ actions: ids.length }],
    });
  }, 300_000);
});
