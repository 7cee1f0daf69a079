import { Secret } from '@ledger-ops/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { baseUrl, type Ground, makeServer, openGround, problemOf } from '../stage/harness.ts';
import { addPendingUser, addUser, type TestUser } from './users.ts';

let ground: Ground;
let user: TestUser;
beforeAll(async () => {
  ground = await openGround();
  user = await addUser(ground);
});
afterAll(() => ground.close());

const post = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const { app } = makeServer(ground);
  return await app.request(path, {
    method: 'POST',
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
};
const credentials = () => ({ username: user.email, password: user.password });
const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
const live = async (cookie: string) =>
  (await ground.auth.sessionOf(new Secret(cookie.split('=')[1] ?? ''))) !== null;

describe('login', () => {
  test('login returns the identity and sets a cookie that scripts and other sites cannot read', async () => {
    const response = await post('/v1/auth/login', credentials());
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      identifier: user.email,
      serviceId: user.serviceId,
      identityProfile: { displayName: 'Ada <b>Lovelace</b>' },
      status: 'ENABLED',
      type: 'USER',
      dateCreated: expect.any(Number),
      id: expect.any(Number),
    });
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^SERVICESESSIONID=ses_[\w-]{43}; /);
    expect(cookie).toContain('; HttpOnly');
    expect(cookie).toContain('; SameSite=Lax');
    expect(cookie).toContain('; Path=/;');
    expect(cookie).toContain('; Secure');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await live(cookieOf(response))).toBe(true);
  });

  test('login creates a new session and ends the browser’s former one', async () => {
    const fixed = 'SERVICESESSIONID=chosen-by-somebody-else';
    const first = cookieOf(await post('/v1/auth/login', credentials(), { Cookie: fixed }));
    expect(first).not.toBe(fixed);
    const second = cookieOf(await post('/v1/auth/login', credentials(), { Cookie: first }));
    expect([await live(fixed), await live(first), await live(second)]).toEqual([false, false, true]);
  });

  test('a wrong password and an unknown user get the same response, without a cookie', async () => {
    const answers = [
      await post('/v1/auth/login', { ...credentials(), password: 'wrong' }),
      await post('/v1/auth/login', { ...credentials(), username: 'nobody@example.com' }),
    ];
    const problems = await Promise.all(answers.map(problemOf));
    expect(problems[0]).toEqual(problems[1]);
    expect(problems[0]).toMatchObject({ status: 401, type: 'urn:ledger-ops:problem:login-failed' });
    expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toEqual([]);
  });

  test.each([
    ['login', '/v1/auth/login'],
    ['logout', '/v1/auth/logout'],
    ['init-user', '/v1/auth/init-user'],
  ])('another site’s page cannot use %s', async (name, path) => {
    const body = {
      login: credentials(),
      logout: undefined,
      'init-user': {
        acceptTnC: true,
        additional: { name: 'x', password: 'long enough it is' },
        initToken: 'x',
      },
    }[name];
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ]) {
      const response = await post(path, body, headers as Record<string, string>);
      expect([JSON.stringify(headers), response.status]).toEqual([JSON.stringify(headers), 403]);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
  });

  test('our own pages and those of configured origins can log in', async () => {
    for (const Origin of [baseUrl, 'https://app.example']) {
      expect((await post('/v1/auth/login', credentials(), { Origin })).status).toBe(200);
    }
  });

  test('a form of another site cannot log in, because only JSON is accepted', async () => {
    const { app } = makeServer(ground);
    for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
      const response = await app.request('/v1/auth/login', {
        method: 'POST',
        headers: { 'Content-Type': type },
        body: JSON.stringify(credentials()),
      });
      expect(response.status).toBe(415);
    }
  });

  test.each([
    [{ username: 'x' }, '/password'],
    [{ username: 1, password: 'x' }, '/username'],
    [{ username: 'x', password: 'y', id: 1 }, '/id'],
  ])('the login body %j is refused with a pointer to the fault', async (body, pointer) => {
    const problem = await problemOf(await post('/v1/auth/login', body));
    expect(problem).toMatchObject({ status: 400, errors: [{ pointer }] });
  });

  test('after ten failures, the next attempts are refused with the time to wait', async () => {
    const attempt = () => post('/v1/auth/login', { username: 'nobody@example.org', password: 'wrong' });
    const statuses: number[] = [];
    for (let nth = 0; nth < 10; nth += 1) statuses.push((await attempt()).status);
    expect(new Set(statuses)).toEqual(new Set([401]));
    const response = await attempt();
    expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([429, true]);
  });
});

describe('logout', () => {
  test('logout ends the session on the server and removes the cookie', async () => {
    const cookie = cookieOf(await post('/v1/auth/login', credentials()));
    const response = await post('/v1/auth/logout', undefined, { Cookie: cookie });
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(response.headers.getSetCookie()[0]).toMatch(/^SERVICESESSIONID=; Path=\/; Max-Age=0/);
    expect(await live(cookie)).toBe(false);
  });

  test('logout without a session, or with two session cookies, ends no session', async () => {
    const cookie = cookieOf(await post('/v1/auth/login', credentials()));
    expect((await post('/v1/auth/logout')).status).toBe(204);
    const response = await post('/v1/auth/logout', undefined, {
      Cookie: `${cookie}; SERVICESESSIONID=other`,
    });
    expect(response.status).toBe(204);
    expect(await live(cookie)).toBe(true);
  });
});

describe('a new user', () => {
  test('a new user sets name and password once, and can log in', async () => {
    const { email, initToken } = await addPendingUser(ground);
    const password = 'a rather long password';
    const body = { acceptTnC: true, additional: { name: 'Grace', password }, initToken };
    const refused = await post('/v1/auth/init-user', { ...body, acceptTnC: false });
    expect(await problemOf(refused)).toMatchObject({ status: 400, errors: [{ pointer: '/acceptTnC' }] });
    const response = await post('/v1/auth/init-user', body);
    expect([response.status, await response.json()]).toEqual([200, { email }]);
    expect((await post('/v1/auth/login', { username: email, password })).status).toBe(200);
    const again = await problemOf(await post('/v1/auth/init-user', body));
    expect(again).toMatchObject({ status: 400, errors: [{ pointer: '/initToken' }] });
  });
});

describe('identities/authenticate', () => {
  const ask = async (body: unknown, headers: Record<string, string> = ground.caller.headers) =>
    await post('/v1/identities/authenticate', body, headers);

  test('identities/authenticate checks user name and password without starting a session', async () => {
    const { email, password } = user;
    for (const body of [
      { credentials: 'password', username: email, password },
      { credentials: 'password', username: { value: email }, password: { value: password }, more: 1 },
    ]) {
      const response = await ask(body);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ serviceId: user.serviceId });
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(response.headers.get('deprecation')).toMatch(/^@\d+$/);
      expect(response.headers.get('link')).toContain('rel="deprecation"');
    }
  });

  test('identities/authenticate requires the application token', async () => {
    const { email, password } = user;
    expect((await ask({ credentials: 'password', username: email, password }, {})).status).toBe(401);
  });

  test('identities/authenticate refuses other kinds of credentials', async () => {
    const problem = await problemOf(await ask({ credentials: 'saml', username: 'x', password: 'y' }));
    expect(problem).toMatchObject({ status: 400, errors: [{ pointer: '/credentials' }] });
  });
});
