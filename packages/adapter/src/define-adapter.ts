import type { AdapterDefinition } from './types.ts';

/** Version of the adapter interface that this package describes (semver). */
export const interfaceVersion = '0.1.0';

/** Types a definition; the one thing that an adapter package exports for the host. */
export function defineAdapter(definition: AdapterDefinition): AdapterDefinition {
  return Object.freeze(definition);
}
