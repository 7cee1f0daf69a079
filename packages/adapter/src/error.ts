import type { AdapterErrorCode, AdapterProblem, Phase } from './contract/problem.ts';
import type { JsonObject } from './contract/values.ts';

/** Every failure that an adapter reports: a stable code, the phase, the transaction id and the cause. */
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

  get phase(): Phase {
    return this.problem.phase;
  }
}

/** Shorthand for throwing. */
export function adapterError(
  code: AdapterErrorCode,
  phase: Phase,
  detail: string,
  more: {
    txId?: string;
    issues?: { pointer: string; detail: string }[];
    data?: JsonObject;
    cause?: unknown;
  } = {},
): AdapterError {
  const { cause, ...rest } = more;
  return new AdapterError({ code, phase, detail, ...rest }, cause === undefined ? undefined : { cause });
}

/** Whether the same call may succeed later. */
export function isTransient(problem: AdapterProblem): boolean {
  return ['unavailable', 'timeout', 'not-opened'].includes(problem.code);
}
