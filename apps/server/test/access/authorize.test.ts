import { createHash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { baseUrl, type Ground, makeServer, openGround, type TestCaller } from '../stage/harness.ts';
import { addUser, addWebApp, type Browser, formsOf, openBrowser, pkce, type TestUser } from './users.ts';

const redirectUri = 'https://client.example/callback?from=ledger';
let ground: Ground;
let user: TestUser;
let client: TestCaller;
beforeAll(async () => {
  ground = await openGround();
  user = await addUser(ground);
  client = await addWebApp(ground, 'web', [redirectUri, 'http://[::1]:8400/cb']);
});
afterAll(() => ground.close());

const path = '/v1/auth/authorize';
const open = (): Browser => {
  const { app } = makeServer(ground);
  return openBrowser((target, init) => app.request(target, init), baseUrl);
};
const requestPath = (changes: Record<string, string | null> = {}) => {
  const all = {
    response_type: 'code',
    client_id: client.appId,
    redirect_uri: redirectUri,
    code_challenge: pkce().challenge,
    code_challenge_method: 'S256',
    state: 'a & "b"',
    ...changes,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  return `${path}?${new URLSearchParams(given)}`;
};
const locationOf = (response: Response) => {
  expect(response.status).toBe(303);
  return response.headers.get('location') ?? '';
};
/** Submits the only form of the login page with the person's name and password. */
const logIn = async (browser: Browser, at = requestPath(), person = user) => {
  const [form] = formsOf(await (await browser.get(at)).text());
  if (form === undefined) throw new TypeError('no login form');
  const fields = { ...form.fields, username: person.email, password: person.password };
  return { response: await browser.submit(form.action, fields), form, fields };
};
const consent = async (browser: Browser, at = requestPath(), person = user) => {
  const page = await (await browser.get(locationOf((await logIn(browser, at, person)).response))).text();
  const [decision, other] = formsOf(page);
  if (decision === undefined || other === undefined) throw new TypeError('no consent forms');
  return { page, decision, other };
};

describe('the pages', () => {
  test('the pages ask for login, then consent, then redirect with code, state and issuer', async () => {
    const browser = open();
    const { page, decision } = await consent(browser);
    expect(page).toContain('Allow web to act for you?');
    const target = new URL(
      locationOf(await browser.submit(decision.action, { ...decision.fields, decision: 'approve' })),
    );
    expect(target.href.startsWith(`${redirectUri}&code=cod_`)).toBe(true);
    expect(target.searchParams.get('state')).toBe('a & "b"');
    expect(target.searchParams.get('iss')).toBe(baseUrl);
    // The user has already consented, so no page is shown.
    expect(locationOf(await browser.get(requestPath()))).toContain('code=cod_');
  });

  test('refusing consent redirects to the application with an error', async () => {
    const person = await addUser(ground);
    const browser = open();
    const at = requestPath();
    const login = await logIn(browser, at, person);
    const page = await (await browser.get(locationOf(login.response))).text();
    const [decision] = formsOf(page);
    const fields = { ...decision?.fields, decision: 'deny' };
    const target = new URL(locationOf(await browser.submit(path, fields)));
    expect(target.searchParams.get('error')).toBe('access_denied');
    expect(target.searchParams.get('state')).toBe('a & "b"');
  });

  test('the pages have labels, one heading and a landmark, and no scripts or content of other sites', async () => {
    const person = await addUser(ground);
    const browser = open();
    const login = await browser.get(requestPath());
    const loginPage = await login.text();
    const consentResponse = await browser.get(
      locationOf((await logIn(browser, requestPath(), person)).response),
    );
    const consentPage = await consentResponse.text();
    for (const [response, page] of [
      [login, loginPage],
      [consentResponse, consentPage],
    ] as const) {
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page).not.toMatch(/<script|<link|<img|\son\w+=|style="|url\(|@import|javascript:/i);
      expect(page.match(/<h1>/g)).toHaveLength(1);
      expect(page).toContain('<main>');
      expect(page).toContain('<html lang="en">');
      for (const [, id = ''] of page.matchAll(/<input type="(?:text|email|password)" id="([^"]+)"/g)) {
        expect(page).toContain(`<label for="${id}">`);
      }
      const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
      const hash = createHash('sha256').update(style).digest('base64');
      expect(response.headers.get('content-security-policy')).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self' https://client.example; frame-ancestors 'none'; base-uri 'none'`,
      );
      expect(response.headers.get('x-frame-options')).toBe('DENY');
      // With no-referrer a browser sends its forms with "Origin: null".
      expect(response.headers.get('referrer-policy')).toBe('same-origin');
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
    expect(consentPage).toContain('Ada &lt;b&gt;Lovelace&lt;/b&gt;');
  });

  test('for a redirect URI with an IPv6 address, the content security policy allows the scheme, not the address', async () => {
    const response = await open().get(requestPath({ redirect_uri: 'http://[::1]:8400/cb' }));
    expect(response.headers.get('content-security-policy')).toContain("form-action 'self' http:;");
  });

  test('a wrong password shows the page again with an accessible error and only the name filled in', async () => {
    const browser = open();
    const [form] = formsOf(await (await browser.get(requestPath())).text());
    const fields = { ...form?.fields, username: 'x"><b>@example.com', password: 'wrong secret' };
    const response = await browser.submit(`${path}/login`, fields);
    expect(response.status).toBe(401);
    const page = await response.text();
    expect(page).toContain(
      '<p class="error" id="error" role="alert">The e-mail address or the password is wrong.</p>',
    );
    expect(page.match(/aria-invalid="true" aria-describedby="error"/g)).toHaveLength(2);
    expect(page).toContain('value="x&quot;&gt;&lt;b&gt;@example.com"');
    expect(page).not.toContain('wrong secret');
    // Submits the form of that page.
    const [again] = formsOf(page);
    const filled = { ...again?.fields, username: user.email, password: user.password };
    expect(locationOf(await browser.submit(`${path}/login`, filled))).toMatch(/^\/v1\/auth\/authorize\?/);
  });

  test('the consent page lets another person sign in', async () => {
    const person = await addUser(ground);
    const browser = open();
    const { other } = await consent(browser, requestPath(), person);
    expect((await browser.submit(other.action, { ...other.fields, csrf: 'x' })).status).toBe(403);
    const back = locationOf(await browser.submit(other.action, other.fields));
    expect(await (await browser.get(back)).text()).toContain('<h1>Sign in</h1>');
    expect(browser.cookies.has('SERVICESESSIONID')).toBe(false);
  });

  test('if the session ends during consent, the login page is shown again', async () => {
    const person = await addUser(ground);
    const browser = open();
    const { decision } = await consent(browser, requestPath(), person);
    browser.cookies.delete('SERVICESESSIONID');
    const response = await browser.submit(path, { ...decision.fields, decision: 'approve' });
    expect([response.status, (await response.text()).includes('<h1>Sign in</h1>')]).toEqual([200, true]);
  });
});

describe('requests that must fail', () => {
  test.each([
    ['another address', { redirect_uri: 'https://evil.example/' }],
    ['a longer address', { redirect_uri: `${redirectUri}&x=1` }],
    ['a prefix of the address', { redirect_uri: 'https://client.example/callback' }],
    ['a network-path', { redirect_uri: '//evil.example' }],
    ['no address', { redirect_uri: null }],
    ['an unknown application', { client_id: 'nobody' }],
  ])('an authorization request with %s gets an error page and no redirect', async (_what, changes) => {
    const response = await open().get(requestPath(changes));
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    const page = await response.text();
    expect(page).toContain('This link does not work');
    expect(page).toContain('Go back to the application that sent you here, and sign in again.');
  });

  test.each(['99999', '65536', '00000065536'])(
    'an authorization request with the loopback port %s gets no redirect',
    async (port) => {
      const app = await addWebApp(ground, `loopback-${port}`, ['http://127.0.0.1/cb', 'http://[::1]/cb']);
      for (const host of ['127.0.0.1', '[::1]']) {
        const changes = { client_id: app.appId, redirect_uri: `http://${host}:${port}/cb` };
        const response = await open().get(requestPath(changes));
        expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      }
    },
  );

  test.each(['', '/login', '/logout'])(
    '%s/authorize answers every refused request with a page',
    async (form) => {
      const browser = open();
      const text = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const { app } = makeServer(ground);
      const answers = await Promise.all([
        app.request(`${path}${form}?unknown=1`, { method: 'POST', headers: text, body: 'csrf=x' }),
        app.request(`${path}${form}`, { method: 'POST', headers: text, body: 'request=client_id%3D%2500' }),
        app.request(`${path}${form}`, { method: 'POST', headers: text, body: 'request=%00' }),
        browser.get(requestPath({ client_id: 'a\0' })),
        browser.get(requestPath({ redirect_uri: 'http://127.0.0.1:99999/\0' })),
      ]);
      for (const response of answers) {
        expect([response.status, response.headers.get('content-type')]).toEqual([
          400,
          'text/html; charset=utf-8',
        ]);
      }
    },
  );

  test('a forged authorization request in the login form gets 400 and no redirect', async () => {
    const browser = open();
    const { fields } = await logIn(browser);
    for (const request of [
      'https://evil.example/',
      '//evil.example',
      new URLSearchParams({ client_id: client.appId, redirect_uri: 'https://evil.example' }).toString(),
      '',
    ]) {
      const response = await browser.submit(`${path}/login`, { ...fields, request });
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    }
  });

  test('an authorization request with a PKCE method other than S256 is reported to the application as invalid', async () => {
    const target = new URL(locationOf(await open().get(requestPath({ code_challenge_method: 'plain' }))));
    expect([target.origin, target.searchParams.get('error')]).toEqual([
      'https://client.example',
      'invalid_request',
    ]);
  });

  test('a login form from another site, or without this browser’s login token, is refused', async () => {
    const browser = open();
    const { fields } = await logIn(browser);
    const submit = async (
      given: Record<string, string>,
      headers: Record<string, string> = {},
      from = browser,
    ) => {
      from.cookies.delete('SERVICESESSIONID');
      const response = await from.submit(`${path}/login`, given, headers);
      return [response.status, from.cookies.has('SERVICESESSIONID')];
    };
    expect(await submit(fields, { Origin: 'https://evil.example' })).toEqual([403, false]);
    expect(await submit(fields, { Origin: 'null' })).toEqual([403, false]);
    expect(await submit({ ...fields, csrf: '' })).toEqual([403, false]);
    // The token of the attacker's own browser is not valid in another browser.
    expect(await submit(fields, {}, open())).toEqual([403, false]);
    const other = open();
    await other.get(requestPath());
    expect(await submit(fields, {}, other)).toEqual([403, false]);
    expect(await submit(fields)).toEqual([303, true]);
  });

  test('consent is bound to the session, the application and the request that were shown', async () => {
    const person = await addUser(ground);
    const browser = open();
    const at = requestPath();
    const page = await (await browser.get(locationOf((await logIn(browser, at, person)).response))).text();
    const fields = { ...formsOf(page)[0]?.fields, decision: 'approve' } as Record<string, string>;
    const submit = async (given: Record<string, string>, headers: Record<string, string> = {}) =>
      (await browser.submit(path, given, headers)).status;
    expect(await submit(fields, { Origin: 'https://evil.example' })).toBe(403);
    expect(await submit({ ...fields, csrf: '' })).toBe(403);
    const other = requestPath({ state: 'other' }).split('?')[1] ?? '';
    expect(await submit({ ...fields, request: other })).toBe(403);
    expect(await submit({ ...fields, decision: 'x' })).toBe(400);
    const stranger = open();
    await logIn(stranger, at, await addUser(ground));
    expect((await stranger.submit(path, fields)).status).toBe(403);
    expect(await submit(fields)).toBe(303);
  });

  test('logging in creates a new session id', async () => {
    const browser = open();
    await logIn(browser);
    const first = browser.cookies.get('SERVICESESSIONID');
    browser.cookies.set('SERVICESESSIONID', 'ses_fixed');
    await logIn(browser);
    const second = browser.cookies.get('SERVICESESSIONID');
    expect(new Set([first, second, 'ses_fixed']).size).toBe(3);
  });

  test('accepts an authorization request whose state looks like a token', async () => {
    const state = `eyJhbGciOiJub25lIn0.eyJ4IjoxfQ.${'x'.repeat(43)}`;
    expect((await open().get(requestPath({ state }))).status).toBe(200);
  });
});

/** Discovers the authorization server with oauth4webapi. */
async function discover() {
  const server = makeServer(ground);
  const customFetch = (url: string, init: object): Promise<Response> =>
    Promise.resolve(server.app.request(url.replace(baseUrl, ''), init));
  const options = { [oauth.customFetch]: customFetch, [oauth.allowInsecureRequests]: true };
  const issuer = new URL(baseUrl);
  const as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' }),
  );
  const app: oauth.Client = { client_id: client.appId };
  return { server, options, as, app };
}

