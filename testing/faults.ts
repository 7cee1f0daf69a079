import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Set in `npm run test:faults`: all crashes of a matrix, and the seed of what is left to chance. */
    faults?: { readonly seed: number };
  }
}

/** Of a matrix of crashes all in `npm run test:faults`, and in `npm test` those named. */
export function crashes<Crash>(all: readonly Crash[], usual: (crash: Crash) => boolean): readonly Crash[] {
  return inject('faults') === undefined ? all.filter(usual) : all;
}
