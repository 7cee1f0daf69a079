/** A request without a response. */
export interface Unanswered {
  readonly method: string;
  readonly url: string;
  /** Number of tries. */
  readonly tries: number;
}

/**
 * The service did not respond, or not completely: it is down, unreachable or too slow. It may still have executed the
 * request.
 */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly method: string;
  /** URL without its query, which may contain search terms. */
  readonly url: string;
  readonly tries: number;
  /** Error code of the system, such as ECONNREFUSED, or `TIMEOUT`. Undefined if the reason is unknown. */
  readonly code: string | undefined;

  constructor({ method, url, tries }: Unanswered, cause: unknown) {
    const { origin, pathname } = new URL(url);
    const code = codeOf(cause);
    const why = code === undefined ? '' : ` (${code})`;
    const times = tries === 1 ? '1 try' : `${tries} tries`;
    super(
      `${method} ${origin}${pathname}: no response after ${times}${why}. Check that the service is running and that ${origin} is its address.`,
      { cause },
    );
    [this.method, this.url, this.tries, this.code] = [method, `${origin}${pathname}`, tries, code];
  }
}

/** Node nests the system's error below that of fetch, and one level deeper if there are several addresses. */
function codeOf(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) && !(error instanceof DOMException)) return undefined;
  if (error.name === 'TimeoutError') return 'TIMEOUT';
  if ('code' in error && typeof error.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(error.code))
    return error.code;
  const below = 'errors' in error && Array.isArray(error.errors) ? error.errors[0] : error.cause;
  return depth < 3 ? codeOf(below, depth + 1) : undefined;
}
