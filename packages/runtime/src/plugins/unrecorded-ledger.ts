import type { LedgerRecord } from '@ledger-ops/registry';

/** Creates the record of a ledger that is not stored, in order to choose a plugin for the ledger. */
export function unrecordedLedger(
  known: Pick<LedgerRecord, 'ledgerId' | 'projectUid' | 'technology' | 'properties'>,
): LedgerRecord {
  const { ledgerId, projectUid, technology, properties } = known;
  return {
    ...{ ledgerId, projectUid, technology, properties },
    ...{ uid: '', id: 0, name: ledgerId, active: true, nodes: [], revision: 0 },
  };
}
