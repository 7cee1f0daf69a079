import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import * as oauth from 'oauth4webapi';
import { CliError } from './errors.ts';
import type { Terminal } from './terminal.ts';

/** Milliseconds that a person has for the browser. */
const patience = 300_000;

/** Tokens of a person, as a profile keeps them. */
export interface PersonTokens {
  readonly accessToken: string;
  /** Milliseconds since the epoch. */
  readonly accessUntil: number;
  /** Good once. */
  readonly refreshToken: string;
}

interface Place {
  readonly baseUrl: string;
  readonly clientId: string;
}

/**
 * Signs a person in by authorization code with PKCE, whose answer comes to a port of this machine (RFC 8252).
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
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(patience)]);
    // Before anybody is sent here.
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
  terminal.err(`Open this address in a browser of this machine:\n${address}\n`);
}

/** New tokens for the last refresh token, which is used up. @throws CliError */
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
    // The profile was refused where its URL may not be used without TLS.
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
    throw new CliError('signIn', `Nobody is signed in: ${why}`, 'ledger-ops login');
  }
  if (error instanceof DOMException && error.name === 'TimeoutError')
    throw new CliError('signIn', 'Nobody has signed in within five minutes.', 'ledger-ops login');
  if (error instanceof oauth.OperationProcessingError) {
    const next = 'give --url as the service names itself (BASE_URL), and look at its log';
    throw new CliError('signIn', `The answer is not of this sign-in: ${error.message}`, next);
  }
  throw error;
}

/** Listens on a free port of loopback for one answer. */
async function listen() {
  const server: Server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('There is no port.');
  return {
    port: address.port,
    /** The first answer that is one; others are refused, and waited behind. */
    async answer<T>(signal: AbortSignal, read: (parameters: URLSearchParams) => T): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      server.on('request', ({ method, url = '' }, response) => {
        const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
        if (method !== 'GET' || pathname !== '/callback')
          return page(response, 404, 'There is nothing here.');
        try {
          const answer = read(searchParams);
          page(response, 200, 'You are signed in. The terminal goes on; this page can be closed.');
          resolve(answer);
        } catch (error) {
          page(response, 400, 'Nobody is signed in: the terminal says why. This page can be closed.');
          // Anybody on this machine can send a request without the state; the service’s refusal has it.
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
