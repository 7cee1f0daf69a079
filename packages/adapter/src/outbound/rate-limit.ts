/** Maximum delay that another server can request, in milliseconds. */
const longestRetryAfterMs = 60_000;

/**
 * Returns the delay that `Retry-After` requests (RFC 9110, 10.2.3: seconds or a date), in milliseconds up to
 * the maximum.
 */
export function retryAfterMsOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: () => number = Date.now,
): number | undefined {
  const given = headers['retry-after'];
  const text = (Array.isArray(given) ? given[0] : given)?.trim();
  if (text === undefined || text === '' || text.length > 64) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return bounded(Number(text) * 1_000);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : bounded(at - now());
}

/**
 * Patterns of messages that report a rate limit. They must not match similar messages about limits on results
 * and gas.
 */
const rateWords =
  /too many (?:requests|calls)|rate.?limit|requests? (?:rate|count|limit)|(?:compute units|requests|calls) per (?:second|minute|day)|\brps\b|quota|usage limit|(?:daily|monthly|credits?) limit|concurrent requests capacity|capacity limit exceeded|\/second request limit|daily request|throttl|slow down/i;
/**
 * Patterns of messages that do not report a rate limit: messages of contracts, and limits on the calls in one
 * request.
 */
const otherWords = /revert|vm exception|batch/i;
/** Data of a revert. It shows that a contract chose the message. */
const revertData = /^(?:reverted )?0x[0-9a-f]{8}/i;
/** EIP-1474 calls this code "Limit exceeded". Providers also use it for limits on results. */
const limitExceeded = -32_005;
const tooManyRequests = 429;
/** EIP-838 and Geth: a contract reverted. */
const executionReverted = 3;

/** A JSON-RPC error that reports a rate limit. */
export interface RateLimitRefusal {
  /** Delay in milliseconds, up to the maximum. Undefined if the node does not name a time. */
  retryAfterMs: number | undefined;
}

/**
 * Finds a rate limit in an answer (JSON, a list of JSON values, or a string). Returns undefined if it reports
 * none.
 */
export function rateLimitRefusal(answer: unknown): RateLimitRefusal | undefined {
  for (const one of Array.isArray(answer) ? answer : [answer]) {
    const error = errorIn(one);
    const refusal = error === undefined ? undefined : refusalIn(error);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

interface GivenError {
  code?: unknown;
  message?: unknown;
  data?: unknown;
}

/**
 * Returns the error of a JSON-RPC answer, or of a gateway's answer (a string, or the whole object). Ignores
 * long strings, because these are web pages.
 */
function errorIn(answer: unknown): GivenError | undefined {
  if (typeof answer === 'string') return answer.length > 1_000 ? undefined : { message: answer };
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { error }: { error?: unknown } = answer;
  if (typeof error === 'string') return { ...answer, message: error };
  if (typeof error === 'object' && error !== null) return error;
  return 'result' in answer ? undefined : answer;
}

function refusalIn(error: GivenError): RateLimitRefusal | undefined {
  const message = typeof error.message === 'string' ? error.message.slice(0, 1_000) : '';
  const code = Number(error.code);
  if (code === executionReverted || otherWords.test(message)) return undefined;
  if (typeof error.data === 'string' && revertData.test(error.data)) return undefined;
  const isLimit =
    code === tooManyRequests ||
    rateWords.test(message) ||
    (code === limitExceeded && /^limit exceeded\b/i.test(message));
  return isLimit ? { retryAfterMs: waitInData(error.data) ?? waitInWords(message) } : undefined;
}

/** Returns the delay in `data.rate.backoff_seconds`, a member of Infura. */
function waitInData(data: unknown): number | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  if ('rate' in data) return waitInData(data.rate);
  const seconds = 'backoff_seconds' in data ? Number(data.backoff_seconds) : 0;
  return seconds > 0 ? bounded(seconds * 1_000) : undefined;
}

function waitInWords(message: string): number | undefined {
  const [, number, unit = 's'] =
    /(?:retry|try again) (?:in|after) (\d{1,9}(?:\.\d{1,9})?) ?(ms|millis|s|m)?/i.exec(message) ?? [];
  if (number === undefined) return undefined;
  const factors: Readonly<Record<string, number>> = { ms: 1, millis: 1, s: 1_000, m: 60_000 };
  return bounded(Number(number) * (factors[unit.toLowerCase()] ?? 1_000));
}

function bounded(milliseconds: number): number {
  return Math.min(longestRetryAfterMs, Math.max(0, Math.ceil(milliseconds)));
}

/**
 * First and longest delay after refusals that name no time, in milliseconds. Each refusal doubles the delay.
 */
const [firstRest, longestRest] = [1_000, 30_000];
/** Minimum delay, even if the other server requests 0: an immediate retry would fail again. */
const leastRest = 250;

/** Tracks how long requests to a server that reported a rate limit are paused. */
export class RateLimit {
  readonly #now: () => number;
  #refusals = 0;
  #until = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds during which no requests may be sent; 0 if they may be sent now. */
  get remainingMs(): number {
    return Math.max(0, this.#until - this.#now());
  }

  /**
   * Records a refusal.
   * @returns the delay in milliseconds from now
   */
  refused(retryAfterMs: number | undefined): number {
    // Refusals of concurrent requests are counted once.
    if (this.remainingMs === 0) this.#refusals += 1;
    const rest = Math.min(longestRest, firstRest * 2 ** Math.min(this.#refusals - 1, 8));
    this.#until = Math.max(this.#until, this.#now() + Math.max(leastRest, retryAfterMs ?? rest));
    return this.remainingMs;
  }

  /** Records a success. */
  answered(): void {
    if (this.remainingMs === 0) this.#refusals = 0;
  }
}
