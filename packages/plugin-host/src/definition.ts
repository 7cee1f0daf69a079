import {
  type AdapterDefinition,
  adapterError,
  interfaceVersion,
  isCompatibleInterface,
  readDescription,
} from '@ledger-ops/adapter';
import { definitionMembers } from './schemas.ts';

/** The plain members of a definition, without its functions. */
export type DefinitionMembers = Omit<AdapterDefinition, 'readInterface' | 'open'>;

/**
 * Reads the plain members of a default export.
 * @param plugin name used in errors.
 * @throws AdapterError `adapter-fault`, phase `open`: it is not a definition, was written for another interface
 * version, or its technology description is invalid.
 */
export function readDefinition(plugin: string, value: unknown): DefinitionMembers {
  const parsed = definitionMembers.safeParse(value);
  if (!parsed.success) {
    const places = parsed.error.issues
      .slice(0, 3)
      .map(({ path, message }) => `/${path.join('/')}: ${message}`);
    const detail = `The default export of ${plugin} is not an adapter definition: ${places.join('; ')}. Create it with defineAdapter().`;
    throw adapterError('adapter-fault', detail, { phase: 'open' });
  }
  const { interfaceVersion: written } = parsed.data;
  if (!isCompatibleInterface(written)) {
    const detail = `The plugin ${plugin} was written for version ${written} of the adapter interface, but this host has ${interfaceVersion}. Update the plugin.`;
    throw adapterError('adapter-fault', detail, {
      phase: 'open',
      data: { pluginInterfaceVersion: written, hostInterfaceVersion: interfaceVersion },
    });
  }
  return {
    ...parsed.data,
    description: readDescription(plugin, parsed.data.technology, parsed.data.description),
  };
}
