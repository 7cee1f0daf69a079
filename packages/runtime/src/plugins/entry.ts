import type { PluginHealth, ProcessAdapter } from '@ledger-ops/plugin-host';
import type { Measurements } from './measure.ts';
import type { RemoteHealth } from './remote/remote-health.ts';
import type { LoadedPlugin, PluginCandidate, PluginRecord, PluginStatus } from './types.ts';

/** The module of one plugin record, which is loading, loaded or failed. */
export interface Entry {
  record: PluginRecord;
  plugin: Promise<LoadedPlugin>;
  loaded?: LoadedPlugin;
  measurements: Measurements;
  /** The error that the module threw while loading: name, code and location. */
  thrown?: string;
  process?: ProcessAdapter;
  /** Whether a remote plugin responds. Set when its description is read. */
  remote?: RemoteHealth;
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
    lastError: newest(entry.measurements.lastError, processFailure(entry, health)),
    latency: entry.measurements.latency,
    restarts: health?.restarts ?? 0,
    isolation: health?.isolation ?? null,
  };
}

/** Whether the module is still being loaded. */
export function isLoading({ loaded, retryAt }: Entry): boolean {
  return loaded === undefined && retryAt === Number.POSITIVE_INFINITY;
}

/** Whether both records refer to the same loaded module. */
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
