import type { LedgerSession } from '@ledger-ops/adapter';
import type { Queries, Tx } from '@ledger-ops/store';
import { kept } from './kept.ts';
import { retract } from './retract.ts';
import { SequenceMoved } from './signed-rows.ts';

/** Milliseconds for which a ledger must want sequences that nobody here can send, before others get them. */
export const gapPatience = 10_000;

/**
 * Sequences that the ledger wants of an account before all that is signed, and that nobody here can send: another
 * transaction had them, or what had them is kept no more, and their blocks were taken back.
 */
export interface Gap {
  from: number;
  /** The first that is not free. */
  to: number;
  /** When it was first seen. */
  since: number;
}

/** One that is seen now. */
export type SeenGap = Pick<Gap, 'from' | 'to'>;

/** The gap at what the ledger counts of an account, if there is one. `next`: the account's next sequence here. */
export async function readGap(
  read: Queries,
  session: Pick<LedgerSession, 'lookup'>,
  { chain, address }: { chain: string; address: string },
  count: number,
  next: number,
): Promise<SeenGap | null> {
  if (count >= next) return null;
  const [first] = await read.all<{ sequence: number | null }>(
    `SELECT min(attempt.sequence) AS sequence FROM attempt JOIN action ON action.id = attempt.action_id
      WHERE attempt.chain = $1 AND attempt.address = $2 AND attempt.sequence >= $3 AND ${kept}`,
    [chain, address, count],
  );
  const to = Math.min(first?.sequence ?? next, next);
  if (to <= count) return null;
  // Where a later one stands on the ledger, who counts so few is behind.
  const [last] = await read.all<{ locator: string }>(
    `SELECT action.locator FROM attempt JOIN action ON action.id = attempt.action_id
      WHERE attempt.chain = $1 AND attempt.address = $2 AND attempt.sequence >= $3 AND attempt.tx_id = action.locator
      ORDER BY attempt.sequence DESC LIMIT 1`,
    [chain, address, count],
  );
  const found = last === undefined ? null : await session.lookup(last.locator);
  if (found !== null && found.status !== 'PENDING') return null;
  return { from: count, to };
}

/** The same gap as before keeps its age. */
export function agedGap(before: Gap | null, seen: SeenGap | null, now: number): Gap | null {
  if (seen === null) return null;
  const since = before?.from === seen.from ? Math.min(before.since, now) : now;
  return { ...seen, since };
}

/** Whether it is there for so long that its sequences are given to other actions. */
export function isLasting({ since }: Gap, now: number): boolean {
  return now - since >= gapPatience;
}

/** Why an action waits while a gap may still close by itself. */
export function gapWords(address: string, { from }: Gap): string {
  return `The ledger wants nonce ${from} of the wallet ${address}, which it had been given before. It is given to this action if the ledger still wants it in a moment.`;
}

/**
 * Frees a sequence of an account for another transaction. What was signed for it before is never sent again; what had
 * ended with it has not any more.
 * @throws SequenceMoved where something stands there that is still sent
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
      WHERE attempt.chain = $1 AND attempt.address = $2 AND attempt.sequence = $3 AND action.status <> 'PENDING'
      AND (${kept}) IS NOT TRUE`,
    [chain, address, sequence],
  );
  for (const { tx_id } of rows) {
    await tx.run('UPDATE attempt SET sequence = NULL WHERE chain = $1 AND tx_id = $2', [chain, tx_id]);
  }
  const left = await tx.all(
    'SELECT tx_id FROM attempt WHERE chain = $1 AND address = $2 AND sequence = $3 LIMIT 1',
    [chain, address, sequence],
  );
  if (left.length > 0)
    throw new SequenceMoved(`The sequence ${sequence} of ${address} is not free any more.`);
  const ended = rows.filter(({ tx_id, locator }) => tx_id === locator);
  const changes = ended.map(({ id, status, locator, shard }) => ({
    action: { id, status, locator, address, shard, isRetracted: false, attempts: [] },
    retracted: {
      at: now,
      detail: `The ledger took back the block of the transaction ${locator}, later than it is kept here, and its nonce ${sequence} was given to another transaction of the wallet.`,
    },
  }));
  if (changes.length > 0) await retract(tx, changes, now);
}
