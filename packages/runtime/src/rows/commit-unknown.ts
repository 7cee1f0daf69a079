import { StoreError } from '@ledger-ops/store';

/** Whether a transaction that failed in this way may have been committed all the same. */
export function isCommitUnknown(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'unavailable' || error.code === 'timeout');
}
