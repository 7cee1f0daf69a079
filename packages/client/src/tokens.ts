import { signAssertion } from './assertion.ts';
import type { Fetch } from './fetch.ts';
import { problemOf, unreadableProblem } from './problem.ts';
import { RetriedRequest } from './retry.ts';
import type { Timing } from './timing.ts';

/** A service account that authenticates with an API token. */
export interface ApiTokenCredentials {
  /** Id of the application. */
  readonly clientId: string;
  readonly serviceAccount: string;
  readonly apiToken: string;
}

/** A service account that authenticates with a key, which signs each token request. */
export interface KeyCredentials {
  readonly clientId: string;
  readonly serviceAccount: string;
  readonly keyId: string;
  /** PKCS#8 in PEM, as the service generates it. */
  readonly privateKey: string;
  /** The `token_uri` of the generated key file, if it differs from this client's base URL. */
  readonly tokenUri?: string;
}

/** A signed-in user: the code of an authorization code grant with PKCE, or a refresh token. */
export type UserCredentials = {
  readonly clientId: string;
  /**
   * Called with each new refresh token immediately. A refresh token can be used once: store the last one, and
   * do not use it in two clients.
   */
  readonly onRefreshToken?: (refreshToken: string) => void | Promise<void>;
} & (
  | { readonly code: string; readonly codeVerifier: string; readonly redirectUri: string }
  | { readonly refreshToken: string }
);

/**
 * Access tokens from another source: a store shared by several programs, or a server in front of a browser.
 */
export interface KeptCredentials {
  readonly clientId: string;
  /**
   * Called before each request.
   *
   * @param refused the token that the service rejected; return a different one
   */
  readonly accessToken: (refused?: string) => Promise<string>;
}

export type Credentials = ApiTokenCredentials | KeyCredentials | UserCredentials | KeptCredentials;

/**
 * Why the token endpoint rejected the request. `application`: the application is unknown or disabled, or its
 * token is wrong. `account`: the same for the service account and its credential. `role`: the account has no
 * role on the application's project.
 */
export type TokenRefusal = 'application' | 'account' | 'role';

/** The token endpoint rejected the request. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  /** Error code of OAuth (RFC 6749 §5.2). */
  readonly code: string;
  /** Undefined if the service does not disclose it, because the caller presented no valid credential. */
  readonly reason: TokenRefusal | undefined;
  readonly url: string;
  /** Id of the application. */
  readonly clientId: string;
  /** The credential that was used: `API token of shop-server`, `refresh token`. */
  readonly tried: string;

  constructor(refused: {
    readonly code: string;
    readonly description: string;
    readonly reason: TokenRefusal | undefined;
    readonly url: string;
    readonly clientId: string;
    readonly tried: string;
  }) {
    const { code, description, reason, url, clientId, tried } = refused;
    super(`${description} (POST ${url}, application ${clientId}, ${tried})`);
    [this.code, this.reason, this.url, this.clientId, this.tried] = [code, reason, url, clientId, tried];
  }
}

/** Provides access tokens, each of which is used until shortly before it expires. */
export interface Tokens {
  /** @throws TokenError, ProblemError, NoAnswerError */
  get(): Promise<string>;
  /** Discards a token that the service rejected. */
  drop(token: string): void;
}

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
  /**
   * Refresh token. Used instead of the authorization code, which can be used only once. Each use returns a
   * new refresh token.
   */
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
    const attempt = async (signal: AbortSignal) => {
      const headers = { ApplicationToken: applicationToken, Accept: 'application/json' };
      const body = new URLSearchParams(await form());
      const request = new Request(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      return await options.fetch(request, { signal });
    };
    // Codes and refresh tokens can be used once. A second use would end the session.
    const repeatable = 'apiToken' in credentials || 'privateKey' in credentials;
    const response = await new RetriedRequest({ method: 'POST', url, timing, repeatable }).send(attempt);
    if (!response.ok) throw await refusalOf(response, url, credentials);
    const answer = await readTokens(response);
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

/** @throws ProblemError if the response is not from the service */
async function readTokens(response: Response): Promise<TokenAnswer> {
  const text = await response.text();
  try {
    const answer: unknown = JSON.parse(text);
    if (isTokenAnswer(answer)) return answer;
  } catch {
    // The SyntaxError is not thrown, because it quotes the body.
  }
  throw unreadableProblem(response, text, 'a token response');
}

function isTokenAnswer(answer: unknown): answer is TokenAnswer {
  if (typeof answer !== 'object' || answer === null) return false;
  const { access_token, expires_in, refresh_token = '' } = answer as Partial<TokenAnswer>; // Safe cast: all members are optional, and each is checked below.
  // Other characters cannot be sent in a header.
  const isToken = typeof access_token === 'string' && /^[\x21-\x7e]+$/.test(access_token);
  return isToken && typeof refresh_token === 'string' && Number.isFinite(expires_in);
}

async function refusalOf(
  response: Response,
  url: string,
  credentials: Exclude<Credentials, KeptCredentials>,
): Promise<Error> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  if (typeof body !== 'object' || body === null || !('error' in body) || typeof body.error !== 'string')
    return await problemOf(response);
  const description =
    'error_description' in body && typeof body.error_description === 'string'
      ? body.error_description
      : 'The token endpoint rejected the request.';
  const { clientId } = credentials;
  const reason = refusals.find((one) => 'reason' in body && body.reason === one);
  return new TokenError({
    ...{ code: body.error, description, reason },
    ...{ url, clientId, tried: triedOf(credentials) },
  });
}

const refusals: readonly TokenRefusal[] = ['application', 'account', 'role'];

function triedOf(credentials: Exclude<Credentials, KeptCredentials>): string {
  if ('apiToken' in credentials) return `API token of ${credentials.serviceAccount}`;
  if ('privateKey' in credentials) return `key ${credentials.keyId} of ${credentials.serviceAccount}`;
  return 'code' in credentials ? 'authorization code' : 'refresh token';
}
