import { isDeepStrictEqual } from 'node:util';
import type { AdapterError } from '@ledger-ops/adapter';
import type { PluginHealth, ProcessAdapter } from '@ledger-ops/plugin-host';
import type { Measurements } from './measure.ts';
import type { RemoteHealth } from './remote/remote-health.ts';
import type { LoadedPlugin, PluginCandidate, PluginRecord, PluginStatus } from './types.ts';

/** The module of one plugin record. It is loading, loaded or failed. */
export interface Entry {
  record: PluginRecord;
  plugin: Promise<LoadedPlugin>;
  loaded?: LoadedPlugin;
  measurements: Measurements;
  /** The error that the module threw while loading: name, code and location. */
  thrown?: string;
  process?: ProcessAdapter;
  /** Whether a remote plugin responds. Set once its description has been read. */
  remote?: RemoteHealth;
  /**
   * Why the current description of a remote plugin cannot be used. Until it can be used, only the description is
   * requested from the plugin.
   */
  refused?: AdapterError | undefined;
  /** The last difference that was logged between the ledgers that the plugin states and those of its record. */
  changed?: string | null;
  /** Closes the connections of a remote plugin. */
  disconnect?: () => Promise<void>;
  /** When a failed load may be retried; infinite if loading has not failed. */
  retryAt: number;
  failures: number;
}

export function statusOf(entry: Entry): PluginStatus {
  const health = entry.process?.health();
  return {
    loaded:
      entry.loaded !== undefined &&
      (health === undefined || health.state === 'up') &&
      (entry.remote === undefined || entry.remote.isUp),
    technology: entry.loaded?.definition.technology ?? null,
    version: entry.loaded?.definition.version ?? null,
    ledgers: entry.loaded?.definition.ledgers ?? null,
    changed: changeOf(entry),
    lastError: newest(entry.measurements.lastError, processFailure(entry, health)),
    latency: entry.measurements.latency,
    restarts: health?.restarts ?? 0,
    isolation: health?.isolation ?? null,
  };
}

/**
 * Returns how the ledgers that the plugin states differ from those of its record, and what to do. Null if they do not
 * differ, or if the plugin is not loaded.
 */
export function changeOf({ record, loaded }: Entry): string | null {
  if (loaded === undefined) return null;
  const stated = loaded.definition.ledgers ?? null;
  const { ledgers: recorded, name } = record;
  const isSame =
    stated === null || recorded === null
      ? stated === recorded
      : isDeepStrictEqual(new Set(stated), new Set(recorded));
  if (isSame) return null;
  return `The plugin ${name} now serves ${ledgerWords(stated)}, but it is registered for ${ledgerWords(recorded)}. Only ledgers in both are served. Update the plugin's registration to accept the change.`;
}

const mostNamed = 10;

function ledgerWords(ids: readonly string[] | null): string {
  if (ids === null) return 'all ledgers of its technology';
  if (ids.length === 0) return 'no ledgers';
  const more = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : '';
  return `the ledgers ${ids.slice(0, mostNamed).join(', ')}${more}`;
}

/** Whether the module is still being loaded. */
export function isLoading({ loaded, retryAt }: Entry): boolean {
  return loaded === undefined && retryAt === Number.POSITIVE_INFINITY;
}

/** Whether one loaded module can be used for both records. */
export function isSameLoad(one: PluginRecord, other: PluginRecord): boolean {
  return one.moduleRevision === other.moduleRevision && sameModule(one, other);
}

export function sameModule(one: PluginCandidate, other: PluginCandidate): boolean {
  return (
    one.url === other.url &&
    one.integrity === other.integrity &&
    Buffer.compare(one.credentials ?? nothing, other.credentials ?? nothing) === 0
  );
}
const nothing = Buffer.alloc(0);

function processFailure({ record }: Entry, health: PluginHealth | undefined): PluginStatus['lastError'] {
  if (health?.lastFailure === undefined) return null;
  const { at, detail } = health.lastFailure;
  return { at, detail: `The plugin ${record.name} was stopped: ${detail}.` };
}

function newest(one: PluginStatus['lastError'], other: PluginStatus['lastError']): PluginStatus['lastError'] {
  if (one === null || other === null) return one ?? other;
  return one.at > other.at ? one : other;
}
