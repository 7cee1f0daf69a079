import type { Head } from '../contract/confirm.ts';
import type { LedgerConfig } from '../contract/definition.ts';
import type { Session } from '../contract/session.ts';

const defaultIntervalMs = 1_000;

/** Notifies listeners of new heads, from the session's `onHead` or by polling its `head`. */
export function headsOf(session: Session, { properties }: LedgerConfig, closed: AbortSignal) {
  const every = properties.polling_interval;
  const interval = typeof every === 'number' ? every : defaultIntervalMs;
  return (listener: (head: Head) => void): (() => void) => {
    if (session.onHead === undefined && session.head === undefined) return () => undefined;
    const end = new AbortController();
    const signal = AbortSignal.any([end.signal, closed]);
    if (session.onHead !== undefined)
      signal.addEventListener('abort', session.onHead(listener), { once: true });
    else if (session.head !== undefined) void poll(session.head.bind(session), listener, interval, signal);
    return () => end.abort();
  };
}

async function poll(
  read: () => Head | Promise<Head>,
  listener: (head: Head) => void,
  interval: number,
  end: AbortSignal,
): Promise<void> {
  let seen: string | undefined;
  while (!end.aborted) {
    try {
      const { height, hash } = await read();
      if (!end.aborted && seen !== undefined && seen !== hash) listener({ height, hash });
      seen = hash;
    } catch {
      // While the ledger is down, there is no new head.
    }
    await pause(interval, end);
  }
}

function pause(milliseconds: number, end: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => {
    clearTimeout(timer);
    end.removeEventListener('abort', stop);
    resolve();
  };
  const timer = setTimeout(stop, milliseconds);
  timer.unref();
  end.addEventListener('abort', stop);
  return promise;
}
