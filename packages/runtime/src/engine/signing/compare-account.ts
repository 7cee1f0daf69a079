import type { OpenLedger } from '../../open-ledger.ts';
import { chainBase, chainKey } from '../../rows/chains/chain-key.ts';
import { readResets } from '../../rows/chains/chains.ts';
import { readSequence } from '../../rows/chains/sequences.ts';
import type { EngineContext } from '../context.ts';
import { Comparisons } from './comparisons.ts';
import { UnknownTransactions } from './unknown-transactions.ts';

/**
 * Compares an account with its ledger as before a signature, for accounts that have nothing to sign. If the account is
 * exclusive and has unknown transactions, its wallets are suspended. The caller needs no lease.
 *
 * Returns false if the ledger is on another chain.
 * @throws AdapterError, Problem, StoreError
 */
export async function compareAccount(
  context: Pick<EngineContext, 'store' | 'log' | 'meter' | 'now' | 'timing' | 'isCurrent'>,
  open: OpenLedger,
  chain: string,
  address: string,
): Promise<boolean> {
  const { read } = context.store;
  const { session, definition } = open;
  const identity = await open.chain();
  if (chainKey(identity, await readResets(read, chainBase(identity))) !== chain) return false;
  const unknown = new UnknownTransactions(context, chain);
  if (definition.capabilities.sequence === 'none') {
    await new Comparisons(context, chain, unknown).compareIdle(session, address);
    return true;
  }
  const stored = await readSequence(read, chain, address);
  const expected = [stored === null ? null : BigInt(stored)];
  const [count = 0n] = await session.sequences([address], { expected });
  if (await unknown.isAhead(address, Number(count), stored)) return true;
  const [unmined = 0n] = await session.sequences([address], { unmined: true });
  await unknown.isAhead(address, Number(unmined), stored);
  return true;
}