test('the unmodified library oauth4webapi gets a token for a user and uses it', async () => {
  const { server, options, as, app } = await discover();
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(as.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  }).toString();

  const person = await addUser(ground);
  const browser = openBrowser((target, init) => server.app.request(target, init), baseUrl);
  const { decision } = await consent(browser, url.pathname + url.search, person);
  const answer = locationOf(
    await browser.submit(decision.action, { ...decision.fields, decision: 'approve' }),
  );

  const parameters = oauth.validateAuthResponse(as, app, new URL(answer), state);
  const exchange = () =>
    oauth.authorizationCodeGrantRequest(as, app, oauth.None(), parameters, redirectUri, verifier, options);
  const token = await oauth.processAuthorizationCodeResponse(as, app, await exchange());
  const claims = await oauth.validateJwtAccessToken(
    as,
    new Request(baseUrl, { headers: { Authorization: `Bearer ${token.access_token}` } }),
    baseUrl,
    options,
  );
  expect(claims).toMatchObject({ sub: person.serviceId, client_id: client.appId });

  const use = async () =>
    (
      await server.app.request('/v1/cloud-wallet/wallets', {
        headers: {
          ApplicationToken: client.applicationToken,
          Authorization: `Bearer ${token.access_token}`,
        },
      })
    ).status;
  const before = await use();
  expect([200, 403]).toContain(before);
  // Reusing a code revokes the tokens it yielded.
  await expect(oauth.processAuthorizationCodeResponse(as, app, await exchange())).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  expect(await use()).toBe(401);
});

