import { recordActivity, serviceItself } from '@ledger-ops/auth';
import { type Queries, type Tx, uuidv7 } from '@ledger-ops/store';
import { insertSuspensions, type SuspensionRow } from './actions/suspensions.ts';
import { chainIdOf } from './chains/chain-key.ts';
import { storeFirstSequence } from './chains/sequences.ts';
import { among } from './sql.ts';

/** Maximum number of unknown transactions that are stored for one account; the newest ones. */
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
  for (const { chain, address, sequence, txId } of found.slice(-mostUnknown)) {
    await tx.run(
      `INSERT INTO unknown_transaction (chain, address, sequence, tx_id, found_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (chain, address, sequence) DO UPDATE SET tx_id = COALESCE(unknown_transaction.tx_id, excluded.tx_id)`,
      [chain, address, sequence, txId, now],
    );
  }
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
  const sequences = found.map(({ sequence }) => sequence).sort((a, b) => a - b);
  const [from = 0, to = 0] = [sequences[0], sequences.at(-1)];
  const named = found.flatMap(({ txId }) => txId ?? []).slice(0, 3);
  const which = `${from === to ? `the nonce ${from}` : `the nonces ${from} to ${to}`}${named.length === 0 ? '' : ` (${named.join(', ')})`}`;
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
    `SELECT chain, address, sequence, tx_id AS "txId", found_at AS "foundAt" FROM unknown_transaction
      WHERE address = $1 ORDER BY chain, sequence`,
    [address],
  );
  return rows.filter(({ chain }) => chainIdOf(chain) === chainId);
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
 * Accepts the unknown transactions of an account as used by others: the account's next transaction gets a sequence
 * after them.
 */
export async function acknowledgeUnknown(
  tx: Tx,
  account: { chainId: string; address: string },
): Promise<void> {
  for (const { chain, address, sequence } of await readUnknown(tx, account)) {
    await storeFirstSequence(tx, { chain, next: sequence + 1 }, address);
    await tx.run('DELETE FROM unknown_transaction WHERE chain = $1 AND address = $2 AND sequence = $3', [
      ...[chain, address, sequence],
    ]);
  }
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
  if (sequence === null) return;
  await storeFirstSequence(tx, { chain, next: sequence + 1 }, address);
  await tx.run('DELETE FROM unknown_transaction WHERE chain = $1 AND address = $2 AND sequence = $3', [
    ...[chain, address, sequence],
  ]);
}
