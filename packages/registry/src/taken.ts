import { Problem } from '@ledger-ops/base';

/**
 * An id that is taken: nothing was inserted.
 *
 * @param added rows that the insertion returned
 * @param record what it is, with its article: `A ledger`
 * @throws Problem `already-exists`
 */
export function refuseTaken(
  added: readonly unknown[],
  { record, id, pointer }: { record: string; id: string; pointer: string },
): void {
  if (added.length > 0) return;
  throw new Problem('already-exists', `${record} with the id ${id} exists.`, {
    errors: [{ pointer, detail: 'exists already' }],
  });
}
