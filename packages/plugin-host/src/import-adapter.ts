import { pathToFileURL } from 'node:url';
import type { AdapterDefinition } from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import { failureName, failureOf } from './failure.ts';
import { guardDefinition } from './guard.ts';

function isDefinition(value: unknown): value is AdapterDefinition {
  return (
    typeof value === 'object' &&
    value !== null &&
    'open' in value &&
    typeof value.open === 'function' &&
    'readInterface' in value &&
    typeof value.readInterface === 'function'
  );
}

/**
 * Imports a trusted adapter module into this process.
 * @param specifier absolute path or `file:` URL of the module.
 * @param plugin name used in errors; default: the specifier's last part.
 * @throws AdapterError `adapter-fault`, phase `open`: it cannot be imported, is not an adapter, or was written for
 * another interface version.
 */
export async function importAdapter(specifier: string, plugin?: string): Promise<AdapterDefinition> {
  const url = specifier.startsWith('file:') ? specifier : pathToFileURL(specifier).href;
  const name = plugin ?? url.split('/').at(-1) ?? url;
  let module: unknown;
  try {
    module = await import(url);
  } catch (cause) {
    const detail = `Importing the plugin ${name} failed with ${failureName(failureOf(cause))}.`;
    throw adapterError('adapter-fault', detail, { phase: 'open', cause });
  }
  const found =
    typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  if (isDefinition(found)) return guardDefinition(name, found);
  const detail = `The default export of ${name} is not an adapter definition. Create it with defineAdapter().`;
  throw adapterError('adapter-fault', detail, { phase: 'open' });
}
