import { type ProblemName, problemCatalogue } from './catalogue.ts';

/** One invalid value. `pointer` is a JSON Pointer (RFC 6901) into the body, or a parameter's name. */
export interface ProblemIssue {
  pointer: string;
  detail: string;
}

/** Problem details (RFC 9457), in responses and stored with FAILED actions. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  errors?: ProblemIssue[];
  [extension: string]: unknown;
}

export interface ProblemOptions {
  errors?: ProblemIssue[];
  /** Additional members of the document. Must not contain secrets. */
  extensions?: Record<string, unknown>;
  /** Value of the Retry-After header in seconds, for the statuses 429 and 503. */
  retryAfter?: number;
  cause?: unknown;
}

/** An expected failure: a problem type from the catalog, a sentence that says what to do, and the invalid values. */
export class Problem extends Error {
  override readonly name: string = 'Problem';
  readonly problem: ProblemName;
  readonly status: number;
  readonly errors: readonly ProblemIssue[];
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly retryAfter: number | undefined;

  constructor(problem: ProblemName, detail: string, options: ProblemOptions = {}) {
    super(
      bounded(detail, longestMessage),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.problem = problem;
    this.status = problemCatalogue[problem].status;
    this.errors = boundedIssues(options.errors ?? []);
    this.extensions = options.extensions ?? {};
    this.retryAfter = options.retryAfter;
  }

  /** Returns the document of RFC 9457. */
  toDocument(): ProblemDocument {
    return {
      type: problemType(this.problem),
      title: problemCatalogue[this.problem].title,
      status: this.status,
      detail: this.message,
      ...(this.errors.length > 0 ? { errors: [...this.errors] } : {}),
      ...this.extensions,
    };
  }
}

const maxIssues = 50;
/** Maximum lengths in characters: of a problem's message, of an issue's detail and of an issue's pointer. */
const longestMessage = 4_096;
const longestDetail = 1_024;
const longestPointer = 1_024;

/**
 * Returns the first `maxIssues` issues, shortened to the maximum lengths. If issues were left out, the last item states
 * how many.
 */
function boundedIssues(issues: readonly ProblemIssue[]): readonly ProblemIssue[] {
  const kept = issues.length <= maxIssues ? issues : issues.slice(0, maxIssues - 1);
  const named = kept.map(({ pointer, detail }) => ({
    pointer: bounded(pointer, longestPointer),
    detail: bounded(detail, longestDetail),
  }));
  const left = issues.length - kept.length;
  return left === 0 ? named : [...named, { pointer: '', detail: `and ${left} more issues` }];
}

function bounded(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;
}

export function problemType(name: ProblemName): string {
  return `urn:ledger-ops:problem:${name}`;
}

/** Returns a problem with status 400 that names the invalid values. The detail is composed of the issues. */
export function invalidRequest(errors: ProblemIssue[]): Problem {
  return new Problem('invalid-request', inWords(boundedIssues(errors)), { errors });
}

/**
 * Adds advice about the setting OUTBOUND_OPEN to an `address-not-opened` problem. Use it only for administrators of the
 * server or the ledger.
 */
export function namingTheSetting(problem: Problem): Problem {
  const detail = `${problem.message} Add the address or its network to the server setting OUTBOUND_OPEN, or use a public address.`;
  const { errors, extensions, cause } = problem;
  return new Problem(problem.problem, detail, { errors: [...errors], extensions: { ...extensions }, cause });
}

function inWords(issues: readonly ProblemIssue[]): string {
  return issues.map(({ pointer, detail }) => (pointer === '' ? detail : `${pointer}: ${detail}`)).join('; ');
}
