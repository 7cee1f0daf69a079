import { readJson, type Store } from '@ledger-ops/store';
import { readPendingCode } from '../../pending-codes.ts';
import { type Change, type LiveAction, liveAction, type ReplacementReason } from '../model.ts';

/** Actions that are signed and not settled on these shards. */
export async function readInflight(
  store: Store,
  chain: string,
  shards: readonly number[],
): Promise<LiveAction[]> {
  if (shards.length === 0) return [];
  // A condition on the status is for an index of what is pending: without statistics PostgreSQL reads all of that
  // for each attempt.
  const rows = await store.read.all<{
    tx_id: string;
    action_id: string;
    n: number;
    kind: string;
    address: string;
    shard: number;
    sequence: number | null;
    bytes: Uint8Array;
    cost: string;
    note: string | null;
    reason: string | null;
    height: number | null;
    valid_until: number | null;
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
  }>(
    `SELECT attempt.tx_id, attempt.action_id, attempt.n, attempt.kind, attempt.address, attempt.shard, attempt.sequence,
        attempt.bytes, attempt.cost, attempt.note, attempt.created_at, attempt.reason, attempt.height,
        attempt.valid_until,
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
        remark: row.waiting,
        remarkCode: readPendingCode(row.waiting_code),
        acceptedAt: row.accepted_at,
        change: changeOf(row),
      });
      taken.set(action.id, action);
    }
    if (action.kept === true) {
      // Each was signed when it was needed, and goes out at once.
      action.released = action.attempts.length;
      action.releasedAt = row.created_at;
      action.releasedHeight = row.height;
    }
    action.attempts.push({
      txId: row.tx_id,
      n: row.n,
      kind: row.kind === 'bump' || row.kind === 'noop' ? row.kind : 'main',
      bytes: row.bytes,
      cost: BigInt(row.cost),
      note: row.note,
      reason: readJson<ReplacementReason>(row.reason),
      unsent: false,
      ...(row.valid_until === null ? {} : { validUntil: row.valid_until }),
    });
  }
  return [...taken.values()];
}

/** The open request of an action, as its row has it. */
export function changeOf(row: { change: string | null; change_cap: string | null }): Change | null {
  const cap = row.change_cap === null ? null : BigInt(row.change_cap);
  return row.change === 'cancel' || row.change === 'hurry' ? { kind: row.change, cap } : null;
}
