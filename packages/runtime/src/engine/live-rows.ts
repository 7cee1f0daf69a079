import type { Store } from '@ledger-ops/store';
import type { LiveAction } from './model.ts';

/** What is signed and not settled on these shards, as the rows have it. */
export async function readLive(
  store: Store,
  chain: string,
  shards: readonly number[],
  now: number,
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
    created_at: number;
    ledger_uid: string;
    plugin: string | null;
    waiting: string | null;
  }>(
    `SELECT attempt.tx_id, attempt.action_id, attempt.n, attempt.kind, attempt.address, attempt.shard, attempt.sequence,
        attempt.bytes, attempt.cost, attempt.note, attempt.created_at, action.ledger_uid, action.plugin,
        action.waiting
        FROM attempt JOIN action ON action.id = attempt.action_id
        WHERE attempt.chain = $1 AND attempt.settled_at IS NULL AND attempt.bytes IS NOT NULL
        AND action.status = 'PENDING' AND action.stage = 'signed'
        ORDER BY attempt.sequence, attempt.n`,
    [chain],
  );
  const taken = new Map<string, LiveAction>();
  for (const row of rows) {
    if (!shards.includes(row.shard)) continue;
    let action = taken.get(row.action_id);
    if (action === undefined) {
      action = {
        id: row.action_id,
        ledgerUid: row.ledger_uid,
        plugin: row.plugin,
        address: row.address,
        shard: row.shard,
        sequence: row.sequence,
        attempts: [],
        signedAt: row.created_at,
        released: 0,
        releasedAt: now,
        sentAt: 0,
        complaint: null,
        remark: row.waiting,
      };
      taken.set(action.id, action);
    }
    action.attempts.push({
      txId: row.tx_id,
      n: row.n,
      kind: row.kind === 'bump' || row.kind === 'noop' ? row.kind : 'main',
      bytes: row.bytes,
      cost: BigInt(row.cost),
      note: row.note,
      unsent: false,
    });
  }
  return [...taken.values()];
}
