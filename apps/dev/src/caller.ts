import type { ProblemDocument, ProblemIssue } from '@ledger-ops/base';
import { z } from 'zod';

/** The credentials of an application and a service account. */
export interface Credentials {
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly clientId: string;
  readonly serviceAccount: string;
  readonly clientSecret: string;
}

/** Calls the service's own HTTP API. */
export interface Caller {
  /** @throws CallError for a status outside of 200 to 299 */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** The service rejected a request. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly status: number;
  /** The problem's detail, without the request's method and path. */
  readonly detail: string;
  /** Type of the problem document; undefined for other responses. */
  readonly type: string | undefined;
  readonly issues: readonly ProblemIssue[];

  constructor(
    what: string,
    status: number,
    { detail, type, errors = [] }: { detail: string } & Partial<Pick<ProblemDocument, 'type' | 'errors'>>,
  ) {
    super(`${what} returned ${status}: ${detail}`);
    this.status = status;
    this.detail = detail;
    this.type = type;
    this.issues = errors;
  }
}

const tokenSchema = z.object({ access_token: z.string() });
const requestTimeoutMs = 60_000;

/** Gets an access token, and a new one when it expires. @throws CallError */
export async function openCaller(credentials: Credentials): Promise<Caller> {
  const { baseUrl, applicationToken } = credentials;
  let accessToken = await fetchToken(credentials);
  const ask = async (method: string, path: string, body: unknown) =>
    await fetch(baseUrl + path, {
      method,
      headers: {
        ApplicationToken: applicationToken,
        Authorization: `Bearer ${accessToken}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
  return {
    async call(method, path, body) {
      let answer = await ask(method, path, body);
      if (answer.status === 401) {
        await answer.body?.cancel();
        accessToken = await fetchToken(credentials);
        answer = await ask(method, path, body);
      }
      if (answer.status === 204) return null;
      const value: unknown = await answer.json();
      // Every failure of the service is a problem document.
      if (answer.ok) return value;
      throw new CallError(`${method} ${path}`, answer.status, value as ProblemDocument);
    },
  };
}

async function fetchToken(credentials: Credentials): Promise<string> {
  const { baseUrl, applicationToken, clientId, serviceAccount, clientSecret } = credentials;
  const response = await fetch(`${baseUrl}/v1/auth/token`, {
    method: 'POST',
    headers: { ApplicationToken: applicationToken },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      service_account: serviceAccount,
      client_secret: clientSecret,
    }),
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  if (!response.ok)
    throw new CallError('POST /v1/auth/token', response.status, { detail: await response.text() });
  return tokenSchema.parse(await response.json()).access_token;
}
