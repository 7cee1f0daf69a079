/** Times in milliseconds, and numbers of attempts. */
export interface Timing {
  /** Timeout for a response. Streams have no such timeout. */
  readonly answer: number;
  /** Maximum number of attempts of a request, including the first. */
  readonly tries: number;
  /**
   * Delay before the second attempt. It doubles for each further attempt, and the actual delay is random between half
   * of it and all of it.
   */
  readonly again: number;
  /** Maximum `Retry-After` to wait for. A longer delay is thrown as an error. */
  readonly retryAfter: number;
  /**
   * Time before its expiry at which a token is replaced. A short-lived token is replaced after four fifths of its
   * lifetime.
   */
  readonly refreshAhead: number;
  /**
   * Time without any data after which a stream is abandoned. The service sends a heartbeat every 15 seconds.
   */
  readonly silence: number;
  /** Polling interval for awaited actions without a stream: first and longest. */
  readonly look: readonly [first: number, longest: number];
  /** Polling interval while a stream is open, because a proxy may delay the stream. */
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

/** @throws the signal's reason as soon as it is aborted */
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
