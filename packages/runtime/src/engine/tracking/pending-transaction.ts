import type { PendingTransaction } from '@ledger-ops/adapter';

/** A signed transaction as `confirm` is asked about it. */
export function pendingTransaction(
  address: string,
  sequence: number | null,
  { note, validUntil }: { note: string | null; validUntil?: number | null },
): PendingTransaction {
  return {
    address,
    ...(sequence === null ? {} : { sequence: BigInt(sequence) }),
    ...(note === null ? {} : { note }),
    ...(validUntil === undefined || validUntil === null ? {} : { validUntil }),
  };
}
