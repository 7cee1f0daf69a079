import type { Submission } from '@ledger-ops/adapter';
import type { Store } from '@ledger-ops/store';
import type { LedgerLine } from './ledger-line.ts';
import type { LiveAction } from './model.ts';

/**
 * Of an action's transactions the one that is sent again. What has failed without one on the ledger is not: another
 * transaction took its nonce, or its chain was given up, and nothing of it may be executed any more.
 */
const kept = `attempt.bytes IS NOT NULL AND attempt.note IS NULL
        AND CASE WHEN action.status <> 'PENDING' THEN attempt.tx_id = action.locator
          WHEN attempt.sequence IS NULL THEN attempt.settled_at IS NULL ELSE attempt.n = 0 END`;

/**
 * The kept transactions that the chain does not have any more, those of finished actions too, in the order of
 * their sequences; null when the gap below them can never be closed, because its bytes are kept no more.
 */
export async function readLost(
  store: Store,
  line: LedgerLine,
  shards: readonly number[],
): Promise<Submission[] | null> {
  if (shards.length === 0) return [];
  const rows = await store.read.all<{
    tx_id: string;
    address: string;
    sequence: number | null;
    bytes: Uint8Array;
  }>(
    `SELECT attempt.tx_id, attempt.address, attempt.sequence, attempt.bytes FROM attempt
        JOIN action ON action.id = attempt.action_id
        WHERE attempt.chain = $1 AND attempt.shard IN (${shards.join(', ')}) AND ${kept}
        ORDER BY attempt.sequence`,
    [line.chain],
  );
  const addresses = [
    ...new Set(rows.filter(({ sequence }) => sequence !== null).map(({ address }) => address)),
  ];
  const onChain = addresses.length > 0 ? await line.open.session.sequences(addresses) : [];
  const next = new Map(addresses.map((address, index) => [address, Number(onChain[index] ?? 0n)]));
  for (const [address, sequence] of next) {
    const lowest = rows.find((attempt) => attempt.address === address && (attempt.sequence ?? 0) >= sequence);
    if (
      lowest !== undefined &&
      lowest.sequence !== sequence &&
      (await neverSigned(store, line.chain, address, sequence))
    ) {
      return null;
    }
  }
  return rows
    .filter(({ address, sequence }) => sequence === null || sequence >= (next.get(address) ?? 0))
    .map(({ tx_id, bytes }) => ({ txId: tx_id, bytes }));
}

/**
 * The kept transactions that stand between what the chain counts of an account and the first that is not settled, those
 * of finished actions: lost with their blocks, or by a node that did not take them when they were sent again. Where the
 * first of them is not kept, the head is told so.
 */
export async function readGaps(
  store: Store,
  line: LedgerLine,
  heads: readonly LiveAction[],
): Promise<Submission[]> {
  const onChain = await line.open.session.sequences(heads.map(({ address }) => address));
  const gaps: Submission[] = [];
  for (const [index, head] of heads.entries()) {
    const { address, sequence } = head;
    const next = Number(onChain[index] ?? sequence);
    head.gap = null;
    if (sequence === null || next >= sequence) continue;
    const rows = await store.read.all<{ tx_id: string; sequence: number; bytes: Uint8Array }>(
      `SELECT attempt.tx_id, attempt.sequence, attempt.bytes FROM attempt JOIN action ON action.id = attempt.action_id
        WHERE attempt.chain = $1 AND attempt.address = $2 AND attempt.sequence >= $3 AND attempt.sequence < $4
        AND ${kept} ORDER BY attempt.sequence`,
      [line.chain, address, next, sequence],
    );
    if (rows[0]?.sequence !== next) head.gap = next;
    gaps.push(...rows.map(({ tx_id, bytes }) => ({ txId: tx_id, bytes })));
  }
  return gaps;
}

/** Whether no bytes for this sequence exist any more, so that the gap can never be closed. */
async function neverSigned(store: Store, chain: string, address: string, sequence: number): Promise<boolean> {
  const rows = await store.read.all(
    'SELECT tx_id FROM attempt WHERE chain = $1 AND address = $2 AND sequence = $3 AND bytes IS NOT NULL LIMIT 1',
    [chain, address, sequence],
  );
  return rows.length === 0;
}
