import type { Queries, Tx } from '@ledger-ops/store';
import { retract } from '../actions/retract.ts';
import { kept } from '../attempts/kept.ts';
import { rowset } from '../sql.ts';

/** The next sequence differs from this server's cached value and must be read again. */
export class SequenceMoved extends Error {
  override readonly name = 'SequenceMoved';
}

/** Returns the next sequence of an account; null if the database contains none. */
export async function readSequence(read: Queries, chain: string, address: string): Promise<number | null> {
  const [row] = await read.all<{ next: number }>(
    'SELECT next FROM sequence WHERE chain = $1 AND address = $2',
    [chain, address],
  );
  return row?.next ?? null;
}

/** The first sequence of an account that this service may use. */
export interface FirstSequence {
  readonly chain: string;
  readonly next: number;
}

/**
 * Stores the sequence up to which an account's transactions are known. Later transactions that the service did not sign
 * are then detected.
 */
export async function storeFirstSequence(
  tx: Tx,
  { chain, next }: FirstSequence,
  address: string,
): Promise<void> {
  await tx.run(
    `INSERT INTO sequence (chain, address, next) VALUES ($1, $2, $3)
      ON CONFLICT (chain, address) DO UPDATE SET next = excluded.next WHERE sequence.next < excluded.next`,
    [chain, address, next],
  );
}

/**
 * The next sequence of an account before (`from`) and after (`to`) a signature. `from` is null if there is no row yet.
 */
export interface SequenceMove {
  readonly address: string;
  readonly from: number | null;
  readonly to: number;
}

/**
 * Advances the next sequences of accounts by compare-and-swap. All accounts that have a row are advanced in one
 * statement. @throws SequenceMoved
 */
export async function advanceSequences(tx: Tx, chain: string, moves: readonly SequenceMove[]): Promise<void> {
  const [first, known] = [
    moves.filter(({ from }) => from === null),
    moves.filter(({ from }) => from !== null),
  ];
  let changed = 0;
  for (const { address, to } of first) {
    changed += await tx.run(
      'INSERT INTO sequence (chain, address, next) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [chain, address, to],
    );
  }
  if (known.length > 0) {
    const columns = { address: 'text', former: 'bigint', next: 'bigint' } as const;
    changed += await tx.run(
      `UPDATE sequence SET next = j.next FROM ${rowset(tx.dialect, '$2', columns)}
        WHERE sequence.chain = $1 AND sequence.address = j.address AND sequence.next = j.former`,
      [chain, JSON.stringify(known.map(({ address, from, to }) => ({ address, former: from, next: to })))],
    );
  }
  if (changed === moves.length) return;
  const places = moves.map(({ address, from }) => `${address} (${from})`).join(', ');
  throw new SequenceMoved(`One of these accounts does not have the expected next nonce: ${places}.`);
}

/**
 * Frees a sequence of an account for another transaction. Transactions that were signed with this sequence are never
 * sent again, and actions that completed with one of them are marked as retracted.
 * @throws SequenceMoved if a transaction with this sequence may still be sent
 */
export async function freeSequence(
  tx: Tx,
  chain: string,
  address: string,
  sequence: number,
  now: number,
): Promise<void> {
  const rows = await tx.all<{
    id: string;
    status: string;
    locator: string | null;
    shard: number;
    tx_id: string;
  }>(
    `SELECT action.id, action.status, action.locator, attempt.shard, attempt.tx_id
      FROM attempt JOIN action ON action.id = attempt.action_id
      WHERE attempt.chain = $1 AND attempt.address = $2 AND attempt.sequence = $3
      AND (action.status <> 'PENDING' OR attempt.settled_at IS NOT NULL) AND (${kept}) IS NOT TRUE`,
    [chain, address, sequence],
  );
  for (const { tx_id } of rows) {
    await tx.run('UPDATE attempt SET sequence = NULL WHERE chain = $1 AND tx_id = $2', [chain, tx_id]);
  }
  const left = await tx.all(
    'SELECT tx_id FROM attempt WHERE chain = $1 AND address = $2 AND sequence = $3 LIMIT 1',
    [chain, address, sequence],
  );
  if (left.length > 0) throw new SequenceMoved(`The nonce ${sequence} of ${address} is no longer free.`);
  const ended = rows.filter(({ tx_id, locator }) => tx_id === locator);
  const changes = ended.map(({ id, status, locator, shard }) => ({
    action: { id, status, locator, address, shard, isRetracted: false, attempts: [] },
    retracted: {
      at: now,
      detail: `The ledger removed the block of the transaction ${locator}, whose bytes the service had already deleted. Another transaction of the wallet got its nonce ${sequence}.`,
    },
  }));
  if (changes.length > 0) await retract(tx, changes, now);
}
