import { recordActivity, serviceItself } from '@ledger-ops/auth';
import { type Queries, type Tx, uuidv7 } from '@ledger-ops/store';
import { insertSuspensions, type SuspensionRow } from './actions/suspensions.ts';
import { chainIdOf } from './chains/chain-key.ts';
import { type FirstSequence, storeFirstSequence } from './chains/sequences.ts';
import { among } from './sql.ts';

/**
 * Maximum number of sequences that one comparison stores for an account: the oldest ones. After a person resumed the
 * wallet, the next comparison finds the later ones.
 */
export const mostUnknown = 100;

/** A sequence of an account that the ledger counts as used, although nothing that is stored here used it. */
export interface UnknownTransaction {
  readonly chain: string;
  readonly address: string;
  readonly sequence: number;
  /** Null: not known. */
  readonly txId: string | null;
}

/** A wallet that was suspended because of unknown transactions. */
export interface SuspendedWallet {
  readonly walletId: string;
  readonly ledgerId: string;
}

/** An unknown transaction as it is stored. */
export interface StoredUnknown extends UnknownTransaction {
  /** Stays the same as long as the row exists. */
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

/** Names an unknown transaction for people and programs, also if its transaction id is not known yet. */
function unknownIdOf({ chain, address, sequence }: Omit<UnknownTransaction, 'txId'>): string {
  return `${chain}/${address}/${sequence}`;
}

/** Whether a wallet with this account is exclusive. */
export async function isExclusive(
  read: Pick<Queries, 'all'>,
  chain: string,
  address: string,
): Promise<boolean> {
  const wallets = await readWallets(read, chain, address);
  return wallets.some(({ exclusive }) => exclusive === 1);
}

/**
 * Stores the sequence from which on every transaction of a wallet that became exclusive must be stored here. If another
 * wallet with the same key is exclusive already, the stored sequence stays: transactions since then are still to be found.
 */
export async function beginExclusive(
  tx: Tx,
  { uid, chainId, address }: { uid: string; chainId: string; address: string },
  first: FirstSequence,
): Promise<void> {
  const [other] = await tx.all(
    'SELECT uid FROM wallet WHERE chain_id = $1 AND address = $2 AND exclusive = 1 AND uid <> $3 LIMIT 1',
    [chainId, address, uid],
  );
  if (other === undefined) await storeFirstSequence(tx, first, address);
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
  for (const { chain, address, sequence, txId } of found) {
    await tx.run(
      `INSERT INTO unknown_transaction (chain, address, sequence, tx_id, found_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (chain, address, sequence) DO UPDATE SET tx_id = COALESCE(unknown_transaction.tx_id, excluded.tx_id)`,
      [chain, address, sequence, txId, now],
    );
  }
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

/** Returns the wallets that were not suspended for this cause before. */
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
  const sequences = found.map(({ sequence }) => sequence).sort((a, b) => a - b);
  const [from = 0, to = 0] = [sequences[0], sequences.at(-1)];
  const named = found.flatMap(({ txId }) => txId ?? []).slice(0, 3);
  const which = `${from === to ? `the nonce ${from}` : `the nonces ${from} to ${to}`}${named.length === 0 ? '' : ` (${named.join(', ')})`}`;
  return `The ledger shows transactions of this wallet that are not stored here: ${which}. Either the database was set back, or the key signs elsewhere too. Decide about each pending action that they may have executed, then resume the wallet.`;
}

/** Unknown transactions of an account, the first sequence first. */
export async function readUnknown(
  read: Pick<Queries, 'all'>,
  { chainId, address }: { chainId: string; address: string },
): Promise<StoredUnknown[]> {
  const rows = await read.all<
    UnknownTransaction & Record<string, string | number | null> & { foundAt: number }
  >(
    `SELECT chain, address, sequence, tx_id AS "txId", found_at AS "foundAt" FROM unknown_transaction
      WHERE address = $1 ORDER BY chain, sequence`,
    [address],
  );
  return rows
    .filter(({ chain }) => chainIdOf(chain) === chainId)
    .map((row) => ({ ...row, id: unknownIdOf(row) }));
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
 * Accepts the unknown transactions of a wallet that is resumed as used by others: the account's next transaction gets a
 * sequence after them. They stay stored for other wallets with the same key that are still suspended.
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
  for (const { chain, address, sequence } of await readUnknown(tx, account)) {
    await storeFirstSequence(tx, { chain, next: sequence + 1 }, address);
    if (other === undefined) await removeUnknown(tx, { chain, address, sequence });
  }
}

/** Removes an unknown transaction with all releases from it. Returns false if it is not stored. */
async function removeUnknown(tx: Tx, unknown: Omit<UnknownTransaction, 'txId'>): Promise<boolean> {
  const { chain, address, sequence } = unknown;
  await tx.run('DELETE FROM action_release WHERE unknown_id = $1', [unknownIdOf(unknown)]);
  return (
    (await tx.run('DELETE FROM unknown_transaction WHERE chain = $1 AND address = $2 AND sequence = $3', [
      ...[chain, address, sequence],
    ])) > 0
  );
}

/**
 * First number of transactions from outside within an action. Numbers of signed ones are lower, so that one can use the same
 * sequence after a reorg removed the transaction from outside.
 */
const firstOutside = 1_000;

/**
 * Stores the transaction that executed an action outside of this service. Its bytes are not known: empty ones mark it as
 * compared with the ledger as long as bytes of other finished actions are kept, and are never sent.
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
  if (sequence === null) return;
  const next = sequence + 1;
  if (await removeUnknown(tx, { chain, address, sequence }))
    await storeFirstSequence(tx, { chain, next }, address);
  // A later sequence stays unknown, because those before it are still to be found.
  else
    await tx.run('UPDATE sequence SET next = $3 WHERE chain = $1 AND address = $2 AND next = $4', [
      ...[chain, address, next, sequence],
    ]);
}
