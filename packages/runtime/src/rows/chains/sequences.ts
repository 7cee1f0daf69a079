import type { Queries, Tx } from '@ledger-ops/store';
import { retract } from '../actions/retract.ts';
import { kept } from '../attempts/kept.ts';

/** The next sequence is not what this server believed: read it again. */
export class SequenceMoved extends Error {
  override readonly name = 'SequenceMoved';
}

/** An account's next sequence; null: nothing was signed for it yet. */
export async function readSequence(read: Queries, chain: string, address: string): Promise<number | null> {
  const [row] = await read.all<{ next: number }>(
    'SELECT next FROM sequence WHERE chain = $1 AND address = $2',
    [chain, address],
  );
  return row?.next ?? null;
}

/** Compare-and-swap of an account's next sequence; `from` null means that there is no row yet. @throws SequenceMoved */
export async function advanceSequence(
  tx: Tx,
  chain: string,
  address: string,
  from: number | null,
  to: number,
): Promise<void> {
  const changed =
    from === null
      ? await tx.run(
          'INSERT INTO sequence (chain, address, next) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          [chain, address, to],
        )
      : await tx.run('UPDATE sequence SET next = $3 WHERE chain = $1 AND address = $2 AND next = $4', [
          chain,
          address,
          to,
          from,
        ]);
  if (changed !== 1) throw new SequenceMoved(`The next sequence of ${address} is not ${from}.`);
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
