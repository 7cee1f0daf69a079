import { AdapterError, type AdapterErrorCode, type AdapterProblem } from '@ledger-ops/adapter';
import { plainProblem } from '@ledger-ops/adapter/words';
import { Problem, type ProblemIssue } from '@ledger-ops/base';
import type { EndProblem } from './engine/end-problems.ts';

const names: Record<AdapterErrorCode, EndProblem> = {
  'invalid-argument': 'invalid-request',
  'ambiguous-method': 'invalid-request',
  'unknown-method': 'unknown-method',
  'unknown-contract': 'unknown-contract',
  'system-contract': 'not-permitted',
  'unsupported-operation': 'unsupported-operation',
  'wrong-sender': 'wrong-sender',
  'wrong-chain': 'wrong-chain',
  'insufficient-funds': 'insufficient-funds',
  'fee-above-cap': 'not-preparable',
  reverted: 'reverted',
  'out-of-gas': 'out-of-gas',
  refused: 'not-preparable',
  'certificate-invalid': 'certificate-invalid',
  'endorsement-failed': 'endorsement-failed',
  invalidated: 'invalidated',
  'approvals-missing': 'approvals-missing',
  unavailable: 'ledger-unavailable',
  timeout: 'ledger-timeout',
  'not-opened': 'address-not-opened',
  'adapter-fault': 'plugin-fault',
};

/** Default value of Retry-After for an unavailable ledger, in seconds. */
export const retryAfter = 2;
/** Maximum retry delay that a plugin can request. */
const longestRetryAfterMs = 3_600_000;

/**
 * Converts an adapter's problem to a problem of the service, and limits the lengths of its strings. `locate` translates
 * the adapter's pointers to pointers into the request.
 */
export function toProblem(reported: AdapterProblem, locate: (pointer: string) => string = (p) => p): Problem {
  const problem = plainProblem(reported);
  const name = names[problem.code];
  const errors: ProblemIssue[] = (problem.issues ?? []).map(({ pointer, detail }) => ({
    pointer: locate(pointer),
    detail,
  }));
  const transient = name === 'ledger-unavailable' || name === 'ledger-timeout';
  return new Problem(name, withPointer(problem, errors), {
    errors,
    extensions: {
      ...(problem.txId === undefined ? {} : { txId: problem.txId }),
      ...(problem.data === undefined ? {} : { data: problem.data }),
    },
    ...(transient ? { retryAfter: secondsToWait(problem) } : {}),
  });
}

/**
 * Returns the value of Retry-After in seconds: at least the default, and more if the nodes' rate limit
 * requires it.
 */
function secondsToWait({ retryAfterMs = 0 }: AdapterProblem): number {
  return Math.max(retryAfter, Math.ceil(Math.min(retryAfterMs, longestRetryAfterMs) / 1_000));
}

/**
 * Returns the detail. If it starts with the adapter's pointer, replaces this pointer with the pointer into
 * the request.
 */
function withPointer({ detail, issues = [] }: AdapterProblem, errors: readonly ProblemIssue[]): string {
  const [issue] = issues;
  const [located] = errors;
  if (issue === undefined || located === undefined || !issue.pointer.startsWith('/')) return detail;
  if (!detail.startsWith(`${issue.pointer} `)) return detail;
  return `${located.pointer}:${detail.slice(issue.pointer.length)}`;
}

/** Converts an error to a problem. Errors that are not a Problem or an AdapterError become `plugin-fault`. */
export function problemFrom(error: unknown, locate?: (pointer: string) => string): Problem {
  if (error instanceof Problem) return error;
  return toProblem(adapterProblemFrom(error), locate);
}

/** Codes of temporary problems: the same operation may succeed later, with another node, or with a fixed plugin. */
const temporary: ReadonlySet<AdapterErrorCode> = new Set([
  'insufficient-funds',
  'fee-above-cap',
  'approvals-missing',
  'unavailable',
  'timeout',
  'not-opened',
  'adapter-fault',
]);

/**
 * Whether the same operation may succeed later. `wrong-chain` without issues means that the node serves the wrong
 * chain, so the problem is temporary. With issues, a value of the operation is for another chain.
 */
export function isTemporary({ code, issues }: Pick<AdapterProblem, 'code' | 'issues'>): boolean {
  return temporary.has(code) || (code === 'wrong-chain' && issues === undefined);
}

/** Converts an error to an adapter's problem. The message is kept only if the error is an AdapterError. */
export function adapterProblemFrom(error: unknown): AdapterProblem {
  if (error instanceof AdapterError) return plainProblem(error.problem);
  return {
    code: 'adapter-fault',
    phase: 'check',
    detail: 'The ledger plugin failed unexpectedly. See its log.',
  };
}

/** Returns the code and detail of an error from an adapter or the engine, as the reason why a ledger cannot be used. */
export function ledgerFailure(error: unknown): { code: string; detail: string } {
  return error instanceof Problem
    ? { code: error.problem, detail: error.message }
    : adapterProblemFrom(error);
}
