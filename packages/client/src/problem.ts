import type { components } from './schema.generated.ts';
import type { ProblemName } from './served.generated.ts';

/** One rejected value. */
export interface ProblemIssue {
  /** JSON Pointer into the body, or the parameter's name. */
  readonly pointer: string;
  readonly detail: string;
}

type ProblemBody = components['schemas']['Problem'];

const prefix = 'urn:ledger-ops:problem:';

/** The service, or a proxy in front of it, refused a request. Problem details as in RFC 9457. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** The URN; `about:blank` if the response was not a problem document, for example from a proxy. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** One issue per rejected value. */
  readonly issues: readonly ProblemIssue[];
  /**
   * Further members of the problem document, such as `balance` and `required` of `insufficient-funds`, in the
   * smallest unit.
   */
  readonly data: Readonly<Record<string, unknown>>;
  /** Id of the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds until a retry, if the service sent `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor(problem: ProblemBody, headers?: Headers) {
    const issues = problem.errors ?? [];
    const places = issues.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
    const told = problem.detail.toLowerCase();
    const isTold = issues.every(({ detail }) => told.includes(detail.toLowerCase()));
    super(isTold ? problem.detail : `${problem.detail} (${places})`);
    ({ type: this.type, title: this.title, status: this.status, detail: this.detail } = problem);
    this.issues = issues;
    const { type: _, title: __, status: ___, detail: ____, errors: _____, ...more } = problem;
    // The problem of an action contains its extension members in `data`. A response contains them next to the
    // standard members.
    const { data = {}, ...direct } = more;
    this.data = typeof data === 'object' ? { ...direct, ...data } : more;
    this.requestId = headers?.get('x-request-id') ?? undefined;
    this.retryAfter = headers === undefined ? undefined : secondsToWait(headers);
  }

  /** Whether the problem has this type. */
  is(name: ProblemName): boolean {
    return this.type === `${prefix}${name}`;
  }
}

/** Reads the problem of an error response. If the body is not a problem document, describes the response instead. */
export async function problemOf(response: Response): Promise<ProblemError> {
  const text = await response.text().catch(() => '');
  return new ProblemError(readProblem(text) ?? blank(response, text), response.headers);
}

/**
 * Returns the problem of a successful response that is not what the service sends, for example the page of a
 * proxy.
 */
export function unreadableProblem(response: Response, text: string, expected: string): ProblemError {
  return new ProblemError(unexpected(response, text, expected), response.headers);
}

function readProblem(text: string): ProblemBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isProblem(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isProblem(body: unknown): body is ProblemBody {
  if (typeof body !== 'object' || body === null) return false;
  const { type, title, status, detail, errors = [] } = body as Partial<ProblemBody>; // Safe cast: all members are optional, and each is checked below.
  return (
    [type, title, detail].every((text) => typeof text === 'string') &&
    typeof status === 'number' &&
    Array.isArray(errors) &&
    errors.every(isIssue)
  );
}

function isIssue(issue: unknown): issue is ProblemIssue {
  if (typeof issue !== 'object' || issue === null || !('pointer' in issue && 'detail' in issue)) return false;
  return typeof issue.pointer === 'string' && typeof issue.detail === 'string';
}

/**
 * Describes an error response without a problem document. Redirects are not followed, because their target would
 * receive the application's token.
 */
function blank(response: Response, text: string): ProblemBody {
  const { status, type } = response;
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400);
  if (!isRedirect) return unexpected(response, text, 'a problem document');
  const detail =
    'The response is a redirect, which is not followed. Set the base URL to the address of the service.';
  return { type: 'about:blank', title: 'Redirect', status, detail };
}

function unexpected({ status, headers }: Response, text: string, expected: string): ProblemBody {
  // A body that claims to be JSON may be a part of the service's data, such as a token, so it is not quoted.
  const line = /\bjson\b/i.test(headers.get('content-type') ?? '') ? '' : firstLine(text);
  const quoted = line === '' ? '' : ` The response begins with: ${line}`;
  const detail = `The response has status ${status} but is not ${expected}. It may come from a proxy in front of the service.${quoted}`;
  return { type: 'about:blank', title: 'Failure', status, detail };
}

const maxLineLength = 200;

/** Returns the first line with content, without control characters. */
function firstLine(text: string): string {
  const [line = ''] = text
    .slice(0, 4_096)
    .trimStart()
    .split(/[\r\n]/, 1);
  return line
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, maxLineLength);
}

/** `Retry-After` in seconds. The service sends seconds; proxies may send a date. */
export function secondsToWait(headers: Headers): number | undefined {
  const given = headers.get('retry-after');
  if (given === null) return undefined;
  const seconds = /^\d{1,9}$/.test(given) ? Number(given) : (Date.parse(given) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
