import { Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, expect, it } from 'vitest';
import type { Auth } from '../src/index.ts';
import {
  expectOAuthError,
  expectProblem,
  type Installation,
  install,
  type Tenant,
} from '../src/testing/index.ts';
import { addUser, codeFor, codeForm, pkce, redirectUri, requestOf, type User, wrong } from './users.ts';

describeStores('an authorization code', (open) => {
  let here: Installation;
  let auth: Auth;
  let tenant: Tenant;
  let stranger: Tenant;
  let user: User;
  let session: Secret;
  beforeAll(async () => {
    here = await install(await open());
    auth = here.auth;
    tenant = await here.tenant('Tenant');
    stranger = await here.tenant('Stranger');
    await here.change(async (tx) => {
      await auth.setRedirectUris(tx, tenant.app.uid, [redirectUri, 'http://127.0.0.1:8400/cb']);
      await auth.setRedirectUris(tx, stranger.app.uid, [redirectUri]);
    });
    user = await addUser(here);
    ({ session } = await user.login());
  });
  const { verifier, challenge } = pkce();
  const code = () => codeFor(here, tenant, session, challenge);

  it('refuses a wrong, changed, missing or malformed verifier, and uses up the code', async () => {
    for (const wrong of [pkce().verifier, challenge, `${verifier}A`, 'short', `${'ä'.repeat(43)}`]) {
      const issued = await code();
      await expectOAuthError(auth.issueToken(codeForm(tenant, issued, wrong)), 'invalid_grant');
      await expectOAuthError(auth.issueToken(codeForm(tenant, issued, verifier)), 'invalid_grant');
    }
    const error = await expectOAuthError(
      auth.issueToken(codeForm(tenant, await code(), '')),
      'invalid_request',
    );
    expect(error.message).toContain('code_verifier');
  });

  it('reports which field of a code grant is missing', async () => {
    for (const name of ['code', 'redirect_uri', 'client_id', 'code_verifier']) {
      const form = codeForm(tenant, 'cod_x', verifier, { [name]: null });
      expect((await expectOAuthError(auth.issueToken(form), 'invalid_request')).message).toContain(name);
    }
  });

  it('refuses a redirect URI that differs from the one in the authorization request, even if it is registered', async () => {
    for (const other of ['http://127.0.0.1:8400/cb', `${redirectUri}&x=1`, 'https://evil.example/']) {
      const form = codeForm(tenant, await code(), verifier, { redirect_uri: other });
      await expectOAuthError(auth.issueToken(form), 'invalid_grant');
    }
  });

  it('refuses an authorization code that another application presents', async () => {
    const form = codeForm(tenant, await code(), verifier, { client_id: stranger.app.appId });
    await expectOAuthError(auth.issueToken(form), 'invalid_grant');
    await expectOAuthError(
      auth.issueToken(codeForm(tenant, await code(), verifier), stranger.app.token),
      'invalid_client',
    );
    await expectOAuthError(
      auth.issueToken(codeForm(tenant, await code(), verifier, { client_id: 'nobody' })),
      'invalid_client',
    );
  });

  it('binds a code to the application with its redirect URI if several have the same appId', async () => {
    const own = 'https://twin.example/callback';
    const twin = await here.change(async (tx) => {
      const { projectUid, app } = stranger;
      const made = await auth.createApp(tx, { projectUid, name: 'Twin', appId: tenant.app.appId });
      await auth.setRedirectUris(tx, made.uid, [own, redirectUri]);
      return { ...app, uid: made.uid, appId: made.appId, token: await auth.issueAppToken(tx, made.uid) };
    });
    const read = async (changes: object) =>
      (await auth.authorization.read(requestOf(tenant, challenge, { ...changes }))).app.appUid;
    expect(await read({ redirect_uri: own })).toBe(twin.uid);
    // A new application does not take over another application's redirect URI.
    expect(await read({})).toBe(tenant.app.uid);
    expect(await read({ client_id: twin.uid })).toBe(twin.uid);

    const { access_token } = await auth.issueToken(codeForm(tenant, await code(), verifier));
    const token = new Secret(access_token);
    expect((await auth.authenticate(tenant.app.token, token)).appUid).toBe(tenant.app.uid);
    await expectProblem(auth.authenticate(twin.token, token), 'application-mismatch');
    await expectOAuthError(
      auth.issueToken(codeForm(tenant, await code(), verifier), twin.token),
      'invalid_grant',
    );
    // Disabled, because the other tests use the appId and expect one application.
    await here.change((tx) => auth.setAppStatus(tx, twin.uid, 'DISABLED'));
  });

  it('refuses an authorization code after 60 seconds', async () => {
    const { clock } = here;
    const [inTime, late] = [await code(), await code()];
    const start = clock.ms;
    try {
      clock.ms = start + 59_999;
      await expect(auth.issueToken(codeForm(tenant, inTime, verifier))).resolves.toBeDefined();
      clock.ms = start + 60_000;
      await expectOAuthError(auth.issueToken(codeForm(tenant, late, verifier)), 'invalid_grant');
    } finally {
      clock.ms = start;
    }
  });

  it('a second use of a code revokes the code’s tokens on every server', async () => {
    const second = await here.server();
    const issued = await code();
    const token = new Secret((await auth.issueToken(codeForm(tenant, issued, verifier))).access_token);
    for (const server of [auth, second]) await server.authenticate(tenant.app.token, token);
    // The attacker does not even need the verifier.
    await expectOAuthError(second.issueToken(codeForm(tenant, issued, pkce().verifier)), 'invalid_grant');
    for (const server of [auth, second]) {
      await expectProblem(server.authenticate(tenant.app.token, token), 'access-token-invalid');
    }
  });

  it('refuses a code whose session ended while the code was issued', async () => {
    const { session: ending } = await user.login();
    const issued = await codeFor(here, tenant, ending, challenge);
    // As after a logout between the session check and the issue of the code, only the session is deleted.
    const owner = await auth.sessionOf(ending);
    await here.change((tx) => tx.run('delete from session where id = $1', [owner?.sessionId ?? '']));
    await expectOAuthError(auth.issueToken(codeForm(tenant, issued, verifier)), 'invalid_grant');
  });

  it('concurrent uses of a code yield at most one token, and the token is revoked', async () => {
    const issued = await code();
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, () => auth.issueToken(codeForm(tenant, issued, verifier))),
    );
    const tokens = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    expect(tokens).toHaveLength(1);
    for (const { access_token } of tokens) {
      await expectProblem(
        auth.authenticate(tenant.app.token, new Secret(access_token)),
        'access-token-invalid',
      );
    }
  });

  it('stores codes only as hashes, and refuses unknown codes', async () => {
    const issued = await code();
    const rows = await here.store.read.all('select * from authorization_code');
    expect(JSON.stringify(rows)).not.toContain(issued);
    expect(issued).toMatch(/^cod_[A-Za-z0-9_-]{43}$/);
    for (const unknown of ['x', `cod_${'A'.repeat(43)}`, 'x'.repeat(100_000)]) {
      await expectOAuthError(auth.issueToken(codeForm(tenant, unknown, verifier)), 'invalid_grant');
    }
  });

  it('refuses the codes of a disabled identity or application, and the tokens issued for these codes', async () => {
    const someone = await addUser(here);
    const { session: theirs } = await someone.login();
    const [used, unused] = [
      await codeFor(here, tenant, theirs, challenge),
      await codeFor(here, tenant, theirs, challenge),
    ];
    const token = new Secret((await auth.issueToken(codeForm(tenant, used, verifier))).access_token);
    await here.change((tx) => auth.setIdentityStatus(tx, someone.serviceId, 'DISABLED'));
    await expectProblem(auth.authenticate(tenant.app.token, token), 'access-token-invalid');
    await expectOAuthError(auth.issueToken(codeForm(tenant, unused, verifier)), 'invalid_grant');
    await here.change((tx) => auth.setIdentityStatus(tx, someone.serviceId, 'ENABLED'));
    await expect(auth.authenticate(tenant.app.token, token)).resolves.toBeDefined();

    const late = await code();
    await here.change((tx) => auth.setAppStatus(tx, tenant.app.uid, 'DISABLED'));
    try {
      await expect(auth.authorization.read(requestOf(tenant, challenge))).rejects.toMatchObject({
        code: 'invalid_request',
        redirectTo: null,
      });
      await expectOAuthError(auth.issueToken(codeForm(tenant, late, verifier)), 'invalid_client');
      await expectProblem(auth.authenticate(tenant.app.token, token), 'application-token-invalid');
    } finally {
      await here.change((tx) => auth.setAppStatus(tx, tenant.app.uid, 'ENABLED'));
    }
  });

  it('refuses tokens of an identity locked by an administrator, but not by failed logins', async () => {
    const someone = await addUser(here);
    const { session: theirs } = await someone.login();
    const issued = await codeFor(here, tenant, theirs, challenge);
    const token = new Secret((await auth.issueToken(codeForm(tenant, issued, verifier))).access_token);
    for (let i = 0; i < 10; i += 1) {
      await expectProblem(someone.login({ password: wrong, source: 'stranger' }), 'login-failed');
    }
    // A server with an empty cache.
    const fresh = await here.server();
    for (const server of [auth, fresh]) {
      await expect(server.authenticate(tenant.app.token, token)).resolves.toBeDefined();
    }
    await here.change(async (tx) => {
      await auth.setIdentityStatus(tx, someone.serviceId, 'DISABLED');
      await tx.run("update identity set status = 'LOCKED' where service_id = $1", [someone.serviceId]);
    });
    for (const server of [auth, fresh]) {
      await expectProblem(server.authenticate(tenant.app.token, token), 'access-token-invalid');
      expect(await server.sessionOf(theirs)).toBeNull();
    }
  });

  it("refuses a user's token with another application's ApplicationToken", async () => {
    const token = new Secret((await auth.issueToken(codeForm(tenant, await code(), verifier))).access_token);
    await expectProblem(auth.authenticate(stranger.app.token, token), 'application-mismatch');
  });
});
