import { readJson } from '@ledger-ops/store';
import type { KeptDefinition } from './types.ts';

/** As it is kept with the plugin's record. */
export function writeDefinition(definition: KeptDefinition): string {
  const { technology, version, keyType, capabilities, description } = definition;
  return JSON.stringify({ technology, version, keyType, capabilities, description });
}

export function readDefinition(text: string): KeptDefinition {
  return readJson<KeptDefinition>(text);
}
