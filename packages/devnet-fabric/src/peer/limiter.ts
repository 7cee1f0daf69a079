/** Counts concurrent calls of one service, and rejects calls above its limit, as a peer does. */
export interface Limiter {
  /** @returns whether the call is accepted; if so, the caller must call `leave` once */
  enter(): boolean;
  leave(): void;
  /** A peer's error message for a call above the limit. */
  refusal: string;
}

/** Creates a limiter for a service such as `gateway.Gateway`. */
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
