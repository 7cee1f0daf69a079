import type { AdapterDefinition } from '@ledger-ops/adapter';
import { type GloTechnology, technologyNamed } from '@ledger-ops/glo-core';

/** How operations are read for the ledgers of an adapter. */
export function technologyOf({ technology }: Pick<AdapterDefinition, 'technology'>): GloTechnology {
  return technologyNamed(technology);
}
