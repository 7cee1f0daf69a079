import type { Trackers } from './chains/trackers.ts';
import type { ChainFigures } from './tracking/chain-figures.ts';

/** A ledger's health as seen by this server. Ledgers of different projects may have the same id. */
export interface LedgerHealth {
  readonly uid: string;
  readonly ledgerId: string;
  /** Why the ledger cannot be followed; empty if it can. */
  readonly reasons: readonly string[];
  /** Faults of single nodes that do not prevent serving the ledger. */
  readonly warnings: readonly string[];
}

/** A ledger that this server follows, as its nodes last reported it. */
export interface FollowedLedger extends ChainFigures {
  readonly uid: string;
  readonly ledgerId: string;
  /**
   * Median duration of recent requests to its nodes, in milliseconds; null if the plugin does not report it.
   */
  readonly nodeLatencyMs: number | null;
}

/** A ledger, the plugins that should follow it, and whether it can be followed. */
export interface LedgerReach {
  readonly ledgerUid: string;
  readonly ledgerId: string;
  /** Null if any plugin that serves the ledger can be used. */
  readonly plugins: readonly (string | null)[];
  /** Why the ledger cannot be followed; null if it can. */
  readonly lastError: string | null;
  readonly warnings: readonly string[];
}

/**
 * Returns the health of all needed ledgers: first those that a plugin could not open, then those with running
 * trackers.
 */
export function ledgerReaches(trackers: Pick<Trackers, 'running' | 'unavailable'>): LedgerReach[] {
  const unavailable = [...trackers.unavailable.all()].map(({ ledgerUid, ledgerId, plugin, why }) => ({
    ledgerUid,
    ledgerId,
    plugins: [plugin],
    lastError: why,
    warnings: [],
  }));
  const running = [...trackers.running()].map(({ open, adopted, lastError, warnings }) => ({
    ledgerUid: open.record.uid,
    ledgerId: open.record.ledgerId,
    plugins: [null, open.pluginUid, ...adopted],
    lastError,
    warnings,
  }));
  return [...unavailable, ...running];
}

/** Returns only the ledgers with reasons or warnings. */
export function ledgerHealth(reaches: readonly LedgerReach[]): LedgerHealth[] {
  return [...Map.groupBy(reaches, ({ ledgerUid }) => ledgerUid)].flatMap(([uid, all]) => {
    const reasons = [...new Set(all.flatMap(({ lastError }) => lastError ?? []))];
    const warnings = [...new Set(all.flatMap((one) => one.warnings))];
    const isHealthy = reasons.length + warnings.length === 0;
    return isHealthy ? [] : all.slice(0, 1).map(({ ledgerId }) => ({ uid, ledgerId, reasons, warnings }));
  });
}

/** Returns a height to sort by: lowest for a ledger that was not read, and second lowest for one without blocks. */
const heightOf = (read: Pick<ChainFigures, 'height'> | undefined) =>
  read === undefined ? -2 : (read.height ?? -1);

/**
 * Returns the latest figures of each ledger that was read. If several plugins follow a ledger, returns the figures with
 * the highest block.
 */
export function followedLedgers(trackers: Pick<Trackers, 'running'>): FollowedLedger[] {
  const followed = new Map<string, FollowedLedger>();
  for (const { open, figures } of trackers.running()) {
    const { uid, ledgerId } = open.record;
    const read = figures.get();
    if (read === null || heightOf(followed.get(uid)) >= heightOf(read)) continue;
    followed.set(uid, { uid, ledgerId, ...read, nodeLatencyMs: open.latency.median() });
  }
  return [...followed.values()];
}
