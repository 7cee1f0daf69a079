import { addressOf, type Base58 } from '../base58.ts';
import type { Bank } from '../runtime/bank.ts';
import { type DecodedMessage, isWritable } from './decode.ts';

/** Accounts of a transaction in the order of its indexes: its own, then those of lookup tables. */
export interface ResolvedAccounts {
  all: Base58[];
  loaded: { writable: Base58[]; readonly: Base58[] };
  /** Whether the transaction may write the account. */
  writable(index: number): boolean;
}

const tableHeader = 56;

/**
 * Resolves the accounts of a message. Omits addresses that a lookup table lacks; the runtime then refuses the
 * transaction.
 */
export function resolveAccounts(bank: Bank, message: DecodedMessage): ResolvedAccounts {
  const loaded: ResolvedAccounts['loaded'] = { writable: [], readonly: [] };
  for (const { table, writable, readonly } of message.lookups) {
    const data = bank.get(table)?.data.subarray(tableHeader) ?? new Uint8Array();
    const at = (index: number) =>
      32 * index + 32 <= data.length ? [addressOf(data.subarray(32 * index, 32 * index + 32))] : [];
    loaded.writable.push(...writable.flatMap(at));
    loaded.readonly.push(...readonly.flatMap(at));
  }
  const own = message.accounts.length;
  return {
    all: [...message.accounts, ...loaded.writable, ...loaded.readonly],
    loaded,
    writable: (index) => (index < own ? isWritable(message, index) : index < own + loaded.writable.length),
  };
}
