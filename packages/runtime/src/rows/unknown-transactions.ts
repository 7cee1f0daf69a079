import { recordActivity, serviceItself } from '@ledger-ops/auth';
import { type Queries, type Tx, uuidv7 } from '@ledger-ops/store';
import { insertSuspensions, type SuspensionRow } from './actions/suspensions.ts';
import { baseOf, chainIdOf, isOfChain } from './chains/chain-key.ts';
import { storeFirstSequence } from './chains/sequences.ts';
import { storeKnownHeight } from './compared-accounts.ts';
import { among, rowset } from './sql.ts';

/** Maximum number of unknown sequences that are stored for one account; the newest ones. */
export const mostUnknown = 100;

/** A transaction of an account that the ledger shows, although it is not stored here. */
export interface UnknownTransaction {
  readonly chain: string;
  readonly address: string;
  /** The sequence that it used; null on ledgers without sequences. */
  readonly sequence: number | null;
  /** Null: it is not known which transaction used the sequence. */
  readonly txId: string | null;
  /** On ledgers without sequences, the height up to which the account was read when it was found. */
  readonly height: number | null;
}

/** Distinguishes the unknown transactions of an account. */
function nameOf({ sequence, txId }: Pick<UnknownTransaction, 'sequence' | 'txId'>): string {
  return sequence === null ? (txId ?? '') : `nonce:${sequence}`;
}

/** A wallet that was suspended because of unknown transactions. */
export interface SuspendedWallet {
  readonly walletId: string;
  readonly ledgerId: string;
}

type WalletColumns = {
  uid: string;
  wallet_id: string;
  project_id: string;
  ledger_id: string;
  exclusive: number;
};

/** Whether a wallet with this account is exclusive. */
export async function isExclusive(
  read: Pick<Queries, 'all'>,
  chain: string,
  address: string,
): Promise<boolean> {
  const wallets = await readWallets(read, chain, address);
  return wallets.some(({ exclusive }) => exclusive === 1);
}

function readWallets(read: Pick<Queries, 'all'>, chain: string, address: string): Promise<WalletColumns[]> {
  return read.all<WalletColumns>(
    'SELECT uid, wallet_id, project_id, ledger_id, exclusive FROM wallet WHERE chain_id = $1 AND address = $2 ORDER BY uid',
    [chainIdOf(chain), address],
  );
}

/** The highest next sequence of an account on a chain, before any of its resets or after; null if there is none. */
export async function readKnownNext(
  read: Queries,
  base: string,
  resets: number,
  address: string,
): Promise<number | null> {
  const chains = [base, ...Array.from({ length: resets }, (_, index) => `${base}/${index + 1}`)];
  const [row] = await read.all<{ next: number | null }>(
    `SELECT MAX(next) AS next FROM sequence WHERE address = $1 AND ${among(read.dialect, 'chain', '$2')}`,
    [address, JSON.stringify(chains)],
  );
  return row?.next ?? null;
}

/** The transactions among these that are stored here. */
export async function readKnownIds(
  read: Queries,
  chain: string,
  txIds: readonly string[],
): Promise<Set<string>> {
  if (txIds.length === 0) return new Set();
  const rows = await read.all<{ tx_id: string }>(
    `SELECT tx_id FROM attempt WHERE chain = $1 AND ${among(read.dialect, 'tx_id', '$2')}`,
    [chain, JSON.stringify(txIds)],
  );
  return new Set(rows.map(({ tx_id }) => tx_id));
}

/** The transactions among these that are stored here, for the chain before any of its resets or after. */
export async function readStoredIds(
  read: Queries,
  chain: string,
  txIds: readonly string[],
): Promise<Set<string>> {
  const rows = await read.all<{ tx_id: string; chain: string }>(
    `SELECT tx_id, chain FROM attempt WHERE ${among(read.dialect, 'tx_id', '$1')}`,
    [JSON.stringify(txIds)],
  );
  return new Set(rows.flatMap((row) => (isOfChain(row.chain, baseOf(chain)) ? row.tx_id : [])));
}

/**
 * Stores unknown transactions of one account, and suspends all wallets with this account: they have the same key.
 * Returns the wallets that were not suspended before.
 */
