import type { Store, Tx } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import type { OpenLedger } from '../open-ledger.ts';
import { chainBase, chainKey } from '../rows/chains/chain-key.ts';
import { readResets } from '../rows/chains/chains.ts';
import { type FirstSequence, storeFirstSequence } from '../rows/chains/sequences.ts';
import { type KnownHeight, storeKnownHeight } from '../rows/compared-accounts.ts';
import { hasOtherExclusive } from '../rows/unknown-transactions.ts';

/** The point from which the database must contain every transaction of an exclusive account. */
export type KnownHistory = FirstSequence | KnownHeight;

/**
 * Returns the point for an account, as the ledger reports it now. Returns null on ledgers that cannot list the
 * transactions of an account.
 * @param isNew whether the key was just created, so that the ledger cannot contain transactions of it
 * @throws Problem `ledger-unavailable`
 */
export async function knownHistoryOf(
  { read }: Pick<Store, 'read'>,
  open: OpenLedger,
  address: string,
  isNew: boolean,
): Promise<KnownHistory | null> {
  const { sequence, listsTransactions } = open.definition.capabilities;
  if (sequence === 'none' && listsTransactions !== true) return null;
  try {
    const identity = await open.chain();
    const chain = chainKey(identity, await readResets(read, chainBase(identity)));
    if (sequence === 'account') {
      const [count = 0n] = isNew ? [] : await open.session.sequences([address]);
      return { chain, next: Number(count) };
    }
    const found = await open.session.transactionsOf?.({ address, since: null });
    return found === undefined ? null : { chain, height: found.head };
  } catch (error) {
    // An account with a new key does not need a point: without one, it is compared from the first block on.
    if (isNew && sequence === 'none') return null;
    throw problemFrom(error);
  }
}

/**
 * Stores the point from which the database must contain every transaction of a wallet that becomes exclusive. If
 * another wallet with the same key is already exclusive, its point is kept, because unknown transactions after that
 * point must still be found.
 */
export async function beginExclusive(
  tx: Tx,
  wallet: { uid: string; chainId: string; address: string },
  known: KnownHistory,
): Promise<void> {
  if (await hasOtherExclusive(tx, wallet)) return;
  await ('next' in known
    ? storeFirstSequence(tx, known, wallet.address)
    : storeKnownHeight(tx, known, wallet.address));
}
