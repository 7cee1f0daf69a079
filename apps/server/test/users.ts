import { createHash, randomBytes } from 'node:crypto';
import { Secret } from '@ledger-ops/base';
import { nextId, uuidv7 } from '@ledger-ops/store';
import { addCaller, type Ground, type TestCaller } from './harness.ts';

/** A person who can log in. */
export interface TestUser {
  readonly serviceId: string;
  readonly email: string;
  readonly password: string;
}

/** Adds a user who has not set a password yet. */
export async function addPendingUser({ store, auth }: Pick<Ground, 'store' | 'auth'>) {
  const serviceId = uuidv7();
  const email = `user-${randomBytes(6).toString('hex')}@example.com`;
  const initToken = await store.transaction(async (tx) => {
    const now = Date.now();
    await tx.db.insert(tx.t.identity).values({
      serviceId,
      id: await nextId(tx, 'identity'),
      identifier: email,
      type: 'USER',
      status: 'PENDING',
      createdAt: now,
      updatedAt: now,
    });
    return (await auth.createInitToken(tx, serviceId)).initToken;
  });
  return { serviceId, email, initToken: initToken.reveal() };
}

/** Adds a user with a password. */
export async function addUser(ground: Pick<Ground, 'store' | 'auth'>): Promise<TestUser> {
  const { serviceId, email, initToken } = await addPendingUser(ground);
  const password = `correct horse ${randomBytes(6).toString('hex')}`;
  await ground.auth.initUser({
    initToken: new Secret(initToken),
    acceptTnC: true,
    additional: { name: 'Ada <b>Lovelace</b>', password: new Secret(password) },
    client: { source: 'tests' },
  });
  return { serviceId, email, password };
}

/** An application that users log in to. */
export async function addWebApp(
  { store, auth, administrator }: Ground,
  name: string,
  redirectUris: string[],
): Promise<TestCaller> {
  const caller = await addCaller(store, auth, administrator, name);
  await store.transaction((tx) => auth.setRedirectUris(tx, caller.principal.appUid, redirectUris));
  return caller;
}

/** What a client of the authorization code grant remembers between its two requests. */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Sends requests as a browser does: follows no redirect, keeps cookies, says which page a form came from. */
export interface Browser {
  readonly cookies: Map<string, string>;
  get(path: string): Promise<Response>;
  submit(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
}

type Ask = (path: string, init: RequestInit) => Response | Promise<Response>;

/** @param origin origin of the service, as the browser sees it */
export function openBrowser(ask: Ask, origin: string): Browser {
  const cookies = new Map<string, string>();
  const send = async (path: string, init: RequestInit & { headers?: Record<string, string> }) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie === '' ? {} : { Cookie: cookie }), ...init.headers };
    const response = await ask(path, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return {
    cookies,
    get: (path) => send(path, { headers: { 'Sec-Fetch-Site': 'cross-site' } }),
    submit: (path, fields, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          Origin: origin,
          'Sec-Fetch-Site': 'same-origin',
          ...headers,
        },
        body: new URLSearchParams(fields).toString(),
      }),
  };
}

/** The forms of a page: where they go, and their fields with values. */
export function formsOf(page: string): { action: string; fields: Record<string, string> }[] {
  return [...page.matchAll(/<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/g)].map(
    ([, action = '', inside = '']) => ({
      action,
      fields: Object.fromEntries(
        [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
          ([, name = '', value = '']) => [name, unescaped(value)],
        ),
      ),
    }),
  );
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
