import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUser, addWebApp, formsOf, openBrowser, pkce, type TestUser } from '../access/users.ts';
import { baseUrl, type Ground, makeServer, openGround, problemOf, sendBody } from '../stage/harness.ts';

const redirectUri = 'https://client.example/callback';
const sessionCookie = 'SERVICESESSIONID';
let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

test('if a request names a session, it must be a valid session of the caller', async () => {
  const client = await addWebApp(ground, 'web', [redirectUri]);
  const { app, runtime } = makeServer(ground);

  /** Logs a user in with the authorization code grant; returns the access token and the browser's session. */
  async function logIn(user: TestUser) {
    const browser = openBrowser((path, init) => app.request(path, init), baseUrl);
    const { verifier, challenge } = pkce();
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: client.appId, redirect_uri: redirectUri },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    });
    const [login] = formsOf(await (await browser.get(`/v1/auth/authorize?${query}`)).text());
    const credentials = { username: user.email, password: user.password };
    const asked = await browser.submit(login?.action ?? '', { ...login?.fields, ...credentials });
    const [decision] = formsOf(await (await browser.get(asked.headers.get('location') ?? '')).text());
    const agreed = await browser.submit(decision?.action ?? '', { ...decision?.fields, decision: 'approve' });
    const code = new URL(agreed.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const token = await app.request('/v1/auth/token', {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', client_id: client.appId, redirect_uri: redirectUri },
        ...{ code, code_verifier: verifier },
      }),
    });
    const { access_token } = (await token.json()) as { access_token: string };
    return { access_token, session: browser.cookies.get(sessionCookie) ?? '' };
  }

  const [ada, bob] = [await logIn(await addUser(ground)), await logIn(await addUser(ground))];
  const send = (serviceSession: string | null) =>
    app.request('/v1/gateway/actions', {
      method: 'POST',
      headers: {
        ApplicationToken: client.applicationToken,
        Authorization: `Bearer ${ada.access_token}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(sendBody({ serviceSession })),
    });
  for (const session of [ada.session, '', null]) expect((await send(session)).status).toBe(201);
  for (const session of [bob.session, 'never-was']) {
    const answer = await send(session);
    expect(answer.status).toBe(403);
    expect((await problemOf(answer)).errors).toMatchObject([{ pointer: '/serviceSession' }]);
  }
  await app.request('/v1/auth/logout', {
    method: 'POST',
    headers: { Cookie: `${sessionCookie}=${ada.session}` },
  });
  expect((await send(ada.session)).status).toBe(403);
  expect(runtime.sent).toHaveLength(3);
});
