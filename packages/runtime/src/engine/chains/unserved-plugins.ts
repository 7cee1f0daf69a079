import { Problem } from '@ledger-ops/base';
import type { PendingReason } from '../../pending-codes.ts';

/**
 * A plugin with which unfinished actions of a ledger were planned, and the reason why it does not run on this server.
 */
export interface UnservedPlugin {
  readonly ledgerUid: string;
  /** Null if any plugin that serves the ledger can be used. */
  readonly plugin: string | null;
  readonly reason: PendingReason;
}

export const notRunning: PendingReason = {
  code: 'plugin-unavailable',
  reason: 'The plugin that planned this action is not running on this server: it was deactivated or deleted.',
};

/**
 * Plugins with unfinished actions that do not run on this server, as of the last attempt to open them. Plugins that
 * were not tried yet, for example right after the start, are not included. The reasons are only in memory, because a
 * stored reason would outlive its cause.
 */
export class UnservedPlugins {
  readonly #plugins = new Map<string, UnservedPlugin>();

  /** @param reason null if the plugin runs, or if its ledger is the cause of the failure */
  note(ledgerUid: string, plugin: string | null, reason: PendingReason | null): void {
    const key = keyOf(ledgerUid, plugin);
    if (reason === null) this.#plugins.delete(key);
    else this.#plugins.set(key, { ledgerUid, plugin, reason });
  }

  /** Removes plugins without unfinished actions. */
  keep(needed: Iterable<{ readonly ledger_uid: string; readonly plugin: string | null }>): void {
    const keys = new Set([...needed].map(({ ledger_uid, plugin }) => keyOf(ledger_uid, plugin)));
    for (const key of this.#plugins.keys()) if (!keys.has(key)) this.#plugins.delete(key);
  }

  reasonOf(ledgerUid: string, plugin: string | null): PendingReason | null {
    return this.#plugins.get(keyOf(ledgerUid, plugin))?.reason ?? null;
  }

  all(): Iterable<UnservedPlugin> {
    return this.#plugins.values();
  }
}

/**
 * Returns the reason to show for actions if opening their plugin failed; null if the plugin is not the cause.
 */
export function unservedReason(error: unknown): PendingReason | null {
  if (!(error instanceof Problem)) return null;
  if (error.problem === 'plugin-fault') return { code: 'plugin-fault', reason: error.message };
  return error.problem === 'no-plugin' || error.problem === 'unavailable'
    ? { code: 'plugin-unavailable', reason: error.message }
    : null;
}

function keyOf(ledgerUid: string, plugin: string | null): string {
  return JSON.stringify([ledgerUid, plugin]);
}
