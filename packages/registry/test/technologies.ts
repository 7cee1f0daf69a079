import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { fabricAdapter } from '@ledger-ops/plugin-fabric';
import type { Technologies } from '../src/technologies.ts';

/** Descriptions of the built-in adapters' technologies. */
export const described = new Map(
  [ethereumAdapter, fabricAdapter].map(({ technology, description }) => [technology, description]),
);

/** Offers these technologies in every project. */
export const technologies: Technologies = {
  describe: async (technology) => described.get(technology) ?? null,
  known: async () => described,
};
