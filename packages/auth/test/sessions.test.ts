import { Secret } from '@ledger-ops/base';
import { describeDialects } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { expectProblem, install } from '../src/testing/index.ts';
import { addUser, codeFor, codeForm, pkce, redirectUri } from './users.ts';

const minute = 60_000;

describeDialects('sessions', (open, { dialect, locate }) => {
  it("every login starts a new session and ends the browser's previous one, to prevent session fixation", async () => {
    const here = await install(await open());
    const { auth, store } = here;
    const [user, other] = [await addUser(here), await addUser(here)];
    const planted = new Secret(`ses_${'A'.repeat(43)}`);
    const { session } = await user.login({ previous: planted });
    expect(session.reveal()).not.toBe(planted.reveal());
    expect(await auth.sessionOf(planted)).toBeNull();
    const attackers = (await other.login()).session;
    const { session: victims } = await user.login({ previous: attackers });
    expect(await auth.sessionOf(attackers)).toBeNull();
    expect(await auth.sessionOf(victims)).toMatchObject({ serviceId: user.serviceId });
    const rows = await store.read.all('select * from session');
    expect(JSON.stringify(rows)).not.toContain(victims.reveal());
  });

  it('a logout ends the session and its unused codes on every server, but no other session', async () => {
    const at = await locate();
    const here = await install(await open(at));
    const second = await here.server(dialect === 'postgres' ? await open(at) : here.store);
    const { auth, change } = here;
    const tenant = await here.tenant('Tenant');
    await change((tx) => auth.setRedirectUris(tx, tenant.app.uid, [redirectUri]));
    const user = await addUser(here);
    const [{ session }, { session: phone }] = [await user.login(), await user.login()];
    for (const server of [auth, second]) expect(await server.sessionOf(session)).not.toBeNull();
    const { verifier, challenge } = pkce();
    const [used, unused] = [
      await codeFor(here, tenant, session, challenge),
      await codeFor(here, tenant, session, challenge),
    ];
    const token = new Secret((await auth.issueToken(codeForm(tenant, used, verifier))).access_token);

    await auth.logout(session);
    for (const server of [auth, second]) {
      expect(await server.sessionOf(session)).toBeNull();
      expect(await server.sessionOf(phone)).not.toBeNull();
      await expect(server.issueToken(codeForm(tenant, unused, verifier))).rejects.toThrow('code is unknown');
      // Access tokens stay valid until they expire.
      await expect(server.authenticate(tenant.app.token, token)).resolves.toBeDefined();
    }
    await auth.logout(session);
    await auth.logout(new Secret('never heard of'));
  });

  it('a session ends after half an hour without use, and twelve hours after the login', async () => {
    const here = await install(await open());
    const { auth, clock, server } = here;
    const user = await addUser(here);
    const { session: idle } = await user.login();
    const { session: busy, expiresAt } = await user.login();
    const second = await server();
    clock.ms += 29 * minute;
    for (const each of [auth, second]) expect(await each.sessionOf(busy)).not.toBeNull();
    clock.ms += minute;
    expect(await auth.sessionOf(idle)).toBeNull();
    expect(await auth.sessionOf(busy)).not.toBeNull();
    // The session is used on one server only. The other server must know of these uses.
    for (let i = 0; i < 3; i += 1) {
      clock.ms += 20 * minute;
      expect(await auth.sessionOf(busy)).not.toBeNull();
    }
    expect(await second.sessionOf(busy)).not.toBeNull();
    while (clock.ms + 20 * minute < expiresAt) {
      clock.ms += 20 * minute;
      expect(await auth.sessionOf(busy)).not.toBeNull();
    }
    clock.ms = expiresAt;
    expect(await auth.sessionOf(busy)).toBeNull();
  });

  it('disabling an identity ends its sessions, and enabling does not restore them', async () => {
    const here = await install(await open());
    const { auth, change } = here;
    const user = await addUser(here);
    const { session } = await user.login();
    expect(await auth.sessionOf(session)).not.toBeNull();
    for (const status of ['DISABLED', 'ENABLED'] as const) {
      await change((tx) => auth.setIdentityStatus(tx, user.serviceId, status));
      expect(await auth.sessionOf(session)).toBeNull();
    }
    await expect(user.login()).resolves.toBeDefined();
  });

  it('finds no session for a malformed or unknown session secret', async () => {
    const { auth } = await install(await open());
    for (const text of ['', 'x', `ses_${'A'.repeat(43)}`, 'x'.repeat(100_000)]) {
      expect(await auth.sessionOf(new Secret(text))).toBeNull();
    }
    expect(await auth.sessionOf(undefined)).toBeNull();
  });

  it('the sweep deletes expired sessions, authorization codes and login throttles', async () => {
    const here = await install(await open());
    const { auth, change, clock, store } = here;
    const tenant = await here.tenant('Tenant');
    await change((tx) => auth.setRedirectUris(tx, tenant.app.uid, [redirectUri]));
    const user = await addUser(here);
    const { session } = await user.login();
    await codeFor(here, tenant, session, pkce().challenge);
    const count = async () => {
      const tables = ['session', 'authorization_code', 'login_throttle'];
      return await Promise.all(
        tables.map(async (table) => (await store.read.all(`select 1 as one from ${table}`)).length),
      );
    };
    expect(await count()).toEqual([1, 1, 2]);
    clock.ms += 31 * 24 * 60 * minute;
    // `login` also runs the sweep. What remains is the new session and the two throttle rows of this login.
    await user.login();
    expect(await count()).toEqual([1, 0, 2]);
    clock.ms += 31 * 24 * 60 * minute;
    await auth.sweep();
    expect(await count()).toEqual([0, 0, 0]);
  });

  it('the session cookie cannot be read by scripts or used by other sites', async () => {
    const store = await open();
    const { auth, server } = await install(store);
    const session = new Secret('ses_value');
    expect(auth.sessionCookie(session)).toBe(
      'SERVICESESSIONID=ses_value; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure',
    );
    expect(auth.endedSessionCookie()).toBe(
      'SERVICESESSIONID=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
    );
    const secure = async (baseUrl: string) =>
      (await server(store, { baseUrl })).sessionCookie(session).includes('Secure');
    expect(await secure('http://127.0.0.1:8080')).toBe(false);
    expect(await secure('http://localhost:8080')).toBe(false);
    expect(await secure('http://ledger.example')).toBe(true);
    expect(await secure('https://localhost')).toBe(true);
  });

  it('a form needs a token for its session and purpose, and must come from an origin of the service', async () => {
    const here = await install(await open());
    const { auth, clock, server } = here;
    const user = await addUser(here);
    const [{ session }, { session: other }] = [await user.login(), await user.login()];
    const token = auth.csrfToken(session, 'logout');
    expect(auth.csrfToken(session, 'logout')).not.toBe(token);
    for (const each of [auth, await server()]) each.demandCsrfToken(session, 'logout', token);
    const changed = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
    const refused: [Secret, string, string | undefined][] = [
      [other, 'logout', token],
      [session, 'login', token],
      [session, 'logout', undefined],
      [session, 'logout', ''],
      [session, 'logout', changed],
      [session, 'logout', `${token}A`],
    ];
    for (const [binding, purpose, given] of refused) {
      await expectProblem((async () => auth.demandCsrfToken(binding, purpose, given))(), 'not-permitted');
    }
    clock.ms += 2 * 60 * minute;
    await expectProblem((async () => auth.demandCsrfToken(session, 'logout', token))(), 'not-permitted');

    const from = (origin: string | undefined, secFetchSite: string | undefined) => async () =>
      auth.demandOwnOrigin({ origin, secFetchSite }, ['https://console.example']);
    const own = [
      from('https://ledger.example', 'same-origin'),
      from('https://console.example', 'cross-site'),
      from(undefined, 'same-origin'),
      from(undefined, 'none'),
      from(undefined, undefined),
    ];
    for (const request of own) await request();
    const foreign = [
      from('https://evil.example', 'cross-site'),
      from('https://evil.example', undefined),
      from('null', 'cross-site'),
      from('http://ledger.example', undefined),
      from('https://ledger.example.evil.example', undefined),
      from('', undefined),
      from(undefined, 'cross-site'),
      from(undefined, 'same-site'),
    ];
    for (const request of foreign) await expectProblem(request(), 'not-permitted');
  });
});
