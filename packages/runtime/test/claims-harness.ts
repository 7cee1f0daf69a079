// Helpers for tests of claims: a ledger of coins, and queries of the stored transactions and claims.
import type { Store } from '@ledger-ops/store';
import { expect, vi } from 'vitest';
import { CoinLedger, type CoinLedgerOptions } from './coin-ledger.ts';
import { type EngineHarness, type HarnessOptions, startEngine, transfer } from './engine-harness.ts';

/** Returns the claims of the stored transactions, by action. */
export async function claimsOf({ store }: Pick<EngineHarness, 'store'>): Promise<Map<string, string[][]>> {
  const rows = await store.read.all<{ action_id: string; claims: string }>(
    'SELECT action_id, claims FROM attempt ORDER BY action_id, n',
  );
  const claims = new Map<string, string[][]>();
  for (const { action_id, claims: text } of rows)
    claims.set(action_id, [...(claims.get(action_id) ?? []), JSON.parse(text)]);
  return claims;
}

/** Returns the claims of pending actions. */
export async function heldClaims({ store }: Pick<EngineHarness, 'store'>): Promise<string[]> {
  const rows = await store.read.all<{ claim: string }>(
    `SELECT claim FROM claim JOIN action ON action.id = claim.action_id WHERE action.status = 'PENDING' ORDER BY claim`,
  );
  return rows.map(({ claim }) => claim);
}

/** Returns functions that open engines on ledgers of coins. @param open opens an empty store */
export function claimsWorld(open: () => Promise<Store>) {
  const start = async (coins: CoinLedger, more: { store?: Store } & Partial<HarnessOptions> = {}) =>
    startEngine({ adapter: coins.adapter(), ...more, store: more.store ?? (await open()) });

  const world = async (amounts: number[], options: CoinLedgerOptions = {}) => {
    const coins = new CoinLedger(options);
    const harness = await start(coins);
    const from = await harness.wallet(0n);
    for (const amount of amounts) coins.fund(from.address, amount);
    const signed = (ids: readonly string[]) =>
      vi.waitFor(async () => {
        for (const id of ids) expect((await harness.status(id)).stage).toBe('signed');
        expect(coins.pool.size).toBeGreaterThan(0);
      }, 30_000);
    const pay = (amount = 10) => harness.send(from, transfer('shop', BigInt(amount)));
    return { coins, harness, from, signed, pay };
  };
  return { start, world };
}

/**
 * Returns why the ledger no longer contains the outcome of a finished action; null if the ledger contains it.
 */
export async function retractionOf({ store }: EngineHarness, id: string): Promise<string | null> {
  const [row] = await store.read.all<{ retracted: string | null }>(
    'SELECT retracted FROM action WHERE id = $1',
    [id],
  );
  return row?.retracted ?? null;
}

/** Waits until an action is retracted for a reason that contains `why`. */
export async function retractedBecause(harness: EngineHarness, id: string, why: string): Promise<void> {
  await vi.waitFor(async () => expect(await retractionOf(harness, id)).toContain(why), 30_000);
}

/** Requests that a signed action be canceled, or that its fee be raised. */
export async function change({ engine }: EngineHarness, actionId: string, kind: 'cancel' | 'hurry') {
  return engine.change(
    {
      ...{ actionId, change: { kind, cap: null }, by: { serviceId: 'user', appId: 'app' } },
      ...{ at: Date.now(), isSigned: true, isCompared: true, compared: new Set(), grant: null },
    },
    async () => {},
  );
}

/** Returns the transactions of an action, in the order of signing. */
export async function attemptsOf({ store }: EngineHarness, id: string) {
  return store.read.all<{ tx_id: string; kind: string }>(
    'SELECT tx_id, kind FROM attempt WHERE action_id = $1 ORDER BY n',
    [id],
  );
}
