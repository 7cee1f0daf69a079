import { recordActivity, serviceItself } from '@ledger-ops/auth';
import { type Queries, type Tx, uuidv7 } from '@ledger-ops/store';
import { insertSuspensions, type SuspensionRow } from './actions/suspensions.ts';
import { baseOf, chainIdOf, isOfChain } from './chains/chain-key.ts';
import { storeFirstSequence } from './chains/sequences.ts';
import { storeKnownHeight } from './compared-accounts.ts';
import { among, rowset } from './sql.ts';

/**
 * Maximum number of unknown transactions that one comparison stores for an account, those with the lowest sequences
 * first. After a user has resumed the wallet, the next comparison finds the others.
 */
export const mostUnknown = 100;

/** An unknown transaction of an account: it is on the ledger, but not in the database. */
export interface UnknownTransaction {
  readonly chain: string;
  readonly address: string;
  /** The transaction's sequence; null on ledgers without sequences. */
  readonly sequence: number | null;
  /** The ledger's transaction id; null if it is not known which transaction used the sequence. */
  readonly txId: string | null;
  /**
   * On ledgers without sequences: the height up to which the account's transactions had been read when this one was
   * found.
   */
  readonly height: number | null;
}

type Named = Pick<UnknownTransaction, 'chain' | 'address' | 'sequence' | 'txId'>;

/** Returns a text that distinguishes the unknown transactions of an account. */
function nameOf({ sequence, txId }: Pick<UnknownTransaction, 'sequence' | 'txId'>): string {
  return sequence === null ? (txId ?? '') : `nonce:${sequence}`;
}

/** A wallet that was suspended because of unknown transactions. */
export interface SuspendedWallet {
  readonly walletId: string;
  readonly ledgerId: string;
}

export interface StoredUnknown extends UnknownTransaction {
  /** Id of the row. It stays the same as long as the row exists. */
  readonly id: string;
  readonly foundAt: number;
}

type WalletColumns = {
  uid: string;
  wallet_id: string;
  project_id: string;
  ledger_id: string;
  exclusive: number;
};

/**
 * Message for users about an unsigned action whose account has unknown transactions: one of these may have executed the
 * action.
 */
export const mayBeExecuted =
  "This service did not sign the action, but the action's wallet has unknown transactions, and one of them may have executed the action.";

/** Returns an id for an unknown transaction, even if its transaction id is not known yet. */
function unknownIdOf(unknown: Named): string {
  return `${unknown.chain}/${unknown.address}/${nameOf(unknown)}`;
}

/** Whether the account belongs to an exclusive wallet. */
export async function isExclusive(
  read: Pick<Queries, 'all'>,
  chain: string,
  address: string,
): Promise<boolean> {
  const wallets = await readWallets(read, chain, address);
  return wallets.some(({ exclusive }) => exclusive === 1);
}

/** Whether another wallet that has the same key is exclusive. */
export async function hasOtherExclusive(
  read: Pick<Queries, 'all'>,
  { uid, chainId, address }: { uid: string; chainId: string; address: string },
): Promise<boolean> {
  const others = await read.all(
    'SELECT uid FROM wallet WHERE chain_id = $1 AND address = $2 AND exclusive = 1 AND uid <> $3 LIMIT 1',
    [chainId, address, uid],
  );
  return others.length > 0;
}

function readWallets(read: Pick<Queries, 'all'>, chain: string, address: string): Promise<WalletColumns[]> {
  return read.all<WalletColumns>(
    'SELECT uid, wallet_id, project_id, ledger_id, exclusive FROM wallet WHERE chain_id = $1 AND address = $2 ORDER BY uid',
    [chainIdOf(chain), address],
  );
}

/**
 * Returns the highest next sequence of an account on a chain, across all resets of the chain; null if there
 * is none.
 */
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

/** Returns those of these transaction ids that are in the database. */
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

/**
 * Returns those of these transaction ids that are in the database, for the chain as it is now or as it was before a
 * reset.
 */
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
 * Stores unknown transactions of one account, and suspends all wallets of this account, because they have the same key.
 * Returns the newly suspended wallets.
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
  return suspendWallets(tx, await readWallets(tx, first.chain, first.address), unknownReason(found), now);
}

/** Suspends a new wallet if its account has unknown transactions: another wallet with the same key was suspended. */
export async function suspendNewWallet(
  tx: Tx,
  wallet: { uid: string; walletId: string; projectId: string; ledgerId: string },
  account: { chainId: string; address: string },
  now: number,
): Promise<void> {
  const found = await readUnknown(tx, account);
  if (found.length === 0) return;
  const { uid, walletId: wallet_id, projectId: project_id, ledgerId: ledger_id } = wallet;
  await suspendWallets(tx, [{ uid, wallet_id, project_id, ledger_id }], unknownReason(found), now);
}

