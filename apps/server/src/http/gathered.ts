/**
 * Milliseconds between two checks of a stream for new data. The first change after a pause is sent immediately,
 * because clients react to final states; later changes wait for the next check.
 */
const gathering = 25;

/** Schedules the checks of a stream for new data. */
export interface GatheredLooks {
  /** Requests a check: immediately after a pause, otherwise together with other requests at the next scheduled check. */
  soon(): void;
  stop(): void;
}

/** @param pace factor by which the interval is extended; see `EventWriter` */
export function gatheredLooks(pace: () => number, look: () => void): GatheredLooks {
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    soon() {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          lookedAt = performance.now();
          look();
        },
        Math.max(0, lookedAt + gathering * pace() - performance.now()),
      );
    },
    stop: () => clearTimeout(timer),
  };
}
