import type { Queries, SqlValue, Tx } from '@ledger-ops/store';
import { textList } from '../sql.ts';
import type { GrantedRow } from './signing-grant.ts';

/** A signed action, with the grant with which its replacements are signed. */
export interface KeptGrantRow extends GrantedRow, Record<string, SqlValue> {
  id: string;
  wallet_uid: string;
  ledger_uid: string;
  operation: string;
  plan: string;
  material: string | null;
  key_type: string;
  sealed: Uint8Array | null;
  secret: Uint8Array | null;
}

/** Returns the kept grants of those of these actions that are still signed and pending. */
export async function readKeptGrants(read: Queries, actionIds: readonly string[]): Promise<KeptGrantRow[]> {
  return read.all<KeptGrantRow>(
    `SELECT action.id, action.wallet_uid, action.ledger_uid, action.operation, action.plan, wallet.material,
      wallet.key_type, attempt.sealed, attempt.secret
      FROM action JOIN wallet ON wallet.uid = action.wallet_uid
      JOIN attempt ON attempt.action_id = action.id AND attempt.sealed IS NOT NULL AND attempt.settled_at IS NULL
      WHERE action.id IN ${textList(read.dialect, '$1')} AND action.status = 'PENDING' AND action.stage = 'signed'`,
    [JSON.stringify(actionIds)],
  );
}

/** Locks those of these actions that are still signed and pending, and returns their ids. */
export async function touchSigned(tx: Tx, actionIds: readonly string[], now: number): Promise<Set<string>> {
  const rows = await tx.all<{ id: string }>(
    `UPDATE action SET updated_at = $2 WHERE id IN ${textList(tx.dialect, '$1')}
      AND status = 'PENDING' AND stage = 'signed' RETURNING id`,
    [JSON.stringify(actionIds), now],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns the numbers (`n`) of the attempts with a sequence of an account. */
export async function readNumbersAt(
  tx: Tx,
  chain: string,
  address: string,
  sequence: number,
): Promise<number[]> {
  const rows = await tx.all<{ n: number }>(
    'SELECT n FROM attempt WHERE chain = $1 AND address = $2 AND sequence = $3',
    [chain, address, sequence],
  );
  return rows.map(({ n }) => n);
}

export async function readNumbersOf(tx: Tx, actionId: string): Promise<number[]> {
  const rows = await tx.all<{ n: number }>('SELECT n FROM attempt WHERE action_id = $1', [actionId]);
  return rows.map(({ n }) => n);
}
