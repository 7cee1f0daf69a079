import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '@ledger-ops/base';
import { nextId, uuidv7 } from '@ledger-ops/store';
import { vi } from 'vitest';
import { addCaller, type Ground, type TestCaller } from '../stage/harness.ts';

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
      identifierKey: email,
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

/** Creates an application that users log in to. */
export async function addWebApp(
  { store, auth, administrator }: Ground,
  name: string,
  redirectUris: string[],
): Promise<TestCaller> {
  const caller = await addCaller(store, auth, administrator, name);
  await store.transaction((tx) => auth.setRedirectUris(tx, caller.principal.appUid, redirectUris));
  return caller;
}

/** State of an authorization code client between its two requests. */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Logs a person in, lets the application act for them, and returns the authentication headers. */
export async function headersOfUser(
  ground: Pick<Ground, 'auth'>,
  user: Pick<TestUser, 'email' | 'password'>,
  app: Pick<TestCaller, 'appId' | 'applicationToken'>,
  redirectUri: string,
): Promise<Record<string, string>> {
  const { access_token } = await tokensOfUser(ground, user, app, redirectUri);
  return { ApplicationToken: app.applicationToken, Authorization: `Bearer ${access_token}` };
}

/** Logs a person in, lets the application act for them, and returns the tokens. */
export async function tokensOfUser(
  { auth }: Pick<Ground, 'auth'>,
  { email, password }: Pick<TestUser, 'email' | 'password'>,
  app: Pick<TestCaller, 'appId'>,
  redirectUri: string,
) {
  const client = { source: 'tests' };
  const { session } = await auth.login({ username: email, password: new Secret(password), client });
  const { verifier, challenge } = pkce();
  const asked = { response_type: 'code', code_challenge: challenge, code_challenge_method: 'S256' };
  const request = await auth.authorization.read(
    new URLSearchParams({ ...asked, client_id: app.appId, redirect_uri: redirectUri }),
  );
  const csrf = auth.authorization.csrfToken(request, session);
  const target = new URL(await auth.authorization.approve(request, session, csrf));
  return await auth.issueToken(
    new Map([
      ['grant_type', 'authorization_code'],
      ['code', target.searchParams.get('code') ?? ''],
      ['redirect_uri', redirectUri],
      ['client_id', app.appId],
      ['code_verifier', verifier],
    ]),
  );
}

/** Returns the text of the newest mail to a person in a folder of .eml files, once there is one. */
export async function mailIn(folder: string, to: string): Promise<string> {
  return await vi.waitFor(async () => {
    // Reads only complete files: the name of a file that is being written begins with a dot.
    const names = (await readdir(folder)).filter((name) => /^[^.].*\.eml$/.test(name)).toSorted();
    const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    const mail = mails.findLast((text) => text.includes(`To: ${to}`));
    if (mail === undefined) throw new Error(`There is no mail to ${to}.`);
    return mail;
  }, 30_000);
}

/** Sends requests like a browser: follows no redirect, keeps cookies, sends the Origin of a form's page. */
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

/** Returns the forms of a page: their targets and their fields with values. */
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
