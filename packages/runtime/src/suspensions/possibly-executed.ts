import type { Auth, Principal } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';
import { readableAmong } from '../actions/readable.ts';
import { type ComparedTransaction, mostMatches } from '../actions/unknown-matches.ts';
import { readUnknown } from '../rows/unknown-transactions.ts';

/** Maximum number of matches in a problem. */
const mostShown = 100;
/** Maximum number of matches that the problem's message names. */
const mostInText = 5;

/**
 * Refuses to resume a wallet as long as an unknown transaction may have executed one of its pending actions and no user
 * has resolved this match: resuming would sign the action. @throws Problem `possibly-executed`
 */
export async function refuseMatches(
  { auth }: { auth: Pick<Auth, 'decide'> },
  principal: Principal,
  walletId: string,
  compared: readonly ComparedTransaction[],
): Promise<void> {
  const all = compared.flatMap((transaction) => transaction.open.map((match) => ({ ...match, transaction })));
  if (all.length === 0) return;
  // A wallet may co-sign actions of wallets that the caller must not see.
  const readable = await readableAmong(
    auth,
    principal,
    all.map(({ walletUid }) => walletUid),
  );
  const shown = all.filter(({ walletUid }) => readable.has(walletUid));
  const matches = shown.slice(0, mostShown).map(({ actionId, transaction: { unknown, txId } }) => ({
    ...{ actionId, transaction: unknown.id, txId, sequence: unknown.sequence },
  }));
  const hasMore = compared.some(({ open }) => open.length === mostMatches);
  const detail = detailOf(walletId, matches, { count: all.length, hasMore });
  throw new Problem('possibly-executed', detail, { extensions: { matches } });
}

/**
 * Must be called in the transaction that resumes the wallet, after that transaction locked all leases.
 * @throws Problem `conflict` if unknown transactions were found since the comparison
 */
export async function refuseFoundMeanwhile(
  tx: Tx,
  account: { chainId: string; address: string },
  compared: readonly ComparedTransaction[],
): Promise<void> {
  const seen = new Set(compared.map(({ unknown: { id } }) => id));
  const found = await readUnknown(tx, account);
  if (found.every(({ id }) => seen.has(id))) return;
  const detail =
    'More unknown transactions of the wallet were found in the meantime. List and resolve them, then resume the wallet.';
  throw new Problem('conflict', detail);
}

/** @param hasMore whether there may be more matches than were counted */
function detailOf(
  walletId: string,
  matches: readonly { actionId: string; txId: string | null; sequence: number | null }[],
  { count, hasMore }: { count: number; hasMore: boolean },
): string {
  const named = matches.slice(0, mostInText).map(({ actionId, txId, sequence }) => {
    const by = txId === null ? `the transaction with the nonce ${sequence}` : `the transaction ${txId}`;
    return `${actionId} by ${by}`;
  });
  const more = count - named.length;
  const list = [...named, ...(more > 0 ? [`${hasMore ? 'at least ' : ''}${more} more`] : [])].join('; ');
  return `The wallet ${walletId} cannot be resumed, because unknown transactions may have executed its pending actions: ${list}. Mark each of these actions as executed, cancel it, or release it if the transaction did not execute it.`;
}
