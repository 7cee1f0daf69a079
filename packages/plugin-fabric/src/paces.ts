import { createAdaptiveLimiter } from './adaptive-limiter.ts';
import type { Limiter } from './limiter.ts';
import { createLru } from './lru.ts';

/** How many endorsements are asked for at once. Chaincodes are slow or quick, each for itself. */
export type PaceOf = (channel: string, chaincode: string) => Limiter;

/** @param ceiling endorsements of one chaincode at once at most */
export function createPaces(ceiling: number): PaceOf {
  const paces = createLru<string, Limiter>(1_000);
  return (channel, chaincode) => {
    const key = `${channel} ${chaincode}`;
    const known = paces.get(key);
    if (known !== undefined) return known;
    const fresh = createAdaptiveLimiter({
      ...{ floor: 32, ceiling, patience: 500 },
      now: () => performance.now(),
    });
    paces.set(key, fresh);
    return fresh;
  };
}
