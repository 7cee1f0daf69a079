/** The console's application: the same in every installation. It is public, and proves itself by PKCE alone. */
const clientId = '00000000-0000-7000-8000-000000000001';
const callbackPath = '/console/callback';
const pendingKey = 'tally.sign-in';
/** Seconds before its end at which an access token is renewed. */
const margin = 60;

interface Tokens {
  readonly access: string;
  readonly refresh: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Made up by this tab for a sign-in, and seen again at its end. */
interface Asked {
  readonly state: string;
  readonly verifier: string;
}

interface PendingSignIn extends Asked {
  readonly returnTo: string;
}

/** Only here: neither storage nor a cookie holds them, so that a reload asks the sign-in anew. */
let tokens: Tokens | undefined;
let renewing: Promise<Tokens> | undefined;

const others = new BroadcastChannel('tally.session');
others.onmessage = () => {
  tokens = undefined;
  location.replace('/console/signed-out');
};

/** The sign-in cannot go on, or the session has ended; its message is for people. */
export class SignInError extends Error {}

/** The service did not answer: whether somebody is signed in is as before. Its message is for people. */
class SessionError extends Error {}

const outside = ['/console/welcome', callbackPath, '/console/signed-out'];

/** Pages for who is not signed in. */
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

/** Signs in behind the page where the browser has a session: {@link credentials} waits for it. */
export function resume(): void {
  // Whoever asks for credentials then finds that nobody is signed in, and leaves for the sign-in.
  resuming = resumed()
    .catch(() => {})
    .finally(() => {
      resuming = undefined;
    });
}

/** Whether it is not known yet that somebody is signed in. */
export function isResuming(): boolean {
  return resuming !== undefined;
}

/**
 * The redirect that the sign-in would answer is followed as a request, and its code is in the address to which that led. It
 * leads elsewhere where the browser has no session.
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
 * Leaves the page for the sign-in, once however many ask, and comes back to `returnTo`. Where the browser has a session it
 * comes back at once.
 */
export async function signIn(returnTo: string): Promise<never> {
  leaving ??= leave(returnTo).finally(() => {
    leaving = undefined;
  });
  await leaving;
  return await forever();
}

async function leave(returnTo: string): Promise<void> {
  const { issuer, authorization_endpoint: endpoint } = await metadata();
  if (new URL(issuer).origin !== location.origin) {
    // The cookie of the session and the redirect belong to the public address.
    location.replace(new URL(location.pathname + location.search, issuer));
    return;
  }
  if (globalThis.crypto.subtle === undefined) {
    throw new SignInError('Open the console over https: without it browsers offer no secure sign-in.');
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
  /** Where it goes on. */
  readonly address: string | undefined;
  /** The same, when somebody is signed in. @throws SignInError */
  readonly finished: Promise<string>;
}

let returning: Returning | undefined;

/** Ends the sign-in that came back to this page, once: a code is good for one use. */
export function returnOnce(): Returning {
  returning ??= begun(new URLSearchParams(location.search));
  return returning;
}

function begun(query: URLSearchParams): Returning {
  const pending = takePending();
  return { address: pending?.returnTo, finished: finishSignIn(pending, query) };
}

/** Exchanges the code of a sign-in that this tab began. @throws SignInError */
async function finishSignIn(pending: PendingSignIn | undefined, query: URLSearchParams): Promise<string> {
  // The code stays in no history.
  history.replaceState(null, '', callbackPath);
  const { issuer } = await metadata();
  if (pending === undefined) throw notOurs();
  tokens = await redeem(query, pending, issuer);
  return pending.returnTo;
}

/** Tokens for the code that a sign-in came back with. @throws SignInError */
async function redeem(query: URLSearchParams, asked: Asked, issuer: string): Promise<Tokens> {
  if (query.get('state') !== asked.state || query.get('iss') !== issuer) throw notOurs();
  const code = query.get('code');
  if (code === null) {
    throw new SignInError(query.get('error_description') ?? 'The sign-in was refused.');
  }
  return await exchange({
    grant_type: 'authorization_code',
    code,
    redirect_uri: location.origin + callbackPath,
    code_verifier: asked.verifier,
  });
}

const notOurs = () => new SignInError('This sign-in was not begun in this tab. Sign in again.');

/** Headers of a request; renews the access token in time. @throws SignInError when the session has ended */
export async function credentials(): Promise<Record<string, string>> {
  await resuming;
  if (tokens === undefined) throw new SignInError('Nobody is signed in.');
  const { access } = tokens.until - Date.now() < margin * 1_000 ? await renew() : tokens;
  return { Authorization: `Bearer ${access}` };
}

/**
 * One renewal at a time: a refresh token that is used twice ends the whole session.
 *
 * @throws SignInError when the session has ended
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
 * Ends the session everywhere: the browser's session, the tokens, and other tabs.
 *
 * @throws SessionError it has not ended everywhere, and whoever was signed in still is; it can be asked again
 */
export async function signOut(): Promise<void> {
  // Else tokens would come after it.
  await resuming;
  // First: with it the tab could sign in anew.
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
    throw new SessionError('The service could not be told: you are still signed in. Try again.');
  }
}

async function exchange(fields: Record<string, string>): Promise<Tokens> {
  const response = await post('/v1/auth/token', { ...fields, client_id: clientId });
  // As OAuth refuses. Anything else, such as too many requests, says nothing of the session.
  if (response.status === 400 || response.status === 401) {
    throw new SignInError('The session has ended. Sign in again.');
  }
  if (!response.ok) throw new SessionError('The service does not answer as it should. Try again.');
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
      // It is asked for again.
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

/** The page is being left. */
function forever(): Promise<never> {
  return new Promise(() => {});
}
