/** Id of the console's application, the same in every installation. It is a public client: PKCE is its only proof. */
const clientId = '00000000-0000-7000-8000-000000000001';
const callbackPath = '/console/callback';
const pendingKey = 'ledger-ops.sign-in';
/** Seconds before expiry at which an access token is renewed. */
const marginSeconds = 60;

interface Tokens {
  readonly access: string;
  readonly refresh: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Random values that this tab creates for a sign-in and checks when it returns. */
interface Asked {
  readonly state: string;
  readonly verifier: string;
}

interface PendingSignIn extends Asked {
  readonly returnTo: string;
}

/** Kept only in memory, not in storage or a cookie. A reload signs in again. */
let tokens: Tokens | undefined;
let renewing: Promise<Tokens> | undefined;

const others = new BroadcastChannel('ledger-ops.session');
others.onmessage = () => {
  tokens = undefined;
  location.replace('/console/signed-out');
};

/** The sign-in failed or the session has ended. The message is shown to the user. */
export class SignInError extends Error {}

/** The service did not respond, so the session is unchanged. The message is shown to the user. */
class SessionError extends Error {}

const outside = ['/console/welcome', callbackPath, '/console/signed-out'];

/** Whether a page can be shown without a sign-in. */
export function isOutside(path: string): boolean {
  return outside.includes(path);
}

export function isCallback(path: string): boolean {
  return path === callbackPath;
}

export function isSignedIn(): boolean {
  return tokens !== undefined;
}

let resuming: Promise<void> | undefined;

/**
 * Signs in without leaving the page if the browser has a session. {@link credentials} waits for the result.
 */
export function resume(): void {
  // If this fails, the next call to `credentials` starts the sign-in.
  resuming = resumed()
    .catch(() => {})
    .finally(() => {
      resuming = undefined;
    });
}

/** Whether a sign-in is still in progress. */
export function isResuming(): boolean {
  return resuming !== undefined;
}

/**
 * Fetches the authorization endpoint and follows its redirect; the final URL contains the code. Without a
 * browser session, the redirect leads to the sign-in page.
 */
async function resumed(): Promise<void> {
  const { issuer, authorization_endpoint: endpoint } = await metadata();
  if (new URL(issuer).origin !== location.origin || globalThis.crypto.subtle === undefined) return;
  const asked = { state: random(), verifier: random() };
  const { url } = await fetch(`${endpoint}?${await requestOf(asked)}`, { mode: 'same-origin' });
  const { pathname, searchParams } = new URL(url);
  if (isCallback(pathname)) tokens = await redeem(searchParams, asked, issuer);
}

let leaving: Promise<void> | undefined;

/**
 * Leaves the page for the sign-in and returns to `returnTo`. Several calls start only one sign-in. Returns
 * immediately if the browser has a session.
 */
export async function signIn(returnTo: string): Promise<never> {
  // Requests that fail because the user signs out must not start another sign-in.
  const isSignedOut = await signingOut?.then(
    () => true,
    () => false,
  );
  if (isSignedOut === true) return await forever();
  leaving ??= leave(returnTo).finally(() => {
    leaving = undefined;
  });
  await leaving;
  return await forever();
}

async function leave(returnTo: string): Promise<void> {
  const { issuer, authorization_endpoint: endpoint } = await metadata();
  if (new URL(issuer).origin !== location.origin) {
    // The session cookie and the redirect URI work only at the public URL.
    location.replace(new URL(location.pathname + location.search, issuer));
    return;
  }
  if (globalThis.crypto.subtle === undefined) {
    throw new SignInError('Open the console over https: browsers do not support a secure sign-in over http.');
  }
  const pending: PendingSignIn = { state: random(), verifier: random(), returnTo };
  sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  location.assign(`${endpoint}?${await requestOf(pending)}`);
}

async function requestOf({ state, verifier }: Asked): Promise<URLSearchParams> {
  return new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: location.origin + callbackPath,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
    state,
  });
}

interface Returning {
  /** The page to show after the sign-in. */
  readonly address: string | undefined;
  /** Resolves with the address once the user is signed in. @throws SignInError */
  readonly finished: Promise<string>;
}

let returning: Returning | undefined;

/** Completes the sign-in that returned to this page. Runs only once, because a code can be used only once. */
export function returnOnce(): Returning {
  returning ??= begun(new URLSearchParams(location.search));
  return returning;
}

function begun(query: URLSearchParams): Returning {
  const pending = takePending();
  return { address: pending?.returnTo, finished: finishSignIn(pending, query) };
}

