import type { Timeline } from '@ledger-ops/registry';

/** Tells when the timeline has grown, by this server or another. */
export interface TimelineFeed {
  /** Calls back at each growth. Returns the way to stop. */
  onGrowth(listener: () => void): () => void;
}

/** Dependencies of a feed. */
export interface TimelineFeedOptions {
  readonly timeline: Pick<Timeline, 'latest'>;
  /** Milliseconds between two looks, taken only while somebody listens; default 250. */
  readonly interval?: number;
  /** Told of a look that failed; the next one comes all the same. */
  readonly onError: (error: unknown) => void;
}

/** Looks for all listeners at once: however many follow, the database is asked once per interval. */
export function createTimelineFeed({ timeline, interval = 250, onError }: TimelineFeedOptions): TimelineFeed {
  const listeners = new Set<() => void>();
  let last = -1;
  let timer: NodeJS.Timeout | undefined;
  const schedule = () => {
    timer = setTimeout(() => void look(), interval);
  };
  const look = async () => {
    try {
      const latest = await timeline.latest();
      if (latest !== last) for (const listener of listeners) listener();
      last = latest;
    } catch (error) {
      // Where nobody listens any more, the server may have been closed meanwhile.
      if (listeners.size > 0) onError(error);
    }
    timer = undefined;
    if (listeners.size > 0) schedule();
  };
  return {
    onGrowth(listener) {
      listeners.add(listener);
      if (listeners.size === 1 && timer === undefined) schedule();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
  };
}
