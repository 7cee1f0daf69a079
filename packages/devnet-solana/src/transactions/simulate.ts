import type { Base58 } from '../base58.ts';
import type { Chain, View } from '../chain/chain.ts';
import type { Execution } from '../runtime/bank.ts';
import type { DecodedTransaction } from './decode.ts';
import { namedAsByValidators } from './execute.ts';
import { resolveAccounts } from './lookup.ts';

const nothing: Omit<Execution, 'err'> = {
  executed: false,
  logs: [],
  unitsConsumed: 0n,
  inner: [],
  returnData: undefined,
  accounts: new Map(),
};

/** Executes a transaction against a view and discards its changes. */
export function simulateTransaction(
  chain: Chain,
  view: View,
  transaction: DecodedTransaction,
  checkLifetime = true,
): Execution {
  if (checkLifetime) {
    if (chain.lifetimeOf(transaction, view) === undefined) return { ...nothing, err: 'BlockhashNotFound' };
    if (chain.isProcessed(transaction.id, view)) return { ...nothing, err: 'AlreadyProcessed' };
  }
  const execution = view.bank.simulate(transaction.wire);
  return { ...execution, err: namedAsByValidators(execution.err, view.bank, transaction) };
}

/**
 * Error in a transaction's address lookup tables, named as a validator names it; undefined if there is none.
 */
export function tableError({ bank }: View, transaction: DecodedTransaction): string | undefined {
  const { lookups } = transaction;
  if (lookups.some(({ table }) => bank.get(table) === undefined)) return 'AddressLookupTableNotFound';
  const wanted = lookups.reduce((sum, { writable, readonly }) => sum + writable.length + readonly.length, 0);
  const found: Base58[] = resolveAccounts(bank, transaction).all.slice(transaction.accounts.length);
  return found.length < wanted ? 'InvalidAddressLookupTableIndex' : undefined;
}
