import { Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { decodeJwt } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import type { Auth, TokenResponse } from '../src/index.ts';
import {
  expectOAuthError,
  expectProblem,
  formOf,
  type Installation,
  install,
  type Tenant,
} from '../src/testing/index.ts';
import { addUser, client, codeFor, codeForm, pkce, redirectUri, type User } from './users.ts';

const day = 24 * 60 * 60 * 1_000;

describeStores('a refresh token', (open) => {
  let here: Installation;
  let auth: Auth;
  let tenant: Tenant;
  let stranger: Tenant;
  beforeAll(async () => {
    here = await install(await open());
    auth = here.auth;
    tenant = await here.tenant('Tenant');
    stranger = await here.tenant('Stranger');
    await here.change(async (tx) => {
      await auth.setRedirectUris(tx, tenant.app.uid, [redirectUri]);
      await auth.setRedirectUris(tx, stranger.app.uid, [redirectUri]);
    });
  });

  const { verifier, challenge } = pkce();
  interface Begun {
    readonly user: User;
    readonly session: Secret;
    readonly code: string;
    readonly first: TokenResponse;
  }
  const begin = async (): Promise<Begun> => {
    const user = await addUser(here);
    const { session } = await user.login();
    const code = await codeFor(here, tenant, session, challenge);
    return { user, session, code, first: await auth.issueToken(codeForm(tenant, code, verifier)) };
  };
  const formFor = (token: TokenResponse, changes: Record<string, string | null> = {}) =>
    formOf({
      grant_type: 'refresh_token',
      refresh_token: token.refresh_token ?? '',
      client_id: tenant.app.appId,
      ...changes,
    });
  const refresh = (token: TokenResponse, server = auth) => server.issueToken(formFor(token));
  const refused = async (token: TokenResponse, server = auth) =>
    await expectOAuthError(refresh(token, server), 'invalid_grant');
  const use = (token: TokenResponse, server = auth) =>
    server.authenticate(tenant.app.token, new Secret(token.access_token));
  const dead = async (token: TokenResponse, server = auth) =>
    await expectProblem(use(token, server), 'access-token-invalid');
  const recorded = async ({ user }: Begun) =>
    await here.store.read.all(
      `select action, target_object from timeline where resource_uid = $1
        and action in ('reuse-refresh-token', 'revoke-token')`,
      [user.serviceId],
    );

  it('a refresh token from the code grant works once, and returns its successor and an access token', async () => {
    const { first, user } = await begin();
    const second = await refresh(first);
    expect(second).toEqual({
      access_token: expect.any(String),
      expires_in: 3_600,
      token_type: 'Bearer',
      refresh_token: expect.stringMatching(/^rft_[\w-]{43}$/),
    });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(decodeJwt(second.access_token)).toMatchObject({
      sub: user.serviceId,
      client_id: tenant.app.appId,
      cred: expect.stringMatching(/^refresh:/),
    });
    const third = await refresh(second);
    for (const token of [first, second, third]) {
      await expect(use(token)).resolves.toMatchObject({ serviceId: user.serviceId });
    }
  });

  it('the grant of service accounts does not issue refresh tokens', async () => {
    expect(await auth.issueToken(tenant.form())).not.toHaveProperty('refresh_token');
  });

  it('a second use of a refresh token revokes its family on every server, and is recorded in the timeline', async () => {
    const begun = await begin();
    const { first } = begun;
    const server = await here.server();
    const second = await refresh(first);
    const third = await refresh(second, server);
    await use(third, server);
    // Any used token revokes the family, not only the previous one.
    await refused(first, server);
    for (const token of [first, second, third]) {
      for (const at of [auth, server]) await dead(token, at);
      await refused(token);
    }
    expect(await recorded(begun)).toEqual([
      { action: 'reuse-refresh-token', target_object: tenant.app.appId },
    ]);
    await server.close();
  });

  it('concurrent uses of a refresh token yield at most one successor and revoke its family', async () => {
    const { first } = await begin();
    const server = await here.server();
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => refresh(first, i % 2 === 0 ? auth : server)),
    );
    const won = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    expect(won.length).toBe(1);
    for (const token of won) {
      await dead(token);
      await refused(token, server);
    }
    await server.close();
  });

  it('a second use of the code revokes its refresh tokens', async () => {
    const { first, code } = await begin();
    const second = await refresh(first);
    await expectOAuthError(auth.issueToken(codeForm(tenant, code, verifier)), 'invalid_grant');
    await dead(first);
    await dead(second);
    await refused(second);
  });

  it('only its own application can use a refresh token, and attempts by others do not use it up', async () => {
    const { first } = await begin();
    await expectOAuthError(
      auth.issueToken(formFor(first, { client_id: stranger.app.appId })),
      'invalid_grant',
    );
    await expectOAuthError(auth.issueToken(formFor(first, { client_id: 'nobody' })), 'invalid_client');
    await expectOAuthError(auth.issueToken(formFor(first), stranger.app.token), 'invalid_client');
    await expectOAuthError(
      auth.issueToken(formFor(first, { client_secret: stranger.app.token.reveal() })),
      'invalid_client',
    );
    await expectOAuthError(
      auth.issueToken(formFor(first, { client_secret: tenant.app.token.reveal() }), stranger.app.token),
      'invalid_client',
    );
    const form = formFor(first, { client_secret: tenant.app.token.reveal() });
    await expect(auth.issueToken(form, tenant.app.token)).resolves.toBeDefined();
  });

  it('a refresh token expires after seven days without use, and thirty days after the login', async () => {
    const { clock } = here;
    const start = clock.ms;
    try {
      const [idle, busy] = [await begin(), await begin()];
      clock.ms = start + 7 * day - 1_000;
      let last = await refresh(busy.first);
      clock.ms = start + 7 * day;
      await refused(idle.first);
      for (const at of [13, 19, 25, 29.99]) {
        clock.ms = start + at * day;
        last = await refresh(last);
      }
      clock.ms = start + 30 * day;
      await refused(last);
      await auth.sweep();
      clock.ms += day;
      await auth.sweep();
      for (const table of ['refresh_token', 'refresh_family']) {
        expect(await here.store.read.all(`select * from ${table}`)).toEqual([]);
      }
    } finally {
      clock.ms = start;
    }
  });

  it('refresh tokens are stored as hashes', async () => {
    const { first } = await begin();
    const rows = JSON.stringify(await here.store.read.all('select * from refresh_token'));
    expect(rows).not.toContain(first.refresh_token);
    expect(rows).not.toContain(first.refresh_token?.slice(4, 20));
  });

  it('disabling an identity ends its refresh tokens, and enabling does not restore them', async () => {
    const { first, user } = await begin();
    await here.change((tx) => auth.setIdentityStatus(tx, user.serviceId, 'DISABLED'));
    await refused(first);
    await here.change((tx) => auth.setIdentityStatus(tx, user.serviceId, 'ENABLED'));
    await refused(first);
  });

  it('a refresh token still works for an identity that is locked after failed logins', async () => {
    const { first, user } = await begin();
    for (let i = 0; i < 10; i += 1) {
      await expectProblem(user.login({ password: new Secret('wrong'), source: 'stranger' }), 'login-failed');
    }
    await expect(refresh(first)).resolves.toBeDefined();
  });

  it('a refresh token is not used up while its application is disabled', async () => {
    const { first } = await begin();
    await here.change((tx) => auth.setAppStatus(tx, tenant.app.uid, 'DISABLED'));
    await expectOAuthError(refresh(first), 'invalid_client');
    await here.change((tx) => auth.setAppStatus(tx, tenant.app.uid, 'ENABLED'));
    await expect(refresh(first)).resolves.toBeDefined();
  });

  it('a logout ends the refresh tokens of its session, but not its access tokens', async () => {
    const begun = await begin();
    const other = await begun.user.login();
    const second = await refresh(begun.first);
    const code = await codeFor(here, tenant, other.session, challenge);
    const kept = await auth.issueToken(codeForm(tenant, code, verifier));
    await auth.logout(begun.session);
    await refused(second);
    await expect(use(second)).resolves.toBeDefined();
    await expect(refresh(kept)).resolves.toBeDefined();
  });

  it('setting a new password revokes refresh tokens and all tokens issued from them', async () => {
    const { first, user } = await begin();
    const second = await refresh(first);
    await here.change(async (tx) => {
      await auth.setIdentityStatus(tx, user.serviceId, 'DISABLED');
      await tx.run("update identity set status = 'PENDING' where service_id = $1", [user.serviceId]);
    });
    const { initToken } = await here.change((tx) => auth.createInitToken(tx, user.serviceId));
    const password = new Secret('another correct horse');
    await auth.initUser({ initToken, acceptTnC: true, additional: { name: 'User', password }, client });
    for (const token of [first, second]) {
      await dead(token);
      await refused(token);
    }
  });

  it('errors of the refresh grant do not contain any part of the request, and a guessed token has no effect', async () => {
    const guess = {
      access_token: '',
      expires_in: 0,
      token_type: 'Bearer',
      refresh_token: 'rft_marker',
    } as const;
    const error = await refused(guess);
    expect(String(error.stack)).not.toContain('marker');
    expect(
      (await expectOAuthError(auth.issueToken(formFor({ ...guess, refresh_token: '' })), 'invalid_request'))
        .message,
    ).toContain('refresh_token');
  });

  it('on every server, revoking a refresh token revokes its family, and revoking an access token revokes only that token', async () => {
    const begun = await begin();
    const second = await refresh(begun.first);
    const server = await here.server();
    await use(second, server);
    const revoke = (token: string, changes: Record<string, string | null> = {}) =>
      auth.revokeToken(formOf({ token, client_id: tenant.app.appId, ...changes }));
    await revoke(begun.first.access_token);
    for (const at of [auth, server]) {
      await dead(begun.first, at);
      await expect(use(second, at)).resolves.toBeDefined();
    }
    // Revoking a token twice is not an error.
    await revoke(begun.first.access_token, { token_type_hint: 'refresh_token' });
    const third = await refresh(second);
    // A used token revokes its family as well.
    await revoke(second.refresh_token ?? '', { token_type_hint: 'access_token' });
    for (const at of [auth, server]) for (const token of [second, third]) await dead(token, at);
    await refused(third);
    expect(await recorded(begun)).toEqual([
      { action: 'revoke-token', target_object: tenant.app.appId },
      { action: 'revoke-token', target_object: tenant.app.appId },
    ]);
    await server.close();
  });

  it('only its own application can revoke a token, and revoking an unknown token is not an error', async () => {
    const { first } = await begin();
    const revoke = (fields: Record<string, string | null>, token?: Secret) =>
      auth.revokeToken(formOf({ client_id: tenant.app.appId, ...fields }), token);
    for (const token of ['rft_unknown', 'x', 'a.b.c', `${first.access_token}x`]) await revoke({ token });
    await expectOAuthError(revoke({}), 'invalid_request');
    for (const token of [first.access_token, first.refresh_token ?? '']) {
      await expectOAuthError(revoke({ token, client_id: null }), 'invalid_request');
      await expectOAuthError(revoke({ token, client_id: 'nobody' }), 'invalid_client');
      await expectOAuthError(revoke({ token, client_id: stranger.app.appId }), 'invalid_grant');
      await expectOAuthError(revoke({ token }, stranger.app.token), 'invalid_client');
      await expectOAuthError(revoke({ token, client_secret: 'sak_wrong' }), 'invalid_client');
      await expectOAuthError(
        revoke({ token, client_secret: stranger.account.apiToken.reveal() }),
        'invalid_client',
      );
    }
    await expect(use(first)).resolves.toBeDefined();
    await expect(refresh(first)).resolves.toBeDefined();
  });

  it('a service account revokes its access token with its own secret', async () => {
    const token = await auth.issueToken(tenant.form());
    await auth.revokeToken(
      formOf({
        token: token.access_token,
        client_id: tenant.app.appId,
        client_secret: tenant.account.apiToken.reveal(),
      }),
    );
    await dead(token);
    const other = await auth.issueToken(tenant.form());
    await expect(use(other)).resolves.toBeDefined();
  });

  it('a revocation is deleted once the token has expired', async () => {
    const { clock, store } = here;
    const start = clock.ms;
    try {
      const token = await auth.issueToken(tenant.form());
      await auth.revokeToken(formOf({ token: token.access_token, client_id: tenant.app.appId }));
      clock.ms = start + 3_600_000;
      await auth.sweep();
      expect((await store.read.all('select jti from revoked_access_token')).length).toBeGreaterThan(0);
      clock.ms = start + 3_661_000;
      await auth.sweep();
      expect(await store.read.all('select jti from revoked_access_token')).toEqual([]);
    } finally {
      clock.ms = start;
    }
  });
});

