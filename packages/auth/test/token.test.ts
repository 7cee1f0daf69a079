import { Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import { expectOAuthError, formOf, type Installation, install, type Tenant } from '../src/testing/index.ts';

describeStores('the token endpoint', (open) => {
  let here: Installation;
  let tenant: Tenant;
  let stranger: Tenant;
  beforeAll(async () => {
    here = await install(await open());
    tenant = await here.tenant('Tenant');
    stranger = await here.tenant('Stranger');
  });
  const ask = (changes: Record<string, string | null>) => here.auth.issueToken(tenant.form(changes));

  it('issues a bearer token as described by RFC 9068 for an API token', async () => {
    const { auth, clock } = here;
    const response = await auth.issueToken(tenant.form());
    expect(response).toEqual({ access_token: expect.any(String), expires_in: 3_600, token_type: 'Bearer' });
    const [key] = (await auth.keySet()).keys;
    expect(decodeProtectedHeader(response.access_token)).toEqual({
      alg: 'RS256',
      typ: 'at+jwt',
      kid: key?.kid,
    });
    expect(decodeJwt(response.access_token)).toEqual({
      iss: 'https://ledger.example',
      aud: 'https://ledger.example',
      sub: tenant.account.serviceId,
      client_id: tenant.app.appId,
      app: tenant.app.uid,
      cred: `api-token:${tenant.account.handle}`,
      iat: clock.ms / 1_000,
      exp: clock.ms / 1_000 + 3_600,
      jti: expect.any(String),
    });
  });

  it('every access token has its own id', async () => {
    const [a, b] = [await ask({}), await ask({})];
    expect(decodeJwt(a.access_token).jti).not.toBe(decodeJwt(b.access_token).jti);
  });

  it("accepts the client's ApplicationToken, and refuses the ApplicationToken of another client", async () => {
    await expect(here.auth.issueToken(tenant.form(), tenant.app.token)).resolves.toBeDefined();
    await expectOAuthError(here.auth.issueToken(tenant.form(), stranger.app.token), 'invalid_client');
    await expectOAuthError(here.auth.issueToken(tenant.form(), new Secret('app_no')), 'invalid_client');
  });

  it.each(['grant_type', 'client_id', 'service_account', 'client_secret'])(
    'the error names the field %s if it is missing or empty',
    async (name) => {
      for (const value of [null, '']) {
        const error = await expectOAuthError(ask({ [name]: value }), 'invalid_request');
        expect(error.message).toContain(name);
      }
    },
  );

  it('ignores unknown fields, as RFC 6749 requires', async () => {
    await expect(ask({ scope: 'everything', colour: 'blue' })).resolves.toBeDefined();
  });

  it('refuses an unknown grant type', async () => {
    await expectOAuthError(ask({ grant_type: 'password' }), 'unsupported_grant_type');
  });

  it('does not disclose whether application, account or secret is wrong', async () => {
    const wrong = [
      { client_id: 'nobody' },
      { service_account: 'nobody' },
      { client_secret: `sak_${'A'.repeat(43)}` },
      { client_secret: 'x' },
      { service_account: stranger.account.accountId },
      { client_secret: stranger.account.apiToken.reveal() },
    ];
    const bodies = await Promise.all(
      wrong.map(async (changes) => (await expectOAuthError(ask(changes), 'invalid_client')).toBody()),
    );
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  });

  it("reports which credential is wrong only to callers that present the application's token", async () => {
    const unknown = new Secret(`app_${'A'.repeat(43)}`);
    const reasonOf = async (changes: Record<string, string>, token: Secret) =>
      (await expectOAuthError(here.auth.issueToken(tenant.form(changes), token), 'invalid_client')).toBody()
        .reason;
    const wrongSecret = { client_secret: `sak_${'A'.repeat(43)}` };
    // Without a valid application token, the account's credential makes no difference.
    for (const changes of [{}, wrongSecret, { client_id: 'nobody' }, { service_account: 'nobody' }])
      expect(await reasonOf(changes, unknown)).toBe('application');
    expect(await reasonOf({ client_id: stranger.app.appId }, tenant.app.token)).toBe('application');
    for (const changes of [wrongSecret, { client_secret: 'x' }, { service_account: 'nobody' }])
      expect(await reasonOf(changes, tenant.app.token)).toBe('account');
    expect(await reasonOf({ client_id: stranger.app.appId }, stranger.app.token)).toBe('role');
  });

  it("refuses an account at another project's application until it has a role on that project or an ancestor", async () => {
    const { auth, change } = here;
    const at = (client: Tenant) => auth.issueToken(tenant.form({ client_id: client.app.appId }));
    await expectOAuthError(at(stranger), 'invalid_client');
    const holder = { identity: tenant.account.serviceId };
    for (const resourceUid of [stranger.projectUid, stranger.organizationUid]) {
      const grant = { holder, role: 'viewer', resourceUid };
      await change((tx) => auth.assignRole(tx, grant));
      await expect(at(stranger)).resolves.toBeDefined();
      await change((tx) => auth.revokeRole(tx, grant));
      await expectOAuthError(at(stranger), 'invalid_client');
    }
  });

  it('refuses a disabled API token, identity or application with the same error, and accepts it when enabled again', async () => {
    const { auth, change } = here;
    const { account, app } = tenant;
    for (const set of [
      (status: 'ENABLED' | 'DISABLED') => change((tx) => auth.setApiTokenStatus(tx, account.handle, status)),
      (status: 'ENABLED' | 'DISABLED') =>
        change((tx) => auth.setIdentityStatus(tx, account.serviceId, status)),
      (status: 'ENABLED' | 'DISABLED') => change((tx) => auth.setAppStatus(tx, app.uid, status)),
    ]) {
      await set('DISABLED');
      await expectOAuthError(ask({}), 'invalid_client');
      await set('ENABLED');
      await expect(ask({})).resolves.toBeDefined();
    }
  });

  it('accepts each of several API tokens of one account', async () => {
    const { auth, change } = here;
    const second = await change((tx) => auth.createApiToken(tx, tenant.account.serviceId));
    const response = await ask({ client_secret: second.apiToken.reveal() });
    expect(decodeJwt(response.access_token).cred).toBe(`api-token:${second.handle}`);
    await change((tx) => auth.setApiTokenStatus(tx, second.handle, 'DISABLED'));
    await expectOAuthError(ask({ client_secret: second.apiToken.reveal() }), 'invalid_client');
    await expect(ask({})).resolves.toBeDefined();
  });

  it('token errors do not contain any part of the request', async () => {
    const error = await expectOAuthError(
      here.auth.issueToken(
        formOf({
          grant_type: 'client_credentials',
          client_id: 'marker-1',
          service_account: 'marker-2',
          client_secret: 'marker-3',
        }),
      ),
      'invalid_client',
    );
    expect(JSON.stringify(error.toBody()) + String(error.stack)).not.toContain('marker');
  });
});
