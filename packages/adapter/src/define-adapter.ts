import type { AdapterDefinition } from './contract/definition.ts';

/** Version of the adapter interface that this package describes (semver). */
export const interfaceVersion = '0.1.0';

/** Types a definition; the one thing that an adapter package exports for the host. */
export function defineAdapter(definition: AdapterDefinition): AdapterDefinition {
  return Object.freeze(definition);
}

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