export async function storeUnknown(
  tx: Tx,
  found: readonly UnknownTransaction[],
  now: number,
): Promise<SuspendedWallet[]> {
  const [first] = found;
  if (first === undefined) return [];
  const columns = { name: 'text', sequence: 'bigint', tx_id: 'text', height: 'bigint' } as const;
  const rows = found.map((one) => ({ ...one, name: nameOf(one), tx_id: one.txId }));
  await tx.run(
    `INSERT INTO unknown_transaction (chain, address, name, sequence, tx_id, height, found_at)
      SELECT $1, $2, j.name, j.sequence, j.tx_id, j.height, $4 FROM ${rowset(tx.dialect, '$3', columns)} WHERE true
      ON CONFLICT (chain, address, name) DO UPDATE SET tx_id = COALESCE(unknown_transaction.tx_id, excluded.tx_id)`,
    [first.chain, first.address, JSON.stringify(rows), now],
  );
  const suspended: SuspendedWallet[] = [];
  const reason = unknownReason(found);
  for (const wallet of await readWallets(tx, first.chain, first.address)) {
    const { uid, wallet_id: walletId, project_id: scope, ledger_id: ledgerId } = wallet;
    const row: SuspensionRow = {
      ...{ subject: uid, id: uuidv7(), kind: 'wallet', name: walletId, scope, reason },
      ...{ created_by: 'ledger-ops', created_at: now, cause: 'unknown-transactions' },
    };
    if ((await insertSuspensions(tx, [row])) === 0) continue;
    suspended.push({ walletId, ledgerId });
    const activity = {
      action: 'suspend',
      service: 'ledger-operations',
      resourceUid: uid,
      resourceId: walletId,
      resourceType: 'cloud-wallet',
      scope,
      targetObject: row.id,
    } as const;
    await recordActivity(tx, serviceItself, activity, now);
  }
  return suspended;
}

function unknownReason(found: readonly UnknownTransaction[]): string {
  const sequences = found.flatMap(({ sequence }) => sequence ?? []).sort((a, b) => a - b);
  const [from = 0, to = 0] = [sequences[0], sequences.at(-1)];
  const all = found.flatMap(({ txId }) => txId ?? []);
  const named = all.slice(0, 3).join(', ');
  const nonces = from === to ? `the nonce ${from}` : `the nonces ${from} to ${to}`;
  const more = all.length > 3 ? ` and ${all.length - 3} more` : '';
  const which =
    sequences.length === 0 ? `${named}${more}` : `${nonces}${named === '' ? '' : ` (${named}${more})`}`;
  return `The ledger shows transactions of this wallet that are not stored here: ${which}. Either the database was set back, or the key signs elsewhere too. Compare them with the pending actions and mark those that they executed; then resume the wallet.`;
}

/** Unknown transactions of an account, the first sequence first. */
export async function readUnknown(
  read: Pick<Queries, 'all'>,
  { chainId, address }: { chainId: string; address: string },
): Promise<(UnknownTransaction & { foundAt: number })[]> {
  const rows = await read.all<
    UnknownTransaction & Record<string, string | number | null> & { foundAt: number }
  >(
    `SELECT chain, address, sequence, tx_id AS "txId", height, found_at AS "foundAt" FROM unknown_transaction
      WHERE address = $1 ORDER BY chain, sequence, name`,
    [address],
  );
  return rows.filter(({ chain }) => chainIdOf(chain) === chainId);
}

/**
 * Accepts the unknown transactions of an account as used by others: the account's next transaction gets a sequence
 * after them. Without sequences, the account counts as compared up to where they were found.
 */
export async function acknowledgeUnknown(
  tx: Tx,
  account: { chainId: string; address: string },
): Promise<void> {
  for (const unknown of await readUnknown(tx, account)) {
    const { chain, address, sequence, height } = unknown;
    if (sequence !== null) await storeFirstSequence(tx, { chain, next: sequence + 1 }, address);
    if (height !== null) await storeKnownHeight(tx, { chain, height }, address);
    await removeUnknown(tx, unknown);
  }
}

async function removeUnknown(
  tx: Tx,
  unknown: Pick<UnknownTransaction, 'chain' | 'address' | 'sequence' | 'txId'>,
): Promise<void> {
  const { chain, address } = unknown;
  await tx.run('DELETE FROM unknown_transaction WHERE chain = $1 AND address = $2 AND name = $3', [
    ...[chain, address, nameOf(unknown)],
  ]);
}

/**
 * Stores the transaction that executed an action outside of this service, without its sequence: its bytes are not known, so
 * its sequence is free for others if a reorg removes it.
 */
export async function insertExecuted(
  tx: Tx,
  executed: { actionId: string; txId: string; chain: string; shard: number; address: string },
  sequence: number | null,
  now: number,
): Promise<void> {
  const { actionId, txId, chain, shard, address } = executed;
  const [row] = await tx.all<{ n: number }>(
    'SELECT COALESCE(MAX(n) + 1, 0) AS n FROM attempt WHERE action_id = $1',
    [actionId],
  );
  await tx.run(
    `INSERT INTO attempt (tx_id, action_id, n, kind, chain, shard, address, cost, created_at, settled_at)
      VALUES ($1, $2, $3, 'main', $4, $5, $6, '0', $7, $7)`,
    [txId, actionId, row?.n ?? 0, chain, shard, address, now],
  );
  if (sequence !== null) await storeFirstSequence(tx, { chain, next: sequence + 1 }, address);
  await removeUnknown(tx, { chain, address, sequence, txId });
}
