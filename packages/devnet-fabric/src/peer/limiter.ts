/** Counts the calls of one service under way, and refuses more than its limit, as a peer does. */
export interface Limiter {
  /** @returns whether there was room; then the caller must `leave` once. */
  enter(): boolean;
  leave(): void;
  /** A peer's words for a call too many. */
  refusal: string;
}

/** A limiter for a service such as `gateway.Gateway`. */
export function createLimiter(service: string, limit: number): Limiter {
  let under = 0;
  return {
    enter() {
      if (under >= limit) return false;
      under += 1;
      return true;
    },
    leave() {
      under -= 1;
    },
    refusal: `too many requests for /${service}, exceeding concurrency limit (${limit})`,
  };
}
