import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { fabricAdapter } from '@ledger-ops/plugin-fabric';
import type { Technologies } from '../src/technologies.ts';

/** Descriptions of the adapters that the server has built in. */
export const described = new Map(
  [ethereumAdapter, fabricAdapter].map(({ technology, description }) => [technology, description]),
);

/** The technologies of these adapters, everywhere. */
export const technologies: Technologies = {
  describe: async (technology) => described.get(technology) ?? null,
  known: async () => described,
};
