// A third server starts on a PostgreSQL database while two other servers recover. These two had accepted
// actions and were then killed.
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';
import { builtInAdapters } from '../../src/adapters.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { logIn } from '../stage/api.ts';
import { balanceOf, freshAddress, nonceOf, poolSize } from './chain.ts';
import { createProduct, type Product, type TestWallet, transferTo } from './product.ts';

const actions = 3_000;
const inBatch = 1_000;
const timing = { lease: 5_000 };
const soon = { timeout: 120_000, interval: 100 };

describe('while two other servers recover', () => {
  let anvil: Anvil;
  let postgres: PostgresCluster;
  let folder: Awaited<ReturnType<typeof openFolder>>;
  const recovering: Product[] = [];
  let third: RunningServer | undefined;
  beforeAll(async () => {
    [anvil, postgres, folder] = await Promise.all([
      startAnvil({ mining: 'manual' }),
      openPostgres(),
      openFolder(),
    ]);
  });
  afterAll(async () => {
    await third?.close();
    for (const product of recovering.toReversed()) await product.stop();
    await Promise.all([anvil?.stop(), postgres?.stop(), folder?.remove()]);
  });

  test('a third server accepts operations before two recovering servers finish, and every action is executed once', async () => {
    const databaseUrl = await postgres.createDatabase();
    const common = { rpcUrl: () => anvil.url, databaseUrl, timing };
    const first = createProduct(common);
    const second = createProduct({ ...common, beside: first });
    recovering.push(first, second);
    await first.start();
    await second.start();
    const wallets = await Promise.all(Array.from({ length: 8 }, () => first.wallet()));
    const walletAt = (index: number) => wallets[index % wallets.length] as TestWallet;
    const target = freshAddress();
    const ids: string[] = [];
    while (ids.length < actions) {
      const operations = Array.from({ length: inBatch }, (_, index) =>
        transferTo(walletAt(index), target, 1),
      );
      const { status, body } = await first.call<{ results: { actionId: string }[] }>(
        ...(['POST', '/v1/ledger-ops/batch', { operations }] as const),
      );
      expect(status, JSON.stringify(body).slice(0, 500)).toBe(201);
      ids.push(...body.results.map(({ actionId }) => actionId));
    }
    await vi.waitFor(async () => expect(await poolSize(anvil)).toBe(actions), soon);
    await Promise.all([first.kill(), second.kill()]);
    // The recovering servers must detect and store every outcome.
    await anvil.rpc('anvil_mine', ['0x1']);
    await Promise.all([first.start(), second.start()]);

    const began = performance.now();
    const passed = () => `${((performance.now() - began) / 1_000).toFixed(1)} s`;
    third = await startServer({
      config: readConfig({
        ...{ PORT: '0', DATA_DIR: folder.path, DATABASE_URL: databaseUrl, MASTER_KEY: first.masterKey },
        ...{ OUTBOUND_OPEN: '127.0.0.1', LOG_LEVEL: 'silent', BASE_URL: 'http://ledger.test' },
      }),
      ...{ log: createLog('silent'), adapters: builtInAdapters, timing },
    });
    const { applicationToken, clientId, serviceAccount, clientSecret } = first.connection();
    const api = await logIn(third.url, {
      ...{ applicationToken, appId: clientId, accountId: serviceAccount, apiToken: clientSecret },
    });
    const answered = passed();
    const { actionId = '' } = await api.expect(
      ...([201, 'POST', '/v1/ledger-ops/send', transferTo(walletAt(0), target, 1)] as const),
    );
    const accepted = passed();
    const [open] = await third.store.read.all<{ n: number }>(
      "SELECT COUNT(*) AS n FROM action WHERE status = 'PENDING' AND id <> $1",
      [actionId],
    );
    console.log(
      `It answered after ${answered}, and accepted after ${accepted}, when ${open?.n} of ${actions} were to be recovered.`,
    );
    expect(Number(open?.n)).toBeGreaterThan(0);

    await vi.waitFor(async () => {
      await anvil.rpc('anvil_mine', ['0x1']);
      expect(await balanceOf(anvil, target)).toBe(BigInt(actions + 1));
    }, soon);
    for (let at = 0; at < ids.length; at += 100) {
      const ends = await first.ended(ids.slice(at, at + 100));
      expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
    }
    expect(await first.ended([actionId])).toMatchObject([{ status: 'SUCCEEDED' }]);
    const sent = await Promise.all(wallets.map(({ address }) => nonceOf(anvil, address)));
    expect(sent.reduce((sum, count) => sum + count, 0)).toBe(actions + 1);
  }, 400_000);
});
