import type { Queries, Tx } from '@ledger-ops/store';
import { chainIdOf } from './chains/chain-key.ts';
import { coSignersOf } from './co-signers.ts';
import { textList } from './sql.ts';

/** The height up to which the database contains all transactions of an account. */
export interface KnownHeight {
  readonly chain: string;
  readonly height: number;
}

/** An exclusive account on a ledger without sequences. */
export interface ComparedAccount {
  readonly height: number;
  /** Why the last comparison was incomplete. Null if it was complete or the account was never compared. */
  readonly incomplete: string | null;
}

/**
 * Reads what is known about an account. Returns null if nothing is stored, so that there is nothing to compare with its
 * ledger.
 */
export async function readComparedAccount(
  read: Pick<Queries, 'all'>,
  chain: string,
  address: string,
): Promise<ComparedAccount | null> {
  const [row] = await read.all<{ height: number; incomplete: string | null }>(
    'SELECT height, incomplete FROM compared_account WHERE chain = $1 AND address = $2',
    [chain, address],
  );
  return row ?? null;
}

/**
 * Whether the database contains a height of the account from before a reset of the same chain. A reset changes the
 * chain's key, but not its id.
 */
export async function isComparedBeforeReset(
  read: Pick<Queries, 'all'>,
  chain: string,
  address: string,
): Promise<boolean> {
  const rows = await read.all<{ chain: string }>(
    'SELECT chain FROM compared_account WHERE address = $1 AND chain <> $2',
    [address, chain],
  );
  return rows.some((row) => chainIdOf(row.chain) === chainIdOf(chain));
}

/**
 * Returns why the last comparison of an account with its ledger was incomplete; null if it was complete or
 * not needed.
 */
export async function readIncomplete(
  read: Pick<Queries, 'all'>,
  { chainId, address }: { chainId: string; address: string },
): Promise<string | null> {
  const rows = await read.all<{ chain: string; incomplete: string }>(
    'SELECT chain, incomplete FROM compared_account WHERE address = $1 AND incomplete IS NOT NULL ORDER BY chain',
    [address],
  );
  return rows.find(({ chain }) => chainIdOf(chain) === chainId)?.incomplete ?? null;
}

/**
 * Stores the height after which an account's transactions are compared with its ledger. Clears the reason why an
 * earlier comparison was incomplete.
 */
export async function storeKnownHeight(
  tx: Tx,
  { chain, height }: KnownHeight,
  address: string,
): Promise<void> {
  await tx.run(
    `INSERT INTO compared_account (chain, address, height) VALUES ($1, $2, $3)
      ON CONFLICT (chain, address) DO UPDATE SET incomplete = NULL,
      height = CASE WHEN compared_account.height < excluded.height THEN excluded.height ELSE compared_account.height END`,
    [chain, address, height],
  );
}

/** Stores that all transactions of an account up to a height were compared. */
export async function storeCompared(
  tx: Tx,
  { chain, height }: KnownHeight,
  address: string,
  now: number,
): Promise<void> {
  await storeKnownHeight(tx, { chain, height }, address);
  await tx.run('UPDATE compared_account SET compared_at = $3 WHERE chain = $1 AND address = $2', [
    ...[chain, address, now],
  ]);
}

/**
 * Stores why a comparison was incomplete. The height is not changed, so that a later comparison can find the
 * transactions that this one missed.
 */
export async function storeIncomplete(tx: Tx, chain: string, address: string, reason: string): Promise<void> {
  await tx.run('UPDATE compared_account SET incomplete = $3 WHERE chain = $1 AND address = $2', [
    ...[chain, address, reason],
  ]);
}

/**
 * Raises the known heights of accounts above the transactions of finished actions that are about to be removed.
 * Otherwise, these transactions would later count as unknown. No unknown transaction is skipped: those that a restored
 * database lacks are newer than all finished actions in the database.
 */
export async function passRemoved(tx: Tx, actionIds: string): Promise<void> {
  const rows = await tx.all<{
    chain: string;
    address: string;
    height: number | null;
    receivers: string | null;
  }>(
    // The height of a failed action is not always known, but the last valid height of its transactions is.
    `SELECT attempt.chain, attempt.address, MAX(COALESCE(action.height, attempt.valid_until)) AS height, action.receivers
      FROM attempt JOIN action ON action.id = attempt.action_id
      WHERE action.id IN ${textList(tx.dialect, '$1')} AND attempt.sequence IS NULL
      GROUP BY attempt.chain, attempt.address, action.receivers`,
    [actionIds],
  );
  for (const { chain, address, height, receivers } of rows) {
    if (height === null) continue;
    await tx.run(
      `UPDATE compared_account SET height = $2 WHERE chain = $1 AND height < $2
        AND (address = $3 OR address IN (SELECT wallet.address FROM wallet WHERE uid IN ${textList(tx.dialect, '$4')}))`,
      [chain, height, address, JSON.stringify(coSignersOf(receivers))],
    );
  }
}

/** A wallet that only this installation uses, with the ledger on which its account can be compared. */
export interface ExclusiveWallet {
  readonly uid: string;
  readonly address: string;
  readonly ledgerUid: string;
  readonly ledgerId: string;
  readonly projectUid: string;
  /** Whether the wallet's account has ever signed, as far as the database knows. */
  readonly hasSigned: boolean;
}

/** Returns the chains for which a sequence or a known height of any account is stored. */
export async function readComparedChains(read: Pick<Queries, 'all'>): Promise<string[]> {
  const rows = await read.all<{ chain: string }>(
    'SELECT chain FROM sequence UNION SELECT chain FROM compared_account ORDER BY chain',
  );
  return rows.map(({ chain }) => chain);
}

/**
 * Returns the next exclusive wallets on a chain after `after`, in a fixed order. Includes wallets that never signed.
 */
export async function readExclusiveWallets(
  read: Pick<Queries, 'all'>,
  chain: string,
  after: Pick<ExclusiveWallet, 'address' | 'uid'>,
  limit: number,
): Promise<ExclusiveWallet[]> {
  const rows = await read.all<
    Omit<ExclusiveWallet, 'hasSigned'> & { signed: number } & Record<string, string>
  >(
    // An account without sequences is compared before its first signature.
    `SELECT uid, address, ledger_uid AS "ledgerUid", ledger_id AS "ledgerId", project_id AS "projectUid", CASE WHEN
        EXISTS (SELECT 1 FROM sequence WHERE chain = $1 AND sequence.address = wallet.address AND next > 0)
        OR EXISTS (SELECT 1 FROM compared_account AS known WHERE chain = $1 AND known.address = wallet.address
          AND (compared_at IS NOT NULL OR incomplete IS NOT NULL))
        THEN 1 ELSE 0 END AS signed
      FROM wallet WHERE chain_id = $2 AND (address, uid) > ($3, $4) AND exclusive = 1
      ORDER BY address, uid LIMIT $5`,
    [chain, chainIdOf(chain), after.address, after.uid, limit],
  );
  return rows.map(({ signed, ...wallet }) => ({ ...wallet, hasSigned: signed === 1 }));
}
