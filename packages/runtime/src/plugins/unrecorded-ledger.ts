import type { LedgerRecord } from '@ledger-ops/registry';

/** Makes a record of a ledger that is not stored, to choose a plugin for it. */
export function unrecordedLedger(
  known: Pick<LedgerRecord, 'ledgerId' | 'projectUid' | 'technology' | 'properties'>,
): LedgerRecord {
  const { ledgerId, projectUid, technology, properties } = known;
  return {
    ...{ ledgerId, projectUid, technology, properties },
    ...{ uid: '', id: 0, name: ledgerId, active: true, nodes: [], revision: 0 },
  };
}
