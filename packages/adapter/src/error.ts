import type { AdapterErrorCode, AdapterProblem, Phase } from './contract/problem.ts';

/** A failure that an adapter reports. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly problem: AdapterProblem;

  constructor(problem: AdapterProblem, options?: { cause?: unknown }) {
    super(problem.detail, options);
    this.problem = problem;
  }

  get code(): AdapterErrorCode {
    return this.problem.code;
  }

  get phase(): Phase | undefined {
    return this.problem.phase;
  }
}

/**
 * Creates an `AdapterError` to throw.
 *
 * @param detail one sentence: what was wrong, where, and what to do; no secrets
 */
export function adapterError(
  code: AdapterErrorCode,
  detail: string,
  more: Omit<AdapterProblem, 'code' | 'detail'> & { cause?: unknown } = {},
): AdapterError {
  const { cause, ...rest } = more;
  return new AdapterError({ code, detail, ...rest }, cause === undefined ? undefined : { cause });
}

/** Whether a value is an AdapterError, even of another copy of this package. */
export function isAdapterError(error: unknown): error is AdapterError {
  return (
    error instanceof AdapterError ||
    (error instanceof Error && error.name === 'AdapterError' && 'problem' in error)
  );
}

/** Whether the same call may succeed later. */
export function isTransient(problem: AdapterProblem): boolean {
  return ['unavailable', 'timeout', 'not-opened'].includes(problem.code);
}
