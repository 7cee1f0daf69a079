import type { Trackers } from './chains/trackers.ts';

/** A ledger as this server sees it now. Ledgers of several projects may have the same id. */
export interface LedgerHealth {
  readonly uid: string;
  readonly ledgerId: string;
  /** Why it cannot be followed; empty when it can. */
  readonly reasons: readonly string[];
  /** Faults of single nodes while it is served all the same. */
  readonly warnings: readonly string[];
}

/** Of the ledgers of which there is something to say. */
export function ledgerHealth(trackers: Pick<Trackers, 'running' | 'unavailable'>): LedgerHealth[] {
  const ledgers = new Map<string, { uid: string; ledgerId: string }>();
  const reasons: (readonly [string, string])[] = [];
  const warnings: (readonly [string, string])[] = [];
  for (const tracker of trackers.running()) {
    const { uid, ledgerId } = tracker.open.record;
    ledgers.set(uid, { uid, ledgerId });
    const trouble = tracker.trouble();
    if (trouble !== null) reasons.push([uid, trouble]);
    for (const warning of tracker.warnings()) warnings.push([uid, warning]);
  }
  for (const { ledgerUid: uid, ledgerId, why } of trackers.unavailable.all()) {
    ledgers.set(uid, { uid, ledgerId });
    reasons.push([uid, why]);
  }
  const of = (uid: string, said: typeof reasons) => [
    ...new Set(said.flatMap(([of, text]) => (of === uid ? [text] : []))),
  ];
  return [...ledgers.values()]
    .map((one) => ({ ...one, reasons: of(one.uid, reasons), warnings: of(one.uid, warnings) }))
    .filter((one) => one.reasons.length + one.warnings.length > 0);
}
