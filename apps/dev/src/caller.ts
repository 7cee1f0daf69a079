import type { ProblemDocument } from '@ledger-ops/base';
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

/** The service refused. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly status: number;
  /** The problem's type, where it is a problem. */
  readonly type: string | undefined;

  constructor(what: string, status: number, detail: string, type?: string) {
    super(`${what} answered ${status}: ${detail}`);
    this.status = status;
    this.type = type;
  }
}

const tokenSchema = z.object({ access_token: z.string() });
const patience = 60_000;

/** Gets an access token. @throws CallError */
export async function openCaller(credentials: Credentials): Promise<Caller> {
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
    signal: AbortSignal.timeout(patience),
  });
  if (!response.ok) throw new CallError('POST /v1/auth/token', response.status, await response.text());
  const { access_token } = tokenSchema.parse(await response.json());
  return {
    async call(method, path, body) {
      const answer = await fetch(baseUrl + path, {
        method,
        headers: {
          ApplicationToken: applicationToken,
          Authorization: `Bearer ${access_token}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patience),
      });
      const value: unknown = await answer.json();
      // Every failure of the service is a problem document.
      if (answer.ok) return value;
      const { detail, type } = value as ProblemDocument;
      throw new CallError(`${method} ${path}`, answer.status, detail, type);
    },
  };
}
