/**
 * Milliseconds between two looks of a stream: a change after a pause is shown at once, since who waits for an end acts on it; those of
 * the next moment are gathered.
 */
const gathering = 25;

/** When a stream looks for what is new. */
export interface GatheredLooks {
  /** Asks for a look: at once after a pause, else with all others that are asked for until then. */
  soon(): void;
  stop(): void;
}

/** @param pace by how much the stream is to look more seldom; see `EventWriter` */
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