/** Suspends wallets because of unknown transactions. Returns those that were not suspended for this cause before. */
async function suspendWallets(
  tx: Tx,
  wallets: readonly Omit<WalletColumns, 'exclusive'>[],
  reason: string,
  now: number,
): Promise<SuspendedWallet[]> {
  const suspended: SuspendedWallet[] = [];
  for (const wallet of wallets) {
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
  return `This wallet has unknown transactions, which are on the ledger but not in the service's database: ${which}. Either the database was restored to an earlier state, or another program signs with the key. Mark each matching action as executed, release it or cancel it; then resume the wallet.`;
}

/** Returns the unknown transactions of an account, ordered by sequence. */
export async function readUnknown(
  read: Pick<Queries, 'all'>,
  { chainId, address }: { chainId: string; address: string },
): Promise<StoredUnknown[]> {
  const rows = await read.all<
    UnknownTransaction & Record<string, string | number | null> & { foundAt: number }
  >(
    `SELECT chain, address, sequence, tx_id AS "txId", height, found_at AS "foundAt" FROM unknown_transaction
      WHERE address = $1 ORDER BY chain, sequence, name`,
    [address],
  );
  return rows
    .filter(({ chain }) => chainIdOf(chain) === chainId)
    .map((row) => ({ ...row, id: unknownIdOf(row) }));
}

/**
 * Whether the database contains the next sequence of an account, or the height up to which all of the account's
 * transactions are known. It contains neither if the ledger has no sequences and cannot list the transactions of an
 * account.
 */
export async function hasHistory(
  read: Pick<Queries, 'all'>,
  chain: string,
  address: string,
): Promise<boolean> {
  const rows = await read.all(
    `SELECT 1 AS found FROM sequence WHERE chain = $1 AND address = $2
      UNION ALL SELECT 1 AS found FROM compared_account WHERE chain = $1 AND address = $2 LIMIT 1`,
    [chain, address],
  );
  return rows.length > 0;
}

/** Whether an account has unknown transactions on a chain. */
export async function hasUnknown(
  read: Pick<Queries, 'all'>,
  chain: string,
  address: string,
): Promise<boolean> {
  const rows = await read.all(
    'SELECT sequence FROM unknown_transaction WHERE chain = $1 AND address = $2 LIMIT 1',
    [chain, address],
  );
  return rows.length > 0;
}

/**
 * Accepts the unknown transactions of a wallet that is resumed. The account's next transaction gets a sequence after
 * them. On a ledger without sequences, the account counts as compared up to the height at which they were found. The
 * unknown transactions stay stored for other wallets with the same key that are still suspended.
 */
export async function acknowledgeUnknown(
  tx: Tx,
  account: { chainId: string; address: string },
): Promise<void> {
  const [other] = await tx.all(
    `SELECT suspension.id FROM suspension JOIN wallet ON wallet.uid = suspension.subject
      WHERE wallet.chain_id = $1 AND wallet.address = $2 AND suspension.cause = 'unknown-transactions' LIMIT 1`,
    [account.chainId, account.address],
  );
  for (const unknown of await readUnknown(tx, account)) {
    const { chain, address, sequence, height } = unknown;
    if (sequence !== null) await storeFirstSequence(tx, { chain, next: sequence + 1 }, address);
    if (height !== null) await storeKnownHeight(tx, { chain, height }, address);
    if (other === undefined) await removeUnknown(tx, unknown);
  }
}

/** Removes an unknown transaction with all releases from it. Returns false if it is not stored. */
async function removeUnknown(tx: Tx, unknown: Named): Promise<boolean> {
  const { chain, address } = unknown;
  await tx.run('DELETE FROM action_release WHERE unknown_id = $1', [unknownIdOf(unknown)]);
  return (
    (await tx.run('DELETE FROM unknown_transaction WHERE chain = $1 AND address = $2 AND name = $3', [
      ...[chain, address, nameOf(unknown)],
    ])) > 0
  );
}

/**
 * Number (`n`) of the first outside transaction of an action. Transactions that this service signs have lower numbers,
 * so that one of them can use the same sequence after a reorg removed the outside one.
 */
const firstOutside = 1_000;

/**
 * Stores the outside transaction that executed an action. Its bytes are not known: it is stored with empty bytes, which
 * are never sent. It is compared with the ledger for as long as the bytes of other finished actions are kept.
 */
export async function insertExecuted(
  tx: Tx,
  executed: { actionId: string; txId: string; chain: string; shard: number; address: string },
  sequence: number | null,
  now: number,
): Promise<void> {
  const { actionId, txId, chain, shard, address } = executed;
  const [row] = await tx.all<{ n: number | null }>(
    `SELECT MAX(n) + 1 AS n FROM attempt WHERE action_id = $1 OR (chain = $2 AND address = $3 AND sequence = $4)`,
    [actionId, chain, address, sequence],
  );
  await tx.run(
    `INSERT INTO attempt (tx_id, action_id, n, kind, chain, shard, address, sequence, bytes, cost, created_at, settled_at)
      VALUES ($1, $2, $3, 'outside', $4, $5, $6, $7, $8, '0', $9, $9)`,
    [
      ...[txId, actionId, Math.max(firstOutside, row?.n ?? 0), chain, shard, address],
      ...[sequence, new Uint8Array(), now],
    ],
  );
  const isRemoved = await removeUnknown(tx, { chain, address, sequence, txId });
  if (sequence === null) return;
  const next = sequence + 1;
  if (isRemoved) await storeFirstSequence(tx, { chain, next }, address);
  // Later sequences stay unknown until the sequences before them have been found.
  else
    await tx.run('UPDATE sequence SET next = $3 WHERE chain = $1 AND address = $2 AND next = $4', [
      ...[chain, address, next, sequence],
    ]);
}
