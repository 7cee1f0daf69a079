import type { Queries, SqlValue, Tx } from '@ledger-ops/store';
import type { WalletRow } from '../wallets/types.ts';
import { signsToo } from './co-signers.ts';
import type { StoredUnknown } from './unknown-transactions.ts';

/** Number of actions read per page. */
const pageSize = 200;

/** The columns of a wallet that are needed to compare its account with the ledger. */
export type AccountRow = Pick<
  WalletRow,
  'uid' | 'ledgerUid' | 'projectId' | 'chainId' | 'address' | 'material' | 'aliases' | 'renewAt'
>;

/** Returns undefined if the wallet does not exist. */
export async function readAccount(read: Pick<Queries, 'all'>, uid: string): Promise<AccountRow | undefined> {
  const [row] = await read.all<AccountRow & Record<string, SqlValue>>(
    `SELECT uid, ledger_uid AS "ledgerUid", project_id AS "projectId", chain_id AS "chainId", address, material, aliases,
      renew_at AS "renewAt" FROM wallet WHERE uid = $1`,
    [uid],
  );
  return row;
}

/** An action that would be signed if a wallet were resumed. */
export interface UnsignedAction extends Record<string, SqlValue> {
  readonly id: string;
  readonly given_id: string | null;
  readonly wallet_uid: string;
  readonly plan: string;
  /** JSON list of the ids of the unknown transactions from which a user released the action; null if there are none. */
  readonly released: string | null;
}

/**
 * Reads the next actions that would be signed for a wallet, in the order of acceptance: unsigned ones that the wallet
 * sends or co-signs, and signed ones whose nonce an unknown transaction used, because these will be signed again.
 * @param after id of the last action of the previous page
 */
export async function readUnsigned(
  read: Pick<Queries, 'all' | 'dialect'>,
  walletUid: string,
  after: string,
): Promise<{ actions: UnsignedAction[]; next: string | null }> {
  const params: SqlValue[] = [walletUid, after];
  const contains = read.dialect === 'postgres' ? 'strpos' : 'instr';
  const list = read.dialect === 'postgres' ? 'jsonb_agg(unknown_id)::text' : 'json_group_array(unknown_id)';
  const coSigns = signsToo(contains, walletUid, (value) => `$${params.push(value)}`);
  const actions = await read.all<UnsignedAction>(
    `SELECT id, given_id, wallet_uid, plan,
        (SELECT ${list} FROM action_release WHERE action_id = action.id) AS released
      FROM action WHERE status = 'PENDING' AND id > $2 AND (wallet_uid = $1 OR ${coSigns})
      AND (stage IN ('ready', 'blocked') OR EXISTS (SELECT 1 FROM attempt JOIN unknown_transaction AS taken
        ON taken.chain = attempt.chain AND taken.address = attempt.address AND taken.sequence = attempt.sequence
        WHERE attempt.action_id = action.id AND attempt.settled_at IS NULL))
      ORDER BY id LIMIT ${pageSize}`,
    params,
  );
  return { actions, next: actions.length < pageSize ? null : (actions.at(-1)?.id ?? null) };
}

/**
 * Stores that an action is released from unknown transactions. Returns the transactions from which it was not released
 * before.
 */
export async function insertReleases(
  tx: Tx,
  actionId: string,
  unknown: readonly StoredUnknown[],
): Promise<StoredUnknown[]> {
  const added: StoredUnknown[] = [];
  for (const one of unknown) {
    const count = await tx.run(
      'INSERT INTO action_release (action_id, unknown_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [actionId, one.id],
    );
    if (count > 0) added.push(one);
  }
  return added;
}