test('the unmodified library oauth4webapi refreshes tokens, is refused when it reuses one, and revokes tokens', async () => {
  const { server, options, as, app } = await discover();

  const begin = async (authentication: oauth.ClientAuth) => {
    const person = await addUser(ground);
    const verifier = oauth.generateRandomCodeVerifier();
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const browser = openBrowser((target, init) => server.app.request(target, init), baseUrl);
    const { decision } = await consent(browser, requestPath({ code_challenge: challenge }), person);
    const answer = await browser.submit(decision.action, { ...decision.fields, decision: 'approve' });
    const parameters = oauth.validateAuthResponse(as, app, new URL(locationOf(answer)), 'a & "b"');
    return await oauth.processAuthorizationCodeResponse(
      as,
      app,
      await oauth.authorizationCodeGrantRequest(
        ...([as, app, authentication, parameters, redirectUri, verifier, options] as const),
      ),
    );
  };
  const refresh = async (authentication: oauth.ClientAuth, { refresh_token = '' }) =>
    await oauth.processRefreshTokenResponse(
      as,
      app,
      await oauth.refreshTokenGrantRequest(as, app, authentication, refresh_token, options),
    );
  const revoke = async (authentication: oauth.ClientAuth, token: string) =>
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, app, authentication, token, options),
    );
  const use = async (token: { access_token: string }) =>
    (
      await server.app.request('/v1/identities/me', {
        headers: {
          ApplicationToken: client.applicationToken,
          Authorization: `Bearer ${token.access_token}`,
        },
      })
    ).status;

  // A public client sends the application's own secret, as Basic and in the body.
  for (const authentication of [
    oauth.None(),
    oauth.ClientSecretBasic(client.applicationToken),
    oauth.ClientSecretPost(client.applicationToken),
  ]) {
    const first = await begin(authentication);
    const second = await refresh(authentication, first);
    expect(await use(second)).toBe(200);
    await expect(refresh(authentication, first)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(refresh(authentication, second)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect([await use(first), await use(second)]).toEqual([401, 401]);

    const again = await begin(authentication);
    await revoke(authentication, again.access_token);
    expect(await use(again)).toBe(401);
    const next = await refresh(authentication, again);
    expect(await use(next)).toBe(200);
    await revoke(authentication, next.refresh_token ?? '');
    expect(await use(next)).toBe(401);
    await expect(refresh(authentication, next)).rejects.toMatchObject({ error: 'invalid_grant' });
    await revoke(authentication, 'rft_unknown');
  }
  await expect(begin(oauth.ClientSecretBasic('app_wrong'))).rejects.toMatchObject({
    cause: [{ scheme: 'basic', parameters: { realm: 'ledger-ops' } }],
    status: 401,
  });

  // A service account authenticates only by Basic.
  const account = ground.caller;
  const machine: oauth.Client = { client_id: account.appId };
  const ask = async (secret: string) =>
    await oauth.processClientCredentialsResponse(
      as,
      machine,
      await oauth.clientCredentialsGrantRequest(
        as,
        machine,
        oauth.ClientSecretBasic(secret),
        new URLSearchParams(),
        options,
      ),
    );
  const token = await ask(account.apiToken);
  expect(token.refresh_token).toBeUndefined();
  await expect(ask('sak_wrong')).rejects.toMatchObject({ status: 401, cause: [{ scheme: 'basic' }] });
});
