import type { Submission } from '@ledger-ops/adapter';
import type { Store } from '@ledger-ops/store';
import { readGap, type SeenGap } from './gaps.ts';
import { kept } from './kept.ts';
import type { LedgerLine } from './ledger-line.ts';
import type { LiveAction } from './model.ts';

/** Accounts whose sequences are asked for in one call. */
const accountsAtOnce = 500;
/** Transactions of one account that are sent again at once. */
const lostAtOnce = 1_000;

/** What the chain does not have any more. */
export interface Lost {
  /** Those that are kept, of each account in the order of their sequences. */
  kept: Submission[];
  /** Something below them was signed here and is kept no more, so that they can never be executed. */
  isBeyondRepair: boolean;
}

/**
 * The kept transactions that the chain does not count any more, by what it counts of each account.
 * @param ended only those of actions that have ended
 */
export async function readLost(
  store: Store,
  line: LedgerLine,
  shards: readonly number[],
  { ended }: { ended: boolean },
): Promise<Lost> {
  const lost: Lost = { kept: [], isBeyondRepair: false };
  if (shards.length === 0) return lost;
  const among = `FROM attempt JOIN action ON action.id = attempt.action_id
    WHERE attempt.chain = $1 AND ${kept}${ended ? " AND action.status <> 'PENDING'" : ''}`;
  const onShards = `attempt.shard IN (${shards.join(', ')})`;
  const accounts = await store.read.all<{ address: string; highest: number }>(
    `SELECT attempt.address, max(attempt.sequence) AS highest ${among} AND ${onShards} AND attempt.sequence IS NOT NULL
      GROUP BY attempt.address`,
    [line.chain],
  );
  for (let at = 0; at < accounts.length; at += accountsAtOnce) {
    const some = accounts.slice(at, at + accountsAtOnce);
    const counts = await line.open.session.sequences(some.map(({ address }) => address));
    for (const [index, { address, highest }] of some.entries()) {
      const next = Number(counts[index] ?? 0n);
      if (highest < next) continue;
      const rows = await store.read.all<{ tx_id: string; sequence: number; bytes: Uint8Array }>(
        `SELECT attempt.tx_id, attempt.sequence, attempt.bytes ${among} AND attempt.address = $2
          AND attempt.sequence >= $3 ORDER BY attempt.sequence LIMIT ${lostAtOnce}`,
        [line.chain, address, next],
      );
      const lowest = rows[0]?.sequence ?? next;
      lost.isBeyondRepair ||= lowest > next && (await isForgotten(store, line.chain, address, next, lowest));
      lost.kept.push(...rows.map(({ tx_id, bytes }) => ({ txId: tx_id, bytes })));
    }
  }
  if (ended) return lost;
  const independent = await store.read.all<{ tx_id: string; bytes: Uint8Array }>(
    `SELECT attempt.tx_id, attempt.bytes ${among} AND ${onShards} AND attempt.sequence IS NULL`,
    [line.chain],
  );
  lost.kept.push(...independent.map(({ tx_id, bytes }) => ({ txId: tx_id, bytes })));
  return lost;
}

/** What stands between what the chain counts of an account and the first of it that is not settled. */
export interface Between {
  head: LiveAction;
  /** What the ledger wants next of the account. */
  next: number;
  /** Those of actions that have ended: lost with their blocks, or by a node that did not take them when sent again. */
  kept: Submission[];
  /** Of those what only fills a sequence, in the order in which it was signed. */
  fillers: Filler[];
  /** What nobody here can send. */
  gap: SeenGap | null;
}

/** An empty transaction at a sequence that the ledger wanted and nobody could send. */
export interface Filler extends Submission {
  sequence: number;
  createdAt: number;
}

/** The same of several accounts, by the first actions of each. */
export async function readBetween(
  store: Store,
  line: LedgerLine,
  heads: readonly LiveAction[],
): Promise<Between[]> {
  const { chain } = line;
  const { session } = line.open;
  const onChain = await session.sequences(heads.map(({ address }) => address));
  const between: Between[] = [];
  for (const [index, head] of heads.entries()) {
    const { address, sequence } = head;
    const next = Number(onChain[index] ?? sequence);
    if (sequence === null || next >= sequence) {
      between.push({ head, next, kept: [], fillers: [], gap: null });
      continue;
    }
    const rows = await store.read.all<{
      tx_id: string;
      bytes: Uint8Array;
      kind: string;
      sequence: number;
      created_at: number;
    }>(
      `SELECT attempt.tx_id, attempt.bytes, attempt.kind, attempt.sequence, attempt.created_at
        FROM attempt JOIN action ON action.id = attempt.action_id
        WHERE attempt.chain = $1 AND attempt.address = $2 AND attempt.sequence >= $3 AND attempt.sequence < $4
        AND ${kept} ORDER BY attempt.sequence, attempt.created_at`,
      [chain, address, next, sequence],
    );
    const fillers = rows.filter(({ kind }) => kind === 'filler');
    between.push({
      head,
      next,
      kept: rows.map(({ tx_id, bytes }) => ({ txId: tx_id, bytes })),
      fillers: fillers.map(({ tx_id, bytes, sequence, created_at }) => ({
        ...{ txId: tx_id, bytes, sequence, createdAt: created_at },
      })),
      gap: await readGap(store.read, session, { chain, address }, next, sequence),
    });
  }
  return between;
}

/**
 * Whether the ledger took one of ours at one of these sequences, from `from` on, whose bytes are kept no more. One that
 * nobody here signed, or that another transaction had taken, is free again.
 */
async function isForgotten(
  store: Store,
  chain: string,
  address: string,
  from: number,
  to: number,
): Promise<boolean> {
  const rows = await store.read.all(
    `SELECT attempt.tx_id FROM attempt JOIN action ON action.id = attempt.action_id
      WHERE attempt.chain = $1 AND attempt.address = $2 AND attempt.sequence >= $3 AND attempt.sequence < $4
      AND attempt.bytes IS NULL AND attempt.tx_id = action.locator LIMIT 1`,
    [chain, address, from, to],
  );
  return rows.length > 0;
}
