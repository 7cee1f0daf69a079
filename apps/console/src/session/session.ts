import { chosenProject } from './project.ts';

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

interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
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

/** The sign-in cannot go on; its message is for people. */
export class SignInError extends Error {}

export function isSignedIn(): boolean {
  return tokens !== undefined;
}

/** Identity of who is signed in, as its token names it. */
export function ownServiceId(): string {
  const payload = tokens?.access.split('.')[1] ?? '';
  if (payload === '') return '';
  const { sub } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  return typeof sub === 'string' ? sub : '';
}

/**
 * Leaves the page for the sign-in, and comes back to `returnTo`. Where the browser has a session it comes back at
 * once.
 */
export async function signIn(returnTo: string): Promise<never> {
  const { issuer, authorization_endpoint: endpoint } = await metadata();
  if (new URL(issuer).origin !== location.origin) {
    // The cookie of the session and the redirect belong to the public address.
    location.replace(new URL(location.pathname + location.search, issuer));
    return await forever();
  }
  if (globalThis.crypto.subtle === undefined) {
    throw new SignInError('Open the console over https: without it browsers offer no secure sign-in.');
  }
  const verifier = random();
  const pending: PendingSignIn = { state: random(), verifier, returnTo };
  sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: location.origin + callbackPath,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
    state: pending.state,
  });
  location.assign(`${endpoint}?${query}`);
  return await forever();
}

/**
 * Ends a sign-in that this tab began: exchanges the code. Answers where to go on.
 *
 * @throws SignInError
 */
export async function finishSignIn(query: URLSearchParams): Promise<string> {
  const pending = takePending();
  // The code stays in no history.
  history.replaceState(null, '', callbackPath);
  const { issuer } = await metadata();
  if (pending === undefined || query.get('state') !== pending.state || query.get('iss') !== issuer) {
    throw new SignInError('This sign-in was not begun in this tab. Sign in again.');
  }
  const code = query.get('code');
  if (code === null) {
    throw new SignInError(query.get('error_description') ?? 'The sign-in was refused.');
  }
  tokens = await exchange({
    grant_type: 'authorization_code',
    code,
    redirect_uri: location.origin + callbackPath,
    code_verifier: pending.verifier,
  });
  return pending.returnTo;
}

/** Headers of a request; renews the access token in time. @throws SignInError when the session has ended */
export async function credentials(): Promise<Record<string, string>> {
  if (tokens === undefined) throw new SignInError('Nobody is signed in.');
  const { access } = tokens.until - Date.now() < margin * 1_000 ? await renew() : tokens;
  const project = chosenProject();
  return {
    Authorization: `Bearer ${access}`,
    ...(project === undefined ? {} : { 'Ledger-Ops-Project': project }),
  };
}

/** One renewal at a time: a refresh token that is used twice ends the whole session. */
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

/** Ends the session everywhere: the tokens, the browser's session, and other tabs. */
export async function signOut(): Promise<void> {
  const refresh = tokens?.refresh;
  tokens = undefined;
  sessionStorage.clear();
  if (refresh !== undefined) await post('/v1/auth/revoke', { token: refresh, client_id: clientId });
  await fetch('/v1/auth/logout', { method: 'POST' });
  others.postMessage('signed out');
}

async function exchange(fields: Record<string, string>): Promise<Tokens> {
  const response = await post('/v1/auth/token', { ...fields, client_id: clientId });
  if (!response.ok) throw new SignInError('The session has ended. Sign in again.');
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = await response.json();
  return { access, refresh, until: Date.now() + seconds * 1_000 };
}

async function post(path: string, fields: Record<string, string>): Promise<Response> {
  return await fetch(path, { method: 'POST', body: new URLSearchParams(fields), credentials: 'omit' });
}

let known: Promise<{ issuer: string; authorization_endpoint: string }> | undefined;

async function metadata() {
  known ??= fetch('/.well-known/oauth-authorization-server').then((response) => {
    if (response.ok) return response.json();
    known = undefined;
    throw new SignInError('The service does not answer. Try again.');
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
