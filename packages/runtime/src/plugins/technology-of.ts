import { type GloTechnology, readTechnology } from '@ledger-ops/glo-core';
import type { LedgerDefinition } from '../ledger-definition.ts';

type Described = Pick<LedgerDefinition, 'technology' | 'description'>;

const known = new WeakMap<Described, GloTechnology>();

/**
 * Returns what is needed to parse operations for an adapter's ledgers, derived from the adapter's description of native
 * content. Cached per definition.
 */
export function technologyOf(definition: Described): GloTechnology {
  const found = known.get(definition);
  if (found !== undefined) return found;
  const read = readTechnology(definition.technology, definition.description?.content);
  known.set(definition, read);
  return read;
}
