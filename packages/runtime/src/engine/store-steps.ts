import type { JsonObject } from '@ledger-ops/adapter';
import type { Tx } from '@ledger-ops/store';
import type { Vault } from '../types.ts';
import type { Account } from './accounts.ts';
import { rebind } from './continue.ts';
import type { Attempt } from './model.ts';
import type { ReadyRow } from './ready-rows.ts';
import { insertAttempts, markSigned } from './signed-rows.ts';

/** A step of an action, signed in memory. */
export interface SignedStep {
  row: ReadyRow;
  account: Account;
  attempts: readonly Attempt[];
  /** The most that it can take. */
  cost: bigint;
  /** Plan and secret that are to stand in the row from now on. */
  rewritten: { plan: JsonObject; secret: JsonObject | undefined } | null;
}

/**
 * Stores signed steps. The grant of an action that may need another transaction is kept, those of the others are
 * erased. Answers the actions that were still ready; what was signed for the others is thrown away.
 */
export async function storeSteps(
  tx: Tx,
  vault: Vault,
  chain: string,
  steps: readonly SignedStep[],
  now: number,
): Promise<Set<string>> {
  const continuing = steps.filter(({ attempts }) => attempts.some(({ mayContinue }) => mayContinue === true));
  const stored = await markSigned(
    tx,
    steps.map(({ row }) => row.id),
    now,
    new Set(continuing.map(({ row }) => row.id)),
  );
  await insertAttempts(
    tx,
    chain,
    steps
      .filter(({ row }) => stored.has(row.id))
      .map(({ row, attempts }) => ({
        actionId: row.id,
        address: row.address,
        shard: row.shard,
        sequence: null,
        attempts,
      })),
    now,
  );
  for (const { row, rewritten } of continuing) {
    if (rewritten === null || !stored.has(row.id)) continue;
    const grant = rebind(vault, row, rewritten.plan, rewritten);
    if (grant === null) continue;
    await tx.run('UPDATE action SET plan = $2 WHERE id = $1', [row.id, JSON.stringify(rewritten.plan)]);
    await tx.run('UPDATE action_grant SET sealed = $2, secret = $3 WHERE action_id = $1', [
      row.id,
      grant.sealed,
      grant.secret,
    ]);
  }
  return stored;
}
