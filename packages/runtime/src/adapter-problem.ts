import { AdapterError, type AdapterErrorCode, type AdapterProblem } from '@ledger-ops/adapter';
import { plainProblem } from '@ledger-ops/adapter/words';
import { Problem, type ProblemIssue } from '@ledger-ops/base';
import type { EndProblem } from './engine/end-problems.ts';

/** The one place where an adapter's codes become the service's problem types. */
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

/** Seconds after which a caller may try a ledger again. */
export const retryAfter = 2;

/**
 * An adapter's problem as the service's, its texts within their bounds. `locate` turns the adapter's pointers into the
 * request's.
 */
export function toProblem(reported: AdapterProblem, locate: (pointer: string) => string = (p) => p): Problem {
  const problem = plainProblem(reported);
  const name = names[problem.code];
  const errors: ProblemIssue[] = (problem.issues ?? []).map(({ pointer, detail }) => ({
    pointer: locate(pointer),
    detail,
  }));
  const transient = name === 'ledger-unavailable' || name === 'ledger-timeout';
  return new Problem(name, inPlace(problem, errors), {
    errors,
    extensions: {
      ...(problem.txId === undefined ? {} : { txId: problem.txId }),
      ...(problem.data === undefined ? {} : { data: problem.data }),
    },
    ...(transient ? { retryAfter } : {}),
  });
}

/** The detail, with the request's pointers where the adapter wrote its own. */
function inPlace({ detail, issues = [] }: AdapterProblem, errors: readonly ProblemIssue[]): string {
  const [issue] = issues;
  const [located] = errors;
  if (issue === undefined || located === undefined || !issue.pointer.startsWith('/')) return detail;
  if (!detail.startsWith(`${issue.pointer} `)) return detail;
  return `${located.pointer}:${detail.slice(issue.pointer.length)}`;
}

/** Whatever an adapter threw, as the service's problem; what is not an AdapterError is the adapter's fault. */
export function problemFrom(error: unknown, locate?: (pointer: string) => string): Problem {
  if (error instanceof Problem) return error;
  return toProblem(adapterProblemFrom(error), locate);
}

/** Problems that time, another node or a mended plugin may cure: what was to be done is tried again. */
const passing: ReadonlySet<AdapterErrorCode> = new Set([
  'insufficient-funds',
  'fee-above-cap',
  'approvals-missing',
  'unavailable',
  'timeout',
  'not-opened',
  'adapter-fault',
]);

/**
 * Whether the same may go well later, although nothing is changed. A wrong chain is the node's unless a value is named
 * that is wrong.
 */
export function isPassing({ code, issues }: Pick<AdapterProblem, 'code' | 'issues'>): boolean {
  return passing.has(code) || (code === 'wrong-chain' && issues === undefined);
}

/** Whatever an adapter threw, as an adapter problem. Its text is not repeated when it is not an AdapterError. */
export function adapterProblemFrom(error: unknown): AdapterProblem {
  if (error instanceof AdapterError) return plainProblem(error.problem);
  return {
    code: 'adapter-fault',
    phase: 'check',
    detail: 'The ledger plugin failed in a way of its own. Its log says more.',
  };
}

/** A ledger's trouble, by an adapter's error or the engine's own. */
export function troubleFrom(error: unknown): { code: string; detail: string } {
  return error instanceof Problem
    ? { code: error.problem, detail: error.message }
    : adapterProblemFrom(error);
}
