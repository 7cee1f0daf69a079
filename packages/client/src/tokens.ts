import { signAssertion } from './assertion.ts';
import type { Fetch } from './fetch.ts';
import { problemOf } from './problem.ts';
import { withRetries } from './retry.ts';
import type { Timing } from './timing.ts';

/** A service account, by an API token of it. */
export interface ApiTokenCredentials {
  /** Id of the application. */
  readonly clientId: string;
  readonly serviceAccount: string;
  readonly apiToken: string;
}

/** A service account, by a key of it: each request for a token is signed. */
export interface KeyCredentials {
  readonly clientId: string;
  readonly serviceAccount: string;
  readonly keyId: string;
  /** PKCS#8 in PEM, as the service generates it. */
  readonly privateKey: string;
  /** As the generated key names it, where this client reaches the service by another base URL. */
  readonly tokenUri?: string;
}

/** A person who signed in: authorization code with PKCE, or the refresh token that came from it. */
export type UserCredentials = {
  readonly clientId: string;
  /**
   * Told each refresh token, as soon as it is there. It is good for one use: keep the last one, and have no two clients use
   * the same.
   */
  readonly onRefreshToken?: (refreshToken: string) => void | Promise<void>;
} & (
  | { readonly code: string; readonly codeVerifier: string; readonly redirectUri: string }
  | { readonly refreshToken: string }
);

/** Access tokens that somebody else keeps: a store that several programs share, or a server before a browser. */
export interface KeptCredentials {
  readonly clientId: string;
  /**
   * Asked before each request.
   * @param refused the token that the service did not take: another one is wanted
   */
  readonly accessToken: (refused?: string) => Promise<string>;
}

export type Credentials = ApiTokenCredentials | KeyCredentials | UserCredentials | KeptCredentials;

/** The token endpoint refused; `code` is OAuth's (RFC 6749 §5.2). */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly code: string;
  constructor(code: string, description: string) {
    super(description);
    this.code = code;
  }
}

/** Access tokens, each used until shortly before it expires. */
export interface Tokens {
  /** @throws TokenError, ProblemError */
  get(): Promise<string>;
  /** The service did not take this one. */
  drop(token: string): void;
}

/** Options of {@link createTokens}. */
export interface TokensOptions {
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly credentials: Credentials;
  readonly fetch: Fetch;
  readonly timing: Timing;
}

interface TokenAnswer {
  access_token: string;
  expires_in: number;
  refresh_token?: string;
}

export function createTokens({ credentials, ...options }: TokensOptions): Tokens {
  return 'accessToken' in credentials ? keptTokens(credentials) : fetchedTokens({ ...options, credentials });
}

function keptTokens({ accessToken }: KeptCredentials): Tokens {
  let refused: string | undefined;
  return {
    async get() {
      const token = await accessToken(refused);
      refused = undefined;
      return token;
    },
    drop(token) {
      refused = token;
    },
  };
}

type FetchedTokensOptions = Omit<TokensOptions, 'credentials'> & {
  readonly credentials: Exclude<Credentials, KeptCredentials>;
};

function fetchedTokens(options: FetchedTokensOptions): Tokens {
  const { baseUrl, applicationToken, credentials, timing } = options;
  const url = `${baseUrl}/v1/auth/token`;
  /** Replaces the code after its one use, and itself after each. */
  let refreshToken = 'refreshToken' in credentials ? credentials.refreshToken : undefined;
  let current: { token: string; until: number } | undefined;
  let flight: Promise<string> | undefined;

  async function form(): Promise<Record<string, string>> {
    const { clientId: client_id } = credentials;
    if ('apiToken' in credentials) {
      const { serviceAccount: service_account, apiToken: client_secret } = credentials;
      return { grant_type: 'client_credentials', client_id, service_account, client_secret };
    }
    if ('privateKey' in credentials) {
      const audience = credentials.tokenUri ?? url;
      return {
        ...{ grant_type: 'client_credentials', client_id },
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await signAssertion({ ...credentials, audience, now: Date.now() }),
      };
    }
    if (refreshToken !== undefined) {
      return { grant_type: 'refresh_token', client_id, refresh_token: refreshToken };
    }
    if (!('code' in credentials))
      throw new TypeError('The credentials have neither a code nor a refresh token.');
    const { code, codeVerifier: code_verifier, redirectUri: redirect_uri } = credentials;
    return { grant_type: 'authorization_code', client_id, code, code_verifier, redirect_uri };
  }

  async function fetchToken(): Promise<string> {
    const asked = Date.now();
    const attempt = async () => {
      const signal = AbortSignal.timeout(timing.answer);
      const headers = { ApplicationToken: applicationToken, Accept: 'application/json' };
      const body = new URLSearchParams(await form());
      const request = new Request(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      return await options.fetch(request, { signal });
    };
    // Codes and refresh tokens are good for one use: a second one would end the session.
    const repeatable = 'apiToken' in credentials || 'privateKey' in credentials;
    const response = await withRetries(attempt, { timing, repeatable });
    if (!response.ok) throw await refusalOf(response);
    // As the service's document says.
    const answer = (await response.json()) as TokenAnswer;
    if (answer.refresh_token !== undefined) {
      refreshToken = answer.refresh_token;
      if ('onRefreshToken' in credentials) await credentials.onRefreshToken?.(refreshToken);
    }
    const life = answer.expires_in * 1_000;
    current = { token: answer.access_token, until: asked + Math.max(life - timing.refreshAhead, life * 0.8) };
    return answer.access_token;
  }

  return {
    async get() {
      if (current !== undefined && Date.now() < current.until) return current.token;
      flight ??= fetchToken().finally(() => {
        flight = undefined;
      });
      return await flight;
    },
    drop(token) {
      if (current?.token === token) current = undefined;
    },
  };
}

async function refusalOf(response: Response): Promise<Error> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  if (typeof body !== 'object' || body === null || !('error' in body)) return await problemOf(response);
  const description =
    'error_description' in body ? String(body.error_description) : 'The token endpoint refused.';
  return new TokenError(String(body.error), description);
}