/** Exchanges the code of a sign-in that this tab started. @throws SignInError */
async function finishSignIn(pending: PendingSignIn | undefined, query: URLSearchParams): Promise<string> {
  // Keeps the code out of the browser history.
  history.replaceState(null, '', callbackPath);
  const { issuer } = await metadata();
  if (pending === undefined) throw notOurs();
  tokens = await redeem(query, pending, issuer);
  return pending.returnTo;
}

/** Exchanges the authorization code for tokens. @throws SignInError */
async function redeem(query: URLSearchParams, asked: Asked, issuer: string): Promise<Tokens> {
  if (query.get('state') !== asked.state || query.get('iss') !== issuer) throw notOurs();
  const code = query.get('code');
  if (code === null) {
    throw new SignInError(
      query.get('error_description') ?? 'The sign-in was refused. Try again, or contact your administrator.',
    );
  }
  return await exchange({
    grant_type: 'authorization_code',
    code,
    redirect_uri: location.origin + callbackPath,
    code_verifier: asked.verifier,
  });
}

const notOurs = () => new SignInError('This sign-in was not started in this tab. Sign in again.');

/**
 * Returns the headers for a request. Renews the access token before it expires.
 *
 * @throws SignInError if the session has ended
 */
export async function credentials(): Promise<Record<string, string>> {
  await resuming;
  if (tokens === undefined) throw new SignInError('You are not signed in.');
  const { access } = tokens.until - Date.now() < marginSeconds * 1_000 ? await renew() : tokens;
  return { Authorization: `Bearer ${access}` };
}

/**
 * Runs one renewal at a time: using a refresh token twice ends the whole session.
 *
 * @throws SignInError if the session has ended
 */
export async function renew(): Promise<Tokens> {
  const { refresh } = tokens ?? { refresh: '' };
  renewing ??= exchange({ grant_type: 'refresh_token', refresh_token: refresh })
    .then((next) => {
      tokens = next;
      return next;
    })
    .finally(() => {
      renewing = undefined;
    });
  return await renewing;
}

/**
 * Ends the session everywhere: the browser session, the tokens and other tabs.
 *
 * @throws SessionError if the session has not ended everywhere. The user is still signed in and can retry.
 */
export async function signOut(): Promise<void> {
  const ending = endSession();
  signingOut = ending;
  try {
    await ending;
  } catch (error) {
    signingOut = undefined;
    throw error;
  }
}

/** Set when the user signs out, and cleared if that fails. After success, the page is left. */
let signingOut: Promise<void> | undefined;

async function endSession(): Promise<void> {
  // Otherwise, a sign-in that is in progress would later store new tokens.
  await resuming;
  // Ends the browser session first; otherwise the tab could sign in again with it.
  await answered(() => fetch('/v1/auth/logout', { method: 'POST' }));
  const refresh = tokens?.refresh;
  if (refresh !== undefined) {
    await answered(() => post('/v1/auth/revoke', { token: refresh, client_id: clientId }));
  }
  tokens = undefined;
  sessionStorage.clear();
  others.postMessage('signed out');
}

async function answered(ask: () => Promise<Response>): Promise<void> {
  const response = await ask().catch(() => undefined);
  if (response?.ok !== true) {
    throw new SessionError('The service could not be reached: you are still signed in. Try again.');
  }
}

async function exchange(fields: Record<string, string>): Promise<Tokens> {
  const response = await post('/v1/auth/token', { ...fields, client_id: clientId });
  // These are OAuth refusals. Any other status, such as 429, does not mean that the session has ended.
  if (response.status === 400 || response.status === 401) {
    throw new SignInError('The session has ended. Sign in again.');
  }
  if (!response.ok) throw new SessionError('Unexpected response from the service. Try again.');
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = await response.json();
  return { access, refresh, until: Date.now() + seconds * 1_000 };
}

async function post(path: string, fields: Record<string, string>): Promise<Response> {
  return await fetch(path, { method: 'POST', body: new URLSearchParams(fields), credentials: 'omit' });
}

let known: Promise<{ issuer: string; authorization_endpoint: string }> | undefined;

async function metadata() {
  known ??= fetch('/.well-known/oauth-authorization-server')
    .then((response) => {
      if (response.ok) return response.json();
      throw new SignInError('The service does not answer. Try again.');
    })
    .catch((error: unknown) => {
      // A failed request is not cached: the next call sends it again.
      known = undefined;
      throw error;
    });
  return await known;
}

function takePending(): PendingSignIn | undefined {
  const text = sessionStorage.getItem(pendingKey);
  sessionStorage.removeItem(pendingKey);
  return text === null ? undefined : JSON.parse(text);
}

function random(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Never settles, because the page is being left. */
function forever(): Promise<never> {
  return new Promise(() => {});
}
