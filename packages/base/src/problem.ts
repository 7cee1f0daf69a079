import { type ProblemName, problemCatalogue } from './catalogue.ts';

/** One invalid value. `pointer` is a JSON Pointer (RFC 6901) into the body, or a parameter's name. */
export interface ProblemIssue {
  pointer: string;
  detail: string;
}

/** Problem details (RFC 9457), as answered and as stored with a FAILED action. */
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
  /** Additional members of the document. No secrets. */
  extensions?: Record<string, unknown>;
  /** Seconds, for 429 and 503. */
  retryAfter?: number;
  cause?: unknown;
}

/** Every expected failure of the service: a catalogued type, a sentence that helps, and where it applies. */
export class Problem extends Error {
  override readonly name: string = 'Problem';
  readonly problem: ProblemName;
  readonly status: number;
  readonly errors: readonly ProblemIssue[];
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly retryAfter: number | undefined;

  constructor(problem: ProblemName, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.problem = problem;
    this.status = problemCatalogue[problem].status;
    this.errors = options.errors ?? [];
    this.extensions = options.extensions ?? {};
    this.retryAfter = options.retryAfter;
  }

  /** The document of RFC 9457. */
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

/** URN of a problem type. */
export function problemType(name: ProblemName): string {
  return `urn:ledger-ops:problem:${name}`;
}

/** A 400 that names what is wrong where; the detail is made from the issues. */
export function invalidRequest(errors: ProblemIssue[]): Problem {
  const detail = errors.map((issue) => `${issue.pointer}: ${issue.detail}`).join('; ');
  return new Problem('invalid-request', detail, { errors });
}
