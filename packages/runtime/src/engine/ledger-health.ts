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

/** Whether the actions of some plugins can be followed on a ledger. */
export interface LedgerReach {
  readonly ledgerUid: string;
  readonly ledgerId: string;
  /** Null: of whichever plugin serves it. */
  readonly plugins: readonly (string | null)[];
  /** Why they cannot; null: they can. */
  readonly trouble: string | null;
  readonly warnings: readonly string[];
}

/** Of all ledgers that are needed; of one that is not opened for some plugin before the trackers that it has. */
export function ledgerReaches({
  running,
  unavailable,
}: Pick<Trackers, 'running' | 'unavailable'>): LedgerReach[] {
  return [
    ...[...unavailable.all()].map(({ ledgerUid, ledgerId, plugin, why }) => ({
      ...{ ledgerUid, ledgerId, plugins: [plugin], trouble: why, warnings: [] },
    })),
    ...[...running()].map(({ open: { record, pluginUid }, adopted, trouble, warnings }) => ({
      ...{ ledgerUid: record.uid, ledgerId: record.ledgerId, plugins: [null, pluginUid, ...adopted] },
      ...{ trouble: trouble(), warnings: warnings() },
    })),
  ];
}

/** Of the ledgers of which there is something to say. */
export function ledgerHealth(reaches: readonly LedgerReach[]): LedgerHealth[] {
  return [...Map.groupBy(reaches, ({ ledgerUid }) => ledgerUid)].flatMap(([uid, all]) => {
    const reasons = [...new Set(all.flatMap(({ trouble }) => trouble ?? []))];
    const warnings = [...new Set(all.flatMap((one) => one.warnings))];
    const isQuiet = reasons.length + warnings.length === 0;
    return isQuiet ? [] : all.slice(0, 1).map(({ ledgerId }) => ({ uid, ledgerId, reasons, warnings }));
  });
}
