import type { KeyType } from '@ledger-ops/adapter';
import { readJson } from '@ledger-ops/store';
import { keyTypeColumn, keyTypeOf } from '../keys/plugin-key.ts';
import type { KeptDefinition } from './types.ts';

/** Returns a definition as text, to store it with the plugin's record. */
export function writeDefinition(definition: KeptDefinition): string {
  const { technology, version, capabilities, description } = definition;
  const keyType = keyTypeColumn(definition.keyType);
  return JSON.stringify({ technology, version, keyType, capabilities, description });
}

export function readDefinition(text: string): KeptDefinition {
  const { keyType, ...rest } = readJson<Omit<KeptDefinition, 'keyType'> & { keyType: string }>(text);
  // `writeDefinition` wrote this value.
  return { ...rest, keyType: keyTypeOf(keyType) as KeyType | null };
}
