import { Problem, type ProblemName } from '@ledger-ops/base';
import { GloError } from '@ledger-ops/glo-core';
import { StoreError } from '@ledger-ops/store';
import { databaseCause } from '../../database-cause.ts';

const gloProblems = {
  'invalid-glo': 'invalid-request',
  'unsupported-version': 'unsupported-glo-version',
  'wrong-ledger': 'wrong-ledger',
} as const;

/** Converts an error to the problem that the caller sees. Unexpected errors reveal no internals. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof GloError) {
    const errors = error.issues.map(({ pointer, detail }) => ({ pointer, detail: bounded(detail) }));
    return new Problem(gloProblems[error.code], bounded(error.message), { errors });
  }
  if (error instanceof StoreError && error.code === 'unavailable') {
    return new Problem('unavailable', `${databaseCause(error)} Try again later.`, {
      retryAfter: 1,
      cause: error,
    });
  }
  return new Problem('internal', 'The service failed. Its log contains the cause under the request id.', {
    cause: error,
  });
}

const longestDetail = 1_000;

/** Shortens a detail, which may quote a long part of the request. */
function bounded(detail: string): string {
  return detail.length <= longestDetail ? detail : `${detail.slice(0, longestDetail)}…`;
}

const realm = 'realm="ledger-ops"';

/**
 * Challenges of 401 responses (RFC 9110 §11.6.1). For the application token and the login they are custom
 * schemes, because browsers open a password dialog for `Basic`.
 */
export const challenges = {
  'application-token-invalid': `ApplicationToken ${realm}`,
  'access-token-invalid': `Bearer ${realm}, error="invalid_token"`,
  'login-failed': `Login ${realm}`,
} as const satisfies Partial<Record<ProblemName, string>>;

/** A request without credentials gets a challenge without an error code (RFC 6750 §3.1). */
const plainBearer = `Bearer ${realm}`;

function challengeOf({ problem }: Problem, hasCredentials: boolean): string | undefined {
  if (problem === 'access-token-invalid' && !hasCredentials) return plainBearer;
  return Object.entries(challenges).find(([name]) => name === problem)?.[1];
}

/**
 * Returns the response headers of a problem.
 *
 * @param hasCredentials whether the request has an Authorization header
 */
export function problemHeaders(problem: Problem, hasCredentials: boolean): Record<string, string> {
  const headers: Record<string, string> = {};
  if (problem.retryAfter !== undefined) {
    headers['Retry-After'] = String(Math.max(1, Math.ceil(problem.retryAfter)));
  }
  const challenge = challengeOf(problem, hasCredentials);
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge;
  // The rest of the body is not read, so no further request can follow on the connection.
  if (problem.problem === 'payload-too-large') headers.Connection = 'close';
  return headers;
}
