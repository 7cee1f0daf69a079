import type { Timeline } from '@ledger-ops/registry';

/** Reports new timeline records of this and other servers. */
export interface TimelineFeed {
  /** Calls the listener after new records. Returns a function that removes it. */
  onGrowth(listener: () => void): () => void;
}

export interface TimelineFeedOptions {
  readonly timeline: Pick<Timeline, 'latest'>;
  /** Milliseconds between polls, only while there are listeners; default 250. */
  readonly interval?: number;
  /** Called after a failed poll; polling continues. */
  readonly onError: (error: unknown) => void;
}

/** Polls once per interval for all listeners. */
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
      // If the last listener was removed during the poll, the server may already be closed.
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
