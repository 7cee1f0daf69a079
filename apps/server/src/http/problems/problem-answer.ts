import { Problem, type ProblemName } from '@ledger-ops/base';
import { GloError } from '@ledger-ops/glo-core';
import { StoreError } from '@ledger-ops/store';

const gloProblems = {
  'invalid-glo': 'invalid-request',
  'unsupported-version': 'unsupported-glo-version',
  'wrong-ledger': 'wrong-ledger',
} as const;

/** The problem that a failure is to its caller. What is not expected says nothing of its inside. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof GloError) {
    const errors = error.issues.map(({ pointer, detail }) => ({ pointer, detail: bounded(detail) }));
    return new Problem(gloProblems[error.code], bounded(error.message), { errors });
  }
  if (error instanceof StoreError && error.code === 'unavailable') {
    return new Problem('unavailable', 'The database cannot be reached; try again.', {
      retryAfter: 1,
      cause: error,
    });
  }
  return new Problem('internal', 'The service failed; the request id finds the cause in its log.', {
    cause: error,
  });
}

const longestDetail = 1_000;

/** Texts that quote the request are no longer than a person reads. */
function bounded(detail: string): string {
  return detail.length <= longestDetail ? detail : `${detail.slice(0, longestDetail)}…`;
}

const realm = 'realm="ledger-ops"';

/**
 * The challenge of each 401 (RFC 9110 §11.6.1). The application's token and the login have schemes of our own: at `Basic` a
 * browser would open a window that asks for a password.
 */
export const challenges = {
  'application-token-invalid': `ApplicationToken ${realm}`,
  'access-token-invalid': `Bearer ${realm}, error="invalid_token"`,
  'login-failed': `Login ${realm}`,
} as const satisfies Partial<Record<ProblemName, string>>;

/** Without any credentials there is no error to name (RFC 6750 §3.1). */
const plainBearer = `Bearer ${realm}`;

function challengeOf({ problem }: Problem, hasCredentials: boolean): string | undefined {
  if (problem === 'access-token-invalid' && !hasCredentials) return plainBearer;
  return Object.entries(challenges).find(([name]) => name === problem)?.[1];
}

/**
 * Headers that a problem brings along.
 *
 * @param hasCredentials whether the request came with an Authorization header
 */
export function problemHeaders(problem: Problem, hasCredentials: boolean): Record<string, string> {
  const headers: Record<string, string> = {};
  if (problem.retryAfter !== undefined) {
    headers['Retry-After'] = String(Math.max(1, Math.ceil(problem.retryAfter)));
  }
  const challenge = challengeOf(problem, hasCredentials);
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge;
  // The rest of the body is not worth reading.
  if (problem.problem === 'payload-too-large') headers.Connection = 'close';
  return headers;
}
