/** How long a client waits, in milliseconds; tries are counts. */
export interface Timing {
  /** For an answer; streams have no such limit. */
  readonly answer: number;
  /** Tries of a request, the first one included. */
  readonly tries: number;
  /** Before the second try; doubled before each further one, and drawn between half of it and all. */
  readonly again: number;
  /** The longest `Retry-After` that is waited for: what asks for more is thrown. */
  readonly retryAfter: number;
  /** A token is replaced this long before it expires, or after four fifths of its life where that is later. */
  readonly refreshAhead: number;
  /** A stream that says nothing, not even its beat of every 15 seconds, is given up. */
  readonly silence: number;
  /** Between looks at actions that are waited for, without a stream: the first, and the longest. */
  readonly look: readonly [first: number, longest: number];
  /** The same beside a stream, which a proxy may hold back. */
  readonly lookBesideStream: number;
}

export const standardTiming: Timing = {
  answer: 60_000,
  tries: 5,
  again: 250,
  retryAfter: 60_000,
  refreshAhead: 60_000,
  silence: 45_000,
  look: [250, 5_000],
  lookBesideStream: 20_000,
};

/** @throws the signal's reason, as soon as it is aborted */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
