import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Set by `npm run test:faults`, which runs all cases of a matrix. `seed` is the seed of random choices.
     */
    faults?: { readonly seed: number };
  }
}

/** Whether this run is `npm run test:faults`. */
export const isFaultsRun = inject('faults') !== undefined;

/** Returns all cases of a matrix if this run is `npm run test:faults`; otherwise, only those that `usual` selects. */
export function selectCases<Case>(all: readonly Case[], usual: (crash: Case) => boolean): readonly Case[] {
  return isFaultsRun ? all : all.filter(usual);
}
