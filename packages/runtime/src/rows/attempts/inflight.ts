import type { ClaimingTransaction } from '@ledger-ops/adapter';
import { type Queries, readJson, type SqlValue, type Store } from '@ledger-ops/store';
import { readPendingCode } from '../../pending-codes.ts';
import {
  type Attempt,
  type Change,
  type LiveAction,
  liveAction,
  noPendingReason,
  type ReplacementReason,
} from '../model.ts';

/** Reads the signed, unsettled actions of these shards. */
export async function readInflight(
  store: Store,
  chain: string,
  shards: readonly number[],
): Promise<LiveAction[]> {
  if (shards.length === 0) return [];
  // The status is not checked in SQL but below: without statistics, PostgreSQL would scan the whole index of pending
  // actions for each attempt.
  interface Row extends AttemptRow {
    action_id: string;
    address: string;
    shard: number;
    sequence: number | null;
    height: number | null;
    kept: number;
    created_at: number;
    ledger_uid: string;
    plugin: string | null;
    trace: string | null;
    waiting: string | null;
    waiting_code: string | null;
    accepted_at: number;
    change: string | null;
    change_cap: string | null;
    status: string;
  }
  const rows = await store.read.all<Row>(
    `SELECT ${attemptColumns}, attempt.action_id, attempt.address, attempt.shard, attempt.sequence, attempt.created_at, attempt.height,
        CASE WHEN attempt.sealed IS NULL THEN 0 ELSE 1 END AS kept, action.ledger_uid, action.plugin, action.trace, action.waiting,
        action.waiting_code, action.created_at AS accepted_at,
        action.change, action.change_cap, action.status
        FROM attempt JOIN action ON action.id = attempt.action_id
        WHERE attempt.chain = $1 AND attempt.shard IN (${shards.join(', ')}) AND attempt.settled_at IS NULL AND attempt.bytes IS NOT NULL
        AND attempt.kind <> 'filler'
        AND action.stage = 'signed'
        ORDER BY attempt.sequence, attempt.n`,
    [chain],
  );
  const taken = new Map<string, LiveAction>();
  for (const row of rows) {
    if (row.status !== 'PENDING') continue;
    let action = taken.get(row.action_id);
    if (action === undefined) {
      action = liveAction({
        id: row.action_id,
        ledgerUid: row.ledger_uid,
        plugin: row.plugin,
        trace: row.trace,
        address: row.address,
        shard: row.shard,
        sequence: row.sequence,
        attempts: [],
        signedAt: row.created_at,
        releasedHeight: row.height,
        kept: row.kept === 1,
        readBack: true,
        sentAt: 0,
        pendingReason: {
          ...noPendingReason(),
          stored:
            row.waiting === null ? null : { detail: row.waiting, code: readPendingCode(row.waiting_code) },
        },
        acceptedAt: row.accepted_at,
        change: changeOf(row),
      });
      taken.set(action.id, action);
    }
    if (row.kept === 1) action.kept = true;
    if (action.kept === true || row.sequence === null) {
      // Each of these attempts was signed on demand, so all of them may be sent.
      action.released = action.attempts.length;
      action.releasedAt = row.created_at;
      action.releasedHeight = row.height;
    }
    action.attempts.push(attemptOf(row));
  }
  return [...taken.values()];
}

/** Returns the action's transactions that may still be executed, in the order of signing. */
export async function readUnsettledOf(read: Queries, chain: string, actionId: string): Promise<Attempt[]> {
  const rows = await read.all<AttemptRow>(
    `SELECT ${attemptColumns} FROM attempt WHERE attempt.action_id = $2 AND attempt.chain = $1
      AND attempt.settled_at IS NULL AND attempt.bytes IS NOT NULL ORDER BY attempt.n`,
    [chain, actionId],
  );
  return rows.map(attemptOf);
}

interface AttemptRow extends Record<string, SqlValue> {
  tx_id: string;
  n: number;
  kind: string;
  bytes: Uint8Array;
  cost: string;
  note: string | null;
  reason: string | null;
  valid_until: number | null;
  claims: string | null;
  needs: string | null;
}

const attemptColumns = `attempt.tx_id, attempt.n, attempt.kind, attempt.bytes, attempt.cost, attempt.note, attempt.reason,
  attempt.valid_until, attempt.claims, attempt.needs`;

function attemptOf(row: AttemptRow): Attempt {
  return {
    txId: row.tx_id,
    n: row.n,
    kind: row.kind === 'bump' || row.kind === 'noop' ? row.kind : 'main',
    bytes: row.bytes,
    cost: BigInt(row.cost),
    note: row.note,
    reason: readJson<ReplacementReason>(row.reason),
    unsent: false,
    ...(row.valid_until === null ? {} : { validUntil: row.valid_until }),
    ...(row.claims === null ? {} : { claims: readJson<string[]>(row.claims) }),
    ...(row.needs === null ? {} : { needs: readJson<ClaimingTransaction[]>(row.needs) }),
  };
}

/** Returns the open change request that an action's row contains. */
export function changeOf(row: { change: string | null; change_cap: string | null }): Change | null {
  const cap = row.change_cap === null ? null : BigInt(row.change_cap);
  return row.change === 'cancel' || row.change === 'hurry' ? { kind: row.change, cap } : null;
}
