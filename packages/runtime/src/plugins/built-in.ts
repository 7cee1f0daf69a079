import { builtInUid, type LedgerRecord } from '@ledger-ops/registry';
import type { LedgerDefinition } from '../ledger-definition.ts';
import type { LoadedPlugin } from './types.ts';

/** Wraps adapters that are passed in code as plugins. */
export function builtInPlugins(definitions: readonly LedgerDefinition[]): readonly LoadedPlugin[] {
  return definitions.map((definition) => ({
    uid: builtInUid(definition.name),
    name: definition.name,
    definition,
  }));
}

/** Returns the built-in plugin for a ledger that no plugin record serves. */
export function builtInFor(
  builtIn: readonly LoadedPlugin[],
  ledger: LedgerRecord,
  pluginId?: string,
): LoadedPlugin | undefined {
  const tags = ledger.properties.plugin_tags;
  return builtIn.find(({ name, definition: { technology } }) => {
    if (technology !== ledger.technology) return false;
    if (pluginId !== undefined && pluginId !== '') return name === pluginId;
    return !Array.isArray(tags) || tags.every((tag) => tag === technology || tag === name);
  });
}
