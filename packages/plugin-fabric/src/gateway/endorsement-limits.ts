import QuickLRU from 'quick-lru';
import type { Timing } from '../timing.ts';
import { createAdaptiveLimiter } from './adaptive-limiter.ts';
import type { Semaphore } from './semaphore.ts';

/** Limits of concurrent endorsements, one per chaincode, because each chaincode has its own speed. */
export type EndorsementLimits = (channel: string, chaincode: string) => Semaphore;

/** @param ceiling maximum concurrent endorsements of one chaincode */
export function createEndorsementLimits(
  ceiling: number,
  { slow, measuredFor }: Timing['endorsement'],
): EndorsementLimits {
  const limits = new QuickLRU<string, Semaphore>({ maxSize: 1_000 });
  return (channel, chaincode) => {
    const key = `${channel} ${chaincode}`;
    const known = limits.get(key);
    if (known !== undefined) return known;
    const fresh = createAdaptiveLimiter({
      ...{ floor: 32, ceiling, slow, measuredFor },
      now: () => performance.now(),
    });
    limits.set(key, fresh);
    return fresh;
  };
}
