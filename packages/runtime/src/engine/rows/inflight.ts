import type { Store } from '@ledger-ops/store';
import { type LiveAction, liveAction, type ReplacementReason, type Wish } from './model.ts';

/** What is signed and not settled on these shards, as the rows have it. */
export async function readInflight(
  store: Store,
  chain: string,
  shards: readonly number[],
): Promise<LiveAction[]> {
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
    kept: number;
    created_at: number;
    ledger_uid: string;
    plugin: string | null;
    waiting: string | null;
    wanted: string | null;
    wanted_cap: string | null;
  }>(
    `SELECT attempt.tx_id, attempt.action_id, attempt.n, attempt.kind, attempt.address, attempt.shard, attempt.sequence,
        attempt.bytes, attempt.cost, attempt.note, attempt.created_at, attempt.reason, attempt.height,
        CASE WHEN attempt.sealed IS NULL THEN 0 ELSE 1 END AS kept, action.ledger_uid, action.plugin, action.waiting,
        action.wanted, action.wanted_cap
        FROM attempt JOIN action ON action.id = attempt.action_id
        WHERE attempt.chain = $1 AND attempt.settled_at IS NULL AND attempt.bytes IS NOT NULL
        AND attempt.kind <> 'filler'
        AND action.status = 'PENDING' AND action.stage = 'signed'
        ORDER BY attempt.sequence, attempt.n`,
    [chain],
  );
  const taken = new Map<string, LiveAction>();
  for (const row of rows) {
    if (!shards.includes(row.shard)) continue;
    let action = taken.get(row.action_id);
    if (action === undefined) {
      action = liveAction({
        id: row.action_id,
        ledgerUid: row.ledger_uid,
        plugin: row.plugin,
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
        wanted: wishOf(row),
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
      // Written by `insertAttempts`.
      reason: row.reason === null ? null : (JSON.parse(row.reason) as ReplacementReason),
      unsent: false,
    });
  }
  return [...taken.values()];
}

/** What is wished of an action, as its row has it. */
export function wishOf(row: { wanted: string | null; wanted_cap: string | null }): Wish | null {
  const cap = row.wanted_cap === null ? null : BigInt(row.wanted_cap);
  return row.wanted === 'cancel' || row.wanted === 'hurry' ? { kind: row.wanted, cap } : null;
}
