import type { components } from './schema.generated.ts';
import type { ProblemName } from './served.generated.ts';

/** One value that was refused. */
export interface ProblemIssue {
  /** JSON Pointer into the body, or the parameter's name. */
  readonly pointer: string;
  readonly detail: string;
}

type ProblemBody = components['schemas']['Problem'];

const prefix = 'urn:ledger-ops:problem:';

/** The service refused a request, or something before it did; problem details by RFC 9457. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** The URN; `about:blank` where the answer was no problem document, as of a proxy. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** Each value that was refused. */
  readonly issues: readonly ProblemIssue[];
  /** Names the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds, where the service said when to try again. */
  readonly retryAfter: number | undefined;

  constructor(problem: ProblemBody, headers?: Headers) {
    const issues = problem.errors ?? [];
    const places = issues.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
    const isTold = issues.every(({ detail }) => problem.detail.includes(detail));
    super(isTold ? problem.detail : `${problem.detail} (${places})`);
    ({ type: this.type, title: this.title, status: this.status, detail: this.detail } = problem);
    this.issues = issues;
    this.requestId = headers?.get('x-request-id') ?? undefined;
    this.retryAfter = headers === undefined ? undefined : secondsToWait(headers);
  }

  /** Whether it is this problem of the catalogue. */
  is(name: ProblemName): boolean {
    return this.type === `${prefix}${name}`;
  }
}

/** The problem that a failed answer tells. */
export async function problemOf(response: Response): Promise<ProblemError> {
  const text = await response.text().catch(() => '');
  return new ProblemError(readProblem(text) ?? blank(response), response.headers);
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
  const { type, title, status, detail, errors = [] } = body as Partial<ProblemBody>; // Any object may have them.
  return (
    [type, title, detail].every((text) => typeof text === 'string') &&
    typeof status === 'number' &&
    Array.isArray(errors)
  );
}

/** A redirect is followed by nobody: its target would be shown the application's token. */
function blank({ status, type }: Response): ProblemBody {
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400);
  const detail = isRedirect
    ? 'The answer is a redirect, which is not followed: the base URL is not the address of the service.'
    : `The answer has status ${status} and is no problem document: it may come from a proxy before the service.`;
  return { type: 'about:blank', title: isRedirect ? 'Redirect' : 'Failure', status, detail };
}

/** `Retry-After` in seconds, which the service sends, or as a date, which proxies may. */
export function secondsToWait(headers: Headers): number | undefined {
  const given = headers.get('retry-after');
  if (given === null) return undefined;
  const seconds = /^\d{1,9}$/.test(given) ? Number(given) : (Date.parse(given) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
