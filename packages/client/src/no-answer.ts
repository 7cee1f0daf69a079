import { ProblemError } from './problem.ts';

/** A request without a response. */
export interface Unanswered {
  readonly method: string;
  readonly url: string;
  /** Number of requests that were started. */
  readonly tries: number;
}

/**
 * The service did not respond, or not completely: it is down, unreachable or too slow. Nothing was changed, because the
 * request only reads or was never sent. Otherwise the error is an {@link OutcomeUnknownError}.
 */
export class NoAnswerError extends Error {
  override readonly name: string = 'NoAnswerError';
  readonly method: string;
  /** URL without its query, which may contain search terms. */
  readonly url: string;
  readonly tries: number;
  /**
   * Error code of the system, such as ECONNREFUSED, or `TIMEOUT`, or `BAD_PORT` for a port that fetch refuses. Undefined
   * if the reason is unknown.
   */
  readonly code: string | undefined;

  /** @param next what to do; default: check the service and its address */
  constructor({ method, url, tries }: Unanswered, cause: unknown, next?: string) {
    const { origin, pathname, port } = new URL(url);
    const code = codeOf(cause);
    const why = code === undefined ? '' : ` (${code})`;
    const times = tries === 1 ? '1 try' : `${tries} tries`;
    const what = cause instanceof ProblemError ? `status ${cause.status}` : `no response`;
    const check =
      code === badPort
        ? `fetch refuses connections to port ${port}, in browsers too. Run the service on another port.`
        : `Check that the service is running and that ${origin} is its address.`;
    const advice = next ?? check;
    super(`${method} ${origin}${pathname}: ${what} after ${times}${why}. ${advice}`, { cause });
    [this.method, this.url, this.tries, this.code] = [method, `${origin}${pathname}`, tries, code];
  }
}

/**
 * Thrown if a write request may have been executed but no response confirms it: the response was lost, the
 * abort signal or a timeout ended the call, or the server refused a retry after the first response was lost.
 *
 * Repeat the call with the same `idempotencyKey`: it is executed only once. A call with another key may be
 * executed in addition to the first one.
 */
export class OutcomeUnknownError extends NoAnswerError {
  override readonly name = 'OutcomeUnknownError';
  /**
   * The idempotency key. Undefined if the operation accepts no key; in this case, read the record to see
   * whether it was changed.
   */
  readonly idempotencyKey: string | undefined;
  /** Method and path: `POST /v1/ledger-ops/send`. */
  readonly operation: string;

  constructor(request: Unanswered & { readonly idempotencyKey: string | undefined }, cause: unknown) {
    const { method, url, idempotencyKey } = request;
    const next =
      idempotencyKey === undefined
        ? 'Read the record before you repeat the request.'
        : `Repeat the operation with the idempotency key ${idempotencyKey}: it is executed only once.`;
    super(request, cause, `The operation may have been executed. ${next}`);
    this.idempotencyKey = idempotencyKey;
    this.operation = `${method} ${new URL(url).pathname}`;
  }
}

/** The Fetch standard refuses about 80 ports of other protocols; Node's fetch reports this without a code. */
const badPort = 'BAD_PORT';

/** Node nests the system's error below fetch's error, and one level deeper if there are several addresses. */
function codeOf(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) && !(error instanceof DOMException)) return undefined;
  if (error.name === 'TimeoutError') return 'TIMEOUT';
  if (error.message === 'bad port') return badPort;
  if ('code' in error && typeof error.code === 'string' && /^[A-Z][A-Z0-9_/]+$/.test(error.code))
    return error.code;
  const below = 'errors' in error && Array.isArray(error.errors) ? error.errors[0] : error.cause;
  return depth < 3 ? codeOf(below, depth + 1) : undefined;
}

/** Errors of the TLS handshake, which precedes the request. */
const handshakeCodes = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * Whether the connection failed, so that no part of the request reached the service. Browsers do not report
 * this.
 */
export function wasNeverSent(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 3) return false;
  // One error per address of the host.
  if ('errors' in error && Array.isArray(error.errors))
    return error.errors.length > 0 && error.errors.every((one) => wasNeverSent(one, depth + 1));
  if (codeOf(error) === badPort) return true;
  if ('syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo')) return true;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return true;
  if (typeof code === 'string' && handshakeCodes.has(code)) return true;
  return wasNeverSent(error.cause, depth + 1);
}
