import { StoreError } from '@ledger-ops/store';

/** Whether a transaction that failed with this error may have been committed. */
export function isCommitUnknown(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'unavailable' || error.code === 'timeout');
}