describeStores('HTTP Basic', (open) => {
  let here: Installation;
  let auth: Auth;
  let tenant: Tenant;
  beforeAll(async () => {
    here = await install(await open());
    auth = here.auth;
    tenant = await here.tenant('Tenant');
    await here.change((tx) => auth.setRedirectUris(tx, tenant.app.uid, [redirectUri]));
  });
  const encoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  const basic = (id: string, secret: string) =>
    new Secret(`Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')}`);
  const own = (fields: Record<string, string | null> = {}) =>
    formOf({ grant_type: 'client_credentials', ...fields });

  it('HTTP Basic authenticates an account with client_id and API token, form-urlencoded', async () => {
    const { accountId, apiToken, serviceId } = tenant.account;
    const shown = basic(tenant.app.appId, apiToken.reveal());
    for (const form of [own(), own({ service_account: accountId }), own({ client_id: tenant.app.appId })]) {
      const { access_token } = await auth.issueToken(form, undefined, shown);
      expect(decodeJwt(access_token)).toMatchObject({ sub: serviceId });
    }
    const everyCharacter = (text: string) =>
      [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const odd = Buffer.from(`${everyCharacter(tenant.app.appId)}:${everyCharacter(apiToken.reveal())}`);
    await expect(
      auth.issueToken(own(), undefined, new Secret(`bAsIc ${odd.toString('base64')}`)),
    ).resolves.toBeDefined();
  });

  it('HTTP Basic is refused if it is malformed or has a wrong id, secret or account', async () => {
    const { appId } = tenant.app;
    const secret = tenant.account.apiToken.reveal();
    const wrong = [
      basic(appId, 'sak_wrong'),
      basic(appId, ''),
      basic('nobody', secret),
      basic('', secret),
      ...['Basic', 'Basic ', 'Basic !', 'Basic eA==', 'Basic Og==', `Basic ${'eHg6'.repeat(4_000)}`].map(
        (text) => new Secret(text),
      ),
      new Secret(`Basic ${Buffer.from('%zz:x').toString('base64')}`),
      new Secret(`Basic ${Buffer.from([0xff, 0x3a, 0x41]).toString('base64')}`),
    ];
    for (const shown of wrong) {
      const error = await auth.issueToken(own(), undefined, shown).catch((failure: unknown) => failure);
      expect(error).toMatchObject({
        code: shown.reveal() === basic(appId, '').reveal() ? 'invalid_request' : 'invalid_client',
      });
    }
    await expectOAuthError(
      auth.issueToken(own({ service_account: 'other' }), undefined, basic(appId, secret)),
      'invalid_client',
    );
  });

  it('a request with HTTP Basic is refused if it also uses another method or names another client', async () => {
    const shown = basic(tenant.app.appId, tenant.account.apiToken.reveal());
    for (const fields of [
      { client_secret: tenant.account.apiToken.reveal() },
      { client_assertion: 'x' },
      { client_assertion_type: 'x' },
      { client_id: 'other' },
    ]) {
      await expectOAuthError(auth.issueToken(own(fields), undefined, shown), 'invalid_request');
    }
  });

  it('the token endpoint ignores an Authorization header of another scheme', async () => {
    await expect(auth.issueToken(tenant.form(), undefined, new Secret('Bearer x'))).resolves.toBeDefined();
  });

  it("HTTP Basic accepts the application's own token for grants of users and for revocation", async () => {
    const { verifier, challenge } = pkce();
    const user = await addUser(here);
    const { session } = await user.login();
    const { appId, token } = tenant.app;
    const code = async () => {
      const form = codeForm(tenant, await codeFor(here, tenant, session, challenge), verifier);
      form.delete('client_id');
      return form;
    };
    for (const secret of [token.reveal(), '']) {
      const first = await auth.issueToken(await code(), undefined, basic(appId, secret));
      const form = formOf({ grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' });
      const second = await auth.issueToken(form, undefined, basic(appId, secret));
      await auth.revokeToken(formOf({ token: second.refresh_token ?? '' }), undefined, basic(appId, secret));
    }
    await expectOAuthError(auth.issueToken(await code(), undefined, basic(appId, 'app_x')), 'invalid_client');
  });
});
