import type { ServerLog } from '../../logging/logger.ts';
import type { ConnectionMeter } from './connections.ts';

/** Minimum time between two warnings about the same limit, in milliseconds. */
const quiet = 60_000;

const settingOf = { address: 'MAX_CONNECTIONS_PER_ADDRESS', total: 'MAX_CONNECTIONS' } as const;

/** Wraps `meter` and logs a warning, at most once a minute, when a limit is reached. */
export function loggedMeter(log: ServerLog['log'], meter?: ConnectionMeter): ConnectionMeter {
  const lastWarned = { address: Number.NEGATIVE_INFINITY, total: Number.NEGATIVE_INFINITY };
  return {
    open: (count) => meter?.open(count),
    bounded(bound, outcome) {
      meter?.bounded(bound, outcome);
      const now = performance.now();
      if (now - lastWarned[bound] < quiet) return;
      lastWarned[bound] = now;
      log('warn', 'too many connections', {
        detail: `a new connection was ${outcome === 'refused' ? 'refused' : 'accepted in place of an idle one'}: ${settingOf[bound]} is reached`,
      });
    },
  };
}
