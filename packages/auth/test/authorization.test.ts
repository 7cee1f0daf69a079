import { Problem, Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { decodeJwt } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import { type Auth, AuthorizationError, type AuthorizationErrorCode } from '../src/index.ts';
import {
  expectOAuthError,
  expectProblem,
  type Installation,
  install,
  type Tenant,
} from '../src/testing/index.ts';
import { addUser, codeForm, pkce, redirectUri, requestOf, type User } from './users.ts';

describeStores('the authorization endpoint', (open) => {
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
  const refused = async (changes: Record<string, string | null>, code: AuthorizationErrorCode) => {
    const error = await auth.authorization.read(requestOf(tenant, challenge, changes)).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof AuthorizationError))
      throw new TypeError(`not refused: ${JSON.stringify(changes)}`);
    expect(error.code).toBe(code);
    return error;
  };

  it("an application with a user's token has the permissions of the user's roles", async () => {
    const request = await auth.authorization.read(requestOf(tenant, challenge));
    expect(request).toMatchObject({
      app: { appId: tenant.app.appId, name: 'Tenant' },
      redirectUri,
      state: 'state-1',
    });
    const target = await auth.authorization.approve(
      request,
      session,
      auth.authorization.csrfToken(request, session),
    );
    // The registered URI's query is kept; code, state and issuer follow (RFC 9207).
    expect(target.startsWith(`${redirectUri}&code=cod_`)).toBe(true);
    const answered = new URL(target).searchParams;
    expect([answered.get('state'), answered.get('iss')]).toEqual(['state-1', 'https://ledger.example']);
    const form = codeForm(tenant, answered.get('code') ?? '', verifier);
    const response = await auth.issueToken(form, tenant.app.token);
    expect(response).toEqual({
      access_token: expect.any(String),
      expires_in: 3_600,
      token_type: 'Bearer',
      refresh_token: expect.stringMatching(/^rft_/),
    });
    expect(decodeJwt(response.access_token)).toMatchObject({
      sub: user.serviceId,
      client_id: tenant.app.appId,
      cred: expect.stringMatching(/^code:/),
    });
    const principal = await auth.authenticate(tenant.app.token, new Secret(response.access_token));
    expect(principal).toMatchObject({
      serviceId: user.serviceId,
      identityType: 'USER',
      appId: tenant.app.appId,
      projectUid: tenant.projectUid,
    });
    const may = async () => (await auth.decide(principal, ['wallet:transact'], tenant.projectUid)).result;
    expect(await may()).toBe(false);
    const grant = {
      holder: { identity: user.serviceId },
      role: 'transactor',
      resourceUid: tenant.projectUid,
    };
    await here.change((tx) => auth.assignRole(tx, grant));
    expect(await may()).toBe(true);
    await here.change((tx) => auth.revokeRole(tx, grant));
  });

  it('the timeline records each login of a user, and the consent once', async () => {
    const request = await auth.authorization.read(requestOf(tenant, challenge));
    const other = await addUser(here);
    const { session: theirs } = await other.login();
    const csrf = auth.authorization.csrfToken(request, theirs);
    await auth.authorization.approve(request, theirs, csrf);
    await auth.authorization.approve(request, theirs, csrf);
    const rows = await here.store.read.all(
      'select action, identity, target_object from timeline where resource_uid = $1 order by uid',
      [other.serviceId],
    );
    const identity = other.serviceId;
    expect(rows.slice(-2)).toEqual([
      { action: 'login', identity, target_object: '' },
      { action: 'consent', identity, target_object: tenant.app.appId },
    ]);
  });

  it('does not redirect if the redirect URI does not belong to the application', async () => {
    const wrong: Record<string, string | null>[] = [
      { client_id: null },
      { client_id: '' },
      { redirect_uri: null },
      { redirect_uri: '' },
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: 'https://app.example/callback' },
      { redirect_uri: `${redirectUri}&more=1` },
      { redirect_uri: `${redirectUri}/` },
      { redirect_uri: redirectUri.toUpperCase() },
      { redirect_uri: 'https://app.example/x/../callback?from=ledger' },
      { redirect_uri: 'https://app.example@evil.example/callback?from=ledger' },
      { redirect_uri: 'http://127.0.0.1:8401/cb' },
      { redirect_uri: '//evil.example' },
      { redirect_uri: 'javascript:alert(1)' },
    ];
    for (const changes of wrong) {
      expect((await refused(changes, 'invalid_request')).redirectTo).toBeNull();
    }
    expect((await refused({ client_id: 'nobody' }, 'invalid_request')).redirectTo).toBeNull();
    for (const name of ['client_id', 'redirect_uri']) {
      const twice = requestOf(tenant, challenge);
      twice.append(name, twice.get(name) ?? '');
      await expect(auth.authorization.read(twice)).rejects.toMatchObject({
        code: 'invalid_request',
        redirectTo: null,
      });
    }
  });

  it('reports an invalid response type or a repeated parameter to the redirect URI, with state and issuer', async () => {
    const cases: [Record<string, string | null>, AuthorizationErrorCode][] = [
      [{ response_type: null }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_type: 'code token' }, 'unsupported_response_type'],
      [{ response_mode: 'fragment' }, 'invalid_request'],
    ];
    for (const [changes, name] of cases) {
      const { redirectTo } = await refused(changes, name);
      expect(redirectTo?.startsWith(`${redirectUri}&error=${name}&`)).toBe(true);
      const answered = new URL(redirectTo ?? '').searchParams;
      expect([answered.get('state'), answered.get('iss')]).toEqual(['state-1', 'https://ledger.example']);
      expect(answered.get('code')).toBeNull();
    }
    for (const name of ['response_type', 'code_challenge', 'code_challenge_method', 'state']) {
      const twice = requestOf(tenant, challenge);
      twice.append(name, 'other');
      await expect(auth.authorization.read(twice)).rejects.toMatchObject({
        code: 'invalid_request',
        redirectTo: expect.stringContaining(redirectUri),
      });
    }
  });

  it('requires PKCE with S256, and refuses plain, a missing method and a short challenge', async () => {
    const cases: Record<string, string | null>[] = [
      { code_challenge_method: 'plain' },
      { code_challenge_method: null },
      { code_challenge_method: 's256' },
      { code_challenge: null },
      { code_challenge: 'short' },
      { code_challenge: `${challenge}A` },
      { code_challenge: `${challenge.slice(1)}=` },
      { code_challenge: null, code_challenge_method: null },
    ];
    for (const changes of cases) {
      expect((await refused(changes, 'invalid_request')).redirectTo).toContain(redirectUri);
    }
  });

  it('returns the state parameter unchanged, but does not require it', async () => {
    const answer = async (state: string | null) => {
      const request = await auth.authorization.read(requestOf(tenant, challenge, { state }));
      const token = auth.authorization.csrfToken(request, session);
      return new URL(await auth.authorization.approve(request, session, token)).searchParams.get('state');
    };
    const strange = ' &=?#%00 "<script>ä🙂\r\nSet-Cookie: x';
    expect(await answer(strange)).toBe(strange);
    expect(await answer(null)).toBeNull();
    await refused({ state: 'x'.repeat(2_001) }, 'invalid_request');
  });

  it('asks for consent once per application, and reports a refusal', async () => {
    const other = await addUser(here);
    const { session: fresh } = await other.login();
    const request = await auth.authorization.read(requestOf(tenant, challenge));
    expect(await auth.authorization.hasConsent(request, other.serviceId)).toBe(false);
    expect(await auth.authorization.resume(request, fresh)).toBeNull();
    const token = auth.authorization.csrfToken(request, fresh);
    const denied = new URL(auth.authorization.deny(request, fresh, token)).searchParams;
    expect([denied.get('error'), denied.get('state'), denied.get('iss')]).toEqual([
      'access_denied',
      'state-1',
      'https://ledger.example',
    ]);
    expect(await auth.authorization.resume(request, fresh)).toBeNull();
    await auth.authorization.approve(request, fresh, token);
    expect(await auth.authorization.resume(request, fresh)).toContain('code=cod_');
    // Any program could listen on loopback and impersonate this application.
    const loopback = requestOf(tenant, challenge, { redirect_uri: 'http://127.0.0.1:8400/cb' });
    expect(await auth.authorization.resume(await auth.authorization.read(loopback), fresh)).toBeNull();
    const elsewhere = await auth.authorization.read(requestOf(stranger, challenge));
    expect(await auth.authorization.resume(elsewhere, fresh)).toBeNull();
  });

  it('accepts consent only from its own form, for the same request, in a live session', async () => {
    const { authorization } = auth;
    const request = await authorization.read(requestOf(tenant, challenge));
    const changed = await authorization.read(requestOf(tenant, pkce().challenge));
    const { session: other } = await (await addUser(here)).login();
    const attempts: [Secret, string | undefined][] = [
      [session, undefined],
      [session, 'AAAA'],
      [session, authorization.csrfToken(changed, session)],
      [session, authorization.csrfToken(request, other)],
      [session, auth.csrfToken(session, 'logout')],
    ];
    for (const [secret, token] of attempts) {
      await expectProblem(authorization.approve(request, secret, token), 'not-permitted');
      await expectProblem((async () => authorization.deny(request, secret, token))(), 'not-permitted');
    }
    const token = authorization.csrfToken(request, other);
    await auth.logout(other);
    await expectProblem(authorization.approve(request, other, token), 'login-failed');
    await expectProblem(authorization.resume(request, other), 'login-failed');
  });

  it('registers only redirect URIs that use https, or http on loopback', async () => {
    const set = (uris: string[]) => here.change((tx) => auth.setRedirectUris(tx, stranger.app.uid, uris));
    const good = [
      'http://127.0.0.1:1/cb',
      'http://[::1]:8080/',
      'http://localhost/cb',
      'https://a.example',
      'https://a.example/cb?x=1',
    ];
    await set([...good, ...good]);
    expect(await auth.redirectUris(stranger.app.uid)).toEqual(good);
    const bad = [
      'http://a.example/cb',
      'https://a.example/cb#part',
      'https://user@a.example/cb',
      'https://user:word@a.example/cb',
      'https://*.example/cb',
      'https://',
      'https:a.example',
      'https://a.example\\@evil.example',
      'https://a.example/\r\nX: y',
      'https://ä.example/',
      'javascript:alert(1)',
      'data:text/html,x',
      'com.example:/cb',
      '/cb',
      '',
      `https://a.example/${'x'.repeat(2_000)}`,
    ];
    for (const uri of bad) await expectProblem(set([uri]), 'invalid-request');
    await expectProblem(
      set(Array.from({ length: 21 }, (_, i) => `https://a.example/${i}`)),
      'invalid-request',
    );
    expect(await auth.redirectUris(stranger.app.uid)).toEqual(good);
    await expectProblem(
      here.change((tx) => auth.setRedirectUris(tx, 'nothing', [])),
      'not-found',
    );
    await set([redirectUri]);
  });

  it('accepts any port of a loopback address registered without a port, but only the registered port of other URIs', async () => {
    const uris = ['http://127.0.0.1/cb', 'http://[::1]/cb', 'http://localhost/cb', 'https://a.example/cb'];
    await here.change((tx) => auth.setRedirectUris(tx, stranger.app.uid, uris));
    const read = async (redirect_uri: string) =>
      (await auth.authorization.read(requestOf(stranger, challenge, { redirect_uri }))).redirectUri;
    for (const uri of ['http://127.0.0.1:49152/cb', 'http://[::1]:1/cb', ...uris]) {
      expect(await read(uri)).toBe(uri);
    }
    for (const uri of [
      ...['http://localhost:49152/cb', 'https://a.example:49152/cb', 'https://127.0.0.1:1/cb'],
      ...['http://127.0.0.1:49152/cb2', 'http://127.0.0.1:80@evil.example/cb', 'http://127.0.0.1:/cb'],
      ...['http://127.0.0.2:1/cb', 'http://127.0.0.1:1:2/cb', 'http://127.0.0.1:1/x/../cb'],
    ]) {
      await expect(read(uri), uri).rejects.toThrow('redirect_uri is not exactly');
    }
    await here.change((tx) => auth.setRedirectUris(tx, stranger.app.uid, [redirectUri]));
  });

  it('publishes the metadata of RFC 8414, with absolute URLs from the configuration', async () => {
    const methods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];
    expect(auth.metadata()).toEqual({
      issuer: 'https://ledger.example',
      authorization_endpoint: 'https://ledger.example/v1/auth/authorize',
      token_endpoint: 'https://ledger.example/v1/auth/token',
      jwks_uri: 'https://ledger.example/.well-known/jwks.json',
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: methods,
      token_endpoint_auth_signing_alg_values_supported: ['RS256'],
      revocation_endpoint: 'https://ledger.example/v1/auth/revoke',
      revocation_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(auth.keySetMaxAge).toBe(300);
  });

  it('authorization errors do not contain any part of the request', async () => {
    const errors = [
      await refused({ redirect_uri: 'https://marker.example/' }, 'invalid_request'),
      await refused({ response_type: 'marker' }, 'unsupported_response_type'),
      await expectOAuthError(auth.issueToken(codeForm(tenant, 'marker', verifier)), 'invalid_grant'),
    ];
    for (const error of errors) {
      expect(String(error.stack)).not.toContain('marker');
      expect(error).not.toBeInstanceOf(Problem);
    }
  });
});
