import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { NoAnswerError } from '@ledger-ops/client';
import * as oauth from 'oauth4webapi';
import { CliError } from './errors.ts';
import type { Terminal } from './terminal.ts';

const signInTimeoutMs = 300_000;

/** A person's tokens, as stored in a profile. */
export interface PersonTokens {
  readonly accessToken: string;
  /** Milliseconds since the epoch. */
  readonly accessUntil: number;
  /** Can be used once. */
  readonly refreshToken: string;
}

interface Place {
  readonly baseUrl: string;
  readonly clientId: string;
}

/**
 * Signs a person in with the authorization code flow and PKCE. The redirect goes to a loopback port (RFC 8252).
 * @throws CliError
 */
export async function signInByBrowser(
  { baseUrl, clientId }: Place,
  { opens, terminal }: { readonly opens: boolean; readonly terminal: Terminal },
): Promise<PersonTokens> {
  const options = requestOptions(baseUrl, terminal.signal);
  const issuer = new URL(baseUrl);
  const server = await oauth
    .discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
    .then((response) => oauth.processDiscoveryResponse(issuer, response))
    .catch(notSignedIn);
  const client: oauth.Client = { client_id: clientId };
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const listener = await listen();
  try {
    const redirectUri = `http://127.0.0.1:${listener.port}/callback`;
    const address = new URL(server.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      ...{ client_id: clientId, redirect_uri: redirectUri, response_type: 'code', state },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    }).toString();
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(signInTimeoutMs)]);
    // Listens before the browser opens, so that no redirect is missed.
    const answered = listener.answer(signal, (answer) =>
      oauth.validateAuthResponse(server, client, answer, state),
    );
    const [parameters] = await Promise.all([answered, show(address.href, opens, terminal)]);
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, oauth.None(), parameters, redirectUri, verifier, options] as const),
    );
    return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, response));
  } catch (error) {
    return notSignedIn(error);
  } finally {
    listener.close();
  }
}

async function show(address: string, opens: boolean, terminal: Terminal): Promise<void> {
  if (opens && (await terminal.openBrowser(address))) return;
  terminal.err(`Open this URL in a browser on this machine:\n${address}\n`);
}

/** Exchanges a refresh token for new tokens; the refresh token becomes invalid. @throws CliError */
export async function refreshTokens(
  { baseUrl, clientId }: Place,
  refreshToken: string,
  signal: AbortSignal,
): Promise<PersonTokens> {
  const server = { issuer: baseUrl, token_endpoint: `${baseUrl}/v1/auth/token` };
  const client = { client_id: clientId };
  const options = requestOptions(baseUrl, signal);
  return await oauth
    .refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, options)
    .then((response) => oauth.processRefreshTokenResponse(server, client, response))
    .then(tokensOf, notSignedIn);
}

/** Ends the session of a refresh token. */
export async function revokeTokens(place: Place, refreshToken: string, signal: AbortSignal): Promise<void> {
  const { baseUrl, clientId } = place;
  const server = { issuer: baseUrl, revocation_endpoint: `${baseUrl}/v1/auth/revoke` };
  const options = requestOptions(baseUrl, signal);
  const client = { client_id: clientId };
  const response = await oauth.revocationRequest(server, client, oauth.None(), refreshToken, options);
  await oauth.processRevocationResponse(response);
}

function requestOptions(baseUrl: string, signal: AbortSignal) {
  return {
    signal: () => AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
    [oauth.customFetch]: async (
      url: string,
      { body, ...options }: oauth.CustomFetchOptions<'GET' | 'POST', undefined | URLSearchParams>,
    ) =>
      await fetch(url, { ...options, ...(body !== undefined && { body }) }).catch((error: unknown) => {
        if (signal.aborted) throw error;
        throw new NoAnswerError({ method: options.method, url, tries: 1 }, error);
      }),
    // The client has already rejected http: URLs that are neither local nor explicitly allowed.
    [oauth.allowInsecureRequests]: baseUrl.startsWith('http:'),
  };
}

function tokensOf(answer: oauth.TokenEndpointResponse): PersonTokens {
  const { access_token: accessToken, refresh_token: refreshToken = '', expires_in: seconds = 0 } = answer;
  return { accessToken, refreshToken, accessUntil: Date.now() + seconds * 1_000 };
}

function notSignedIn(error: unknown): never {
  if (error instanceof CliError) throw error;
  const isRefused =
    error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError;
  if (isRefused) {
    const why = error.error_description ?? error.error;
    throw new CliError('signIn', `The sign-in failed: ${why}`, 'ledger-ops login');
  }
  if (error instanceof DOMException && error.name === 'TimeoutError')
    throw new CliError('signIn', 'The sign-in was not completed within five minutes.', 'ledger-ops login');
  if (error instanceof oauth.OperationProcessingError) {
    const next = 'set --url to the public URL of the service (its BASE_URL), and check its log';
    throw new CliError('signIn', `Unexpected response to this sign-in: ${error.message}`, next);
  }
  throw error;
}

/** Listens on a free loopback port for one redirect. */
async function listen() {
  const server: Server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The listener has no port.');
  return {
    port: address.port,
    /** Resolves with the first valid redirect. Invalid ones get an error page, and the wait continues. */
    async answer<T>(signal: AbortSignal, read: (parameters: URLSearchParams) => T): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      server.on('request', ({ method, url = '' }, response) => {
        const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
        if (method !== 'GET' || pathname !== '/callback') return page(response, 404, 'Not found.');
        try {
          const answer = read(searchParams);
          page(response, 200, 'You are signed in. Return to the terminal; you can close this page.');
          resolve(answer);
        } catch (error) {
          page(response, 400, 'The sign-in failed. The terminal shows the reason; you can close this page.');
          // Any program on this machine can send a request without the state. An error from the service includes it.
          if (error instanceof oauth.AuthorizationResponseError) reject(error);
        }
      });
      return await promise;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function page(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    ...{ 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', Connection: 'close' },
    ...{ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' },
  });
  response.end(`${text}\n`);
}
