import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CoinRun } from './coin-run.ts';

const actions = 1_500;

let postgres: PostgresCluster;
let run: CoinRun | undefined;

beforeAll(async () => {
  postgres = await openPostgres();
});
afterEach(() => run?.stop());
afterAll(() => postgres.stop());

test('1,500 transfers that spend coins happen once each, through kills, handovers and reorgs beyond the depth', async () => {
  run = await CoinRun.open({
    ...{ actions, wallets: 20, coins: 25, clients: 24, stops: 6, reorgs: 12, thefts: 4 },
    databaseUrl: await postgres.createDatabase(),
  });
  await run.execute();
  const found = await run.check();
  console.log(JSON.stringify(found));
  expect(found.succeeded + found.retracted + found.failed).toBe(actions);
}, 1_800_000);
