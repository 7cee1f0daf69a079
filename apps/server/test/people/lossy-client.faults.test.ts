// Sends 1,000 transfers through the client, over a network that loses, delays and cuts responses at random. Callers
// repeat transfers as docs/guide/idempotency.md describes. No transfer is paid twice, and none is lost.
import { randomInt } from 'node:crypto';
import {
  createClient,
  type LedgerClient,
  NoAnswerError,
  type OperationKey,
  OutcomeUnknownError,
} from '@ledger-ops/client';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterEach, expect, inject, test } from 'vitest';
import { createChance } from '../job/faults.ts';
import { addTenant, addWallet, type Installation, install, type Tenant, transferBody } from '../stage/api.ts';
import { type Fate, type LossyProxy, openLossyProxy } from './lossy-proxy.ts';

const payments = 1_000;
const callers = 20;
const recipient = '0x00000000000000000000000000000000000CA5E5';
const seed = inject('faults')?.seed ?? randomInt(2 ** 31);
let postgres: PostgresCluster | undefined;
let place: Installation;
let tenant: Tenant;
let proxy: LossyProxy;
let ledger: LedgerClient;

type Chance = ReturnType<typeof createChance>;

async function start(dialect: 'sqlite' | 'postgres'): Promise<void> {
  postgres = dialect === 'postgres' ? await openPostgres() : undefined;
  place = await install(postgres === undefined ? {} : { DATABASE_URL: await postgres.createDatabase() });
  tenant = await addTenant(place.url, place.administrator, 'lossy');
  for (const name of ['one', 'two', 'three', 'four']) await addWallet(place, tenant, name);
  proxy = await openLossyProxy(place.url);
  // PostgreSQL under load responds later than SQLite.
  const answer = dialect === 'postgres' ? 1_000 : 200;
  proxy.delayMs = answer + 100;
  ledger = createClient({
    ...{ baseUrl: proxy.url, applicationToken: tenant.applicationToken },
    credentials: { clientId: tenant.appId, serviceAccount: tenant.accountId, apiToken: tenant.apiToken },
    // The client's time limit is shorter than the delay, so that delayed requests arrive after their repetition.
    timing: { answer, tries: 2, again: 5 },
  });
}
afterEach(async () => {
  await proxy?.close();
  await place?.close();
  await postgres?.stop();
});

/** Pays as the guide describes. Returns in `unknown` how many attempts had an unknown outcome. */
async function pay(amount: number, chance: Chance): Promise<{ actionId: string; unknown: number }> {
  const { walletId, walletPassword } = transferBody(
    ['one', 'two', 'three', 'four'][amount % 4] ?? '',
    recipient,
  );
  const payment = { walletId, walletPassword, amount, to: { ledger: 'ethereum', address: recipient } };
  let identity: OperationKey = amount % 2 === 0 ? { reference: `invoice-${amount}` } : {};
  for (let unknown = 0; ; ) {
    const given = chance(0, 5) === 0 ? { signal: AbortSignal.timeout(chance(1, 60)) } : {};
    try {
      const { actionId } = await ledger.transfer({ ...payment, ...identity, ...given });
      return { actionId, unknown };
    } catch (error) {
      if (error instanceof OutcomeUnknownError) {
        unknown += 1;
        const idempotencyKey = error.idempotencyKey ?? '';
        if (identity.reference === undefined) identity = { idempotencyKey };
        const found = chance(0, 2) === 0 ? [] : await ledger.findActions({ idempotencyKey }).catch(() => []);
        const [action] = found;
        if (action !== undefined) return { actionId: action.actionId, unknown };
      } else if (!(error instanceof NoAnswerError) && given.signal?.aborted !== true) throw error;
    }
  }
}

test.for(['sqlite', 'postgres'] as const)(
  `%s: 1,000 transfers over a lossy network are each paid once (seed ${seed})`,
  {
    timeout: 600_000,
  },
  async (dialect) => {
    await start(dialect);
    const chance = createChance('lossy-client', seed);
    const fates: readonly Fate[] = ['lose-request', 'lose-response', 'cut-response', 'delay'];
    proxy.fate = () => (chance(0, 10) < 4 ? (fates[chance(0, fates.length)] ?? 'pass') : 'pass');
    const amounts = Array.from({ length: payments }, (_, at) => at + 1);
    const queue = amounts.values();
    const paid: { actionId: string; unknown: number }[] = [];
    const work = async () => {
      for (const amount of queue) paid.push(await pay(amount, chance));
    };
    await Promise.all(Array.from({ length: callers }, work));
    proxy.fate = () => 'pass';
    const patient = createClient({
      ...{ baseUrl: place.url, applicationToken: tenant.applicationToken },
      credentials: { clientId: tenant.appId, serviceAccount: tenant.accountId, apiToken: tenant.apiToken },
    });
    await Promise.all(paid.map(({ actionId }) => patient.waitFor(actionId)));
    const stored = await place.server.store.read.all('SELECT id FROM action');
    const balance = BigInt(String(await place.anvil.rpc('eth_getBalance', [recipient, 'latest'])));
    const unknown = paid.reduce((sum, one) => sum + one.unknown, 0);
    console.log(`Unknown outcomes: ${unknown}.`);
    expect(unknown).toBeGreaterThan(50);
    expect(new Set(paid.map(({ actionId }) => actionId)).size).toBe(payments);
    expect(stored).toHaveLength(payments);
    expect(balance).toBe(BigInt((payments * (payments + 1)) / 2));
  },
);
