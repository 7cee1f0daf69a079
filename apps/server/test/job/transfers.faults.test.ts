import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CoinLedger } from './coin-ledger.ts';
import { NonceLedger } from './nonce-ledger.ts';
import { SolanaRunLedger } from './solana-run-ledger.ts';
import { TransferRun } from './transfer-run.ts';

/** `TRANSFERS` sets another number, such as 10,000. */
const actions = Number(process.env.TRANSFERS ?? 1_500);
const load = { actions, wallets: 20, clients: 24, stops: 6, reorgs: 12, thefts: 4 };

let postgres: PostgresCluster;
let run: TransferRun | undefined;

beforeAll(async () => {
  postgres = await openPostgres();
});
afterEach(async () => {
  await run?.stop();
  run = undefined;
});
afterAll(() => postgres.stop());

test.each([
  ['spend coins', () => CoinLedger.start(25)],
  ['use nonces', () => NonceLedger.start()],
  ['use durable nonces', () => SolanaRunLedger.start('nonce')],
  ['expire', () => SolanaRunLedger.start('expiry')],
] as const)(
  'transfers that %s are executed once each, despite kills, handovers and reorgs beyond the confirmation depth',
  async (how, start) => {
    // Another program cannot exclude a transaction that expires.
    const thefts = how === 'expire' ? 0 : load.thefts;
    run = await TransferRun.open(
      { ...load, thefts, databaseUrl: await postgres.createDatabase() },
      await start(),
    );
    await run.execute();
    const found = await run.check();
    console.log(JSON.stringify(found));
    expect(found.succeeded + found.retracted + found.failed).toBe(actions);
  },
  1_800_000,
);
