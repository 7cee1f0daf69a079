import type { LedgerRecord } from '@ledger-ops/registry';

/** Returns a record for a ledger that is not stored, so that a plugin can be chosen for it. */
export function unrecordedLedger(
  known: Pick<LedgerRecord, 'ledgerId' | 'projectUid' | 'technology' | 'properties'>,
): LedgerRecord {
  const { ledgerId, projectUid, technology, properties } = known;
  return {
    ...{ ledgerId, projectUid, technology, properties },
    ...{ uid: '', id: 0, name: ledgerId, active: true, nodes: [], revision: 0 },
  };
}
