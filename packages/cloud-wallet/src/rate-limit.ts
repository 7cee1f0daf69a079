/** The longest wait that a plugin can request, and the wait if it names none, in milliseconds. */
const [longestMs, defaultMs] = [60_000, 1_000];
const tooManyRequests = 429;

/** Returns the wait that `Retry-After` requests (in seconds or as a date), up to the longest wait. */
function demandedMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,15}$/.test(text)) return Math.min(longestMs, Number(text) * 1_000);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.min(longestMs, Math.max(0, at - Date.now()));
}

/** The rate limit of a plugin. While it applies, no requests are sent. */
export class PluginRateLimit {
  #until = 0;

  /** Milliseconds until requests may be sent again; 0 if they may be sent now. */
  get remainingMs(): number {
    return Math.max(0, this.#until - performance.now());
  }

  /**
   * Reads the wait from a response; undefined if the response requests none. A 503 concerns only its own
   * request.
   */
  read({ status, headers }: Pick<Response, 'status' | 'headers'>): number | undefined {
    if (status !== tooManyRequests) return status === 503 ? demandedMs(headers) : undefined;
    const wait = Math.max(demandedMs(headers) ?? defaultMs, defaultMs);
    this.#until = performance.now() + wait;
    return wait;
  }
}
