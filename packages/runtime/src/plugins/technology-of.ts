import { type GloTechnology, readTechnology } from '@ledger-ops/glo-core';
import type { LedgerDefinition } from '../ledger-definition.ts';

type Described = Pick<LedgerDefinition, 'technology' | 'description'>;

const known = new WeakMap<Described, GloTechnology>();

/** How operations are read for the ledgers of an adapter: by what it says of their native content. Read once. */
export function technologyOf(definition: Described): GloTechnology {
  const found = known.get(definition);
  if (found !== undefined) return found;
  const read = readTechnology(definition.technology, definition.description?.content);
  known.set(definition, read);
  return read;
}
