import type { PluginHealth, ProcessAdapter } from '@ledger-ops/plugin-host';
import type { Measurements } from './measure.ts';
import type { LoadedPlugin, PluginCandidate, PluginRecord, PluginStatus } from './types.ts';

/** A module under one record: on its way, there, or refused. */
export interface Entry {
  record: PluginRecord;
  plugin: Promise<LoadedPlugin>;
  loaded?: LoadedPlugin;
  measurements: Measurements;
  /** The error that its module threw when it was loaded: name, code and place. */
  thrown?: string;
  process?: ProcessAdapter;
  /** Of a remote plugin: ends its connections. */
  disconnect?: () => Promise<void>;
  /** When a failed load may be tried again. */
  retryAt: number;
  failures: number;
}

export function statusOf(entry: Entry): PluginStatus {
  const health = entry.process?.health();
  return {
    loaded: entry.loaded !== undefined && (health === undefined || health.state === 'up'),
    technology: entry.loaded?.definition.technology ?? null,
    version: entry.loaded?.definition.version ?? null,
    ledgers: entry.loaded?.definition.ledgers ?? null,
    lastError: newest(entry.measurements.lastError, processFailure(entry, health)),
    latency: entry.measurements.latency,
    restarts: health?.restarts ?? 0,
    isolation: health?.isolation ?? null,
  };
}

/** Whether what was loaded for the one is what the other asks for. */
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
  return { at, detail: `The plugin ${record.name} was ended: ${detail}.` };
}

function newest(one: PluginStatus['lastError'], other: PluginStatus['lastError']): PluginStatus['lastError'] {
  if (one === null || other === null) return one ?? other;
  return one.at > other.at ? one : other;
}
