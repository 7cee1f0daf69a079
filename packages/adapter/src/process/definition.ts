import { interfaceVersion } from '../define-adapter.ts';
import { adapterError } from '../error.ts';
import type { AdapterDefinition } from '../types.ts';
import { definitionMembers } from './schemas.ts';

/** What a definition says of itself, without its functions. */
export type DefinitionMembers = Omit<AdapterDefinition, 'readInterface' | 'open'>;

/**
 * Whether an adapter written for one version of the interface can be used by a host that has another: the
 * same major version, or the same minor one while the major is 0, and not a newer one than the host has.
 */
export function isCompatibleInterface(written: string, supported: string = interfaceVersion): boolean {
  const [major = 0, minor = 0] = numbers(written);
  const [hostMajor = 0, hostMinor = 0] = numbers(supported);
  if (major !== hostMajor) return false;
  return major === 0 ? minor === hostMinor : minor <= hostMinor;
}

function numbers(version: string): number[] {
  return version.split(/[-+]/, 1).join('').split('.').map(Number);
}

/**
 * Reads the plain members of a default export.
 * @param plugin the name by which errors call it.
 * @throws AdapterError `adapter-fault`, phase `open`: it is no definition, or written for another version.
 */
export function readDefinition(plugin: string, value: unknown): DefinitionMembers {
  const parsed = definitionMembers.safeParse(value);
  if (!parsed.success) {
    const places = parsed.error.issues
      .slice(0, 3)
      .map(({ path, message }) => `/${path.join('/')}: ${message}`);
    const detail = `The default export of ${plugin} is no adapter definition: ${places.join('; ')}. Make it with defineAdapter().`;
    throw adapterError('adapter-fault', 'open', detail);
  }
  const { interfaceVersion: written } = parsed.data;
  if (!isCompatibleInterface(written)) {
    const detail = `The plugin ${plugin} was written for version ${written} of the adapter interface; this host has ${interfaceVersion}.`;
    throw adapterError('adapter-fault', 'open', detail, {
      data: { pluginInterfaceVersion: written, hostInterfaceVersion: interfaceVersion },
    });
  }
  return parsed.data;
}
