import type { Store } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import type { OpenLedger } from '../open-ledger.ts';
import { chainBase, chainKey } from '../rows/chains/chain-key.ts';
import { readResets } from '../rows/chains/chains.ts';
import type { FirstSequence } from '../rows/chains/sequences.ts';

/**
 * The sequence from which on every transaction of an exclusive account must be stored here; null on ledgers without
 * account sequences.
 * @param isNew its key was made just now, so the ledger has no transaction of it
 * @throws Problem `ledger-unavailable`
 */
export async function firstSequenceOf(
  { read }: Pick<Store, 'read'>,
  open: OpenLedger,
  address: string,
  isNew: boolean,
): Promise<FirstSequence | null> {
  if (open.definition.capabilities.sequence !== 'account') return null;
  try {
    const identity = await open.chain();
    const chain = chainKey(identity, await readResets(read, chainBase(identity)));
    const [count = 0n] = isNew ? [] : await open.session.sequences([address]);
    return { chain, next: Number(count) };
  } catch (error) {
    throw problemFrom(error);
  }
}
