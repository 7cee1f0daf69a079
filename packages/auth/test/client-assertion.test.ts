import { createHmac, generateKeyPairSync } from 'node:crypto';
import { Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { decodeJwt, importPKCS8, SignJWT } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import type { Auth, KeyFile } from '../src/index.ts';
import {
  expectOAuthError,
  expectProblem,
  formOf,
  type Installation,
  install,
  type Tenant,
} from '../src/testing/index.ts';

const endpoint = 'https://ledger.example/v1/auth/token';
const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

describeStores('a client assertion', (open) => {
  let here: Installation;
  let auth: Auth;
  let tenant: Tenant;
  let stranger: Tenant;
  let file: KeyFile;
  let strangers: KeyFile;
  let serial = 0;
  const keyFor = async ({ account }: Tenant) => {
    const prepared = await auth.prepareKey(['test']);
    const { serviceId } = account;
    return await here.change((tx) => auth.generateKey(tx, { serviceId, generatedBy: serviceId, prepared }));
  };
  beforeAll(async () => {
    here = await install(await open());
    auth = here.auth;
    tenant = await here.tenant('Tenant');
    stranger = await here.tenant('Stranger');
    file = await keyFor(tenant);
    strangers = await keyFor(stranger);
  });
  const seconds = () => Math.floor(here.clock.ms / 1_000);

  /** Uses only jose between the key file and the request, like any standard client. */
  const sign = async (
    claims: Record<string, unknown> = {},
    header: Record<string, unknown> = {},
    key: KeyFile = file,
  ) => {
    serial += 1;
    const all = {
      iss: key.accountId,
      sub: key.accountId,
      aud: endpoint,
      exp: seconds() + 60,
      iat: seconds(),
      jti: `id-${serial}`,
      ...claims,
    };
    const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    return await new SignJWT(present)
      .setProtectedHeader({ alg: 'RS256', kid: String(key.keyId), ...header })
      .sign(await importPKCS8(key.privateKey.reveal(), 'RS256'));
  };
  const ask = (assertion: string, changes: Record<string, string | null> = {}) =>
    auth.issueToken(
      formOf({
        grant_type: 'client_credentials',
        client_id: tenant.app.appId,
        client_assertion_type: jwtBearer,
        client_assertion: assertion,
        ...changes,
      }),
    );
  const refused = async (assertion: string, changes?: Record<string, string | null>) =>
    await expectOAuthError(ask(assertion, changes), 'invalid_client');

  it('issues an access token for a client assertion signed with jose and a key file', async () => {
    expect(file.tokenUri).toBe(endpoint);
    const { access_token, expires_in, token_type } = await ask(await sign());
    expect([expires_in, token_type]).toEqual([3_600, 'Bearer']);
    expect(decodeJwt(access_token)).toMatchObject({
      sub: tenant.account.serviceId,
      client_id: tenant.app.appId,
      cred: `key:${file.keyId}`,
    });
    const principal = await auth.authenticate(tenant.app.token, new Secret(access_token));
    expect(principal).toMatchObject({ serviceId: tenant.account.serviceId, identityType: 'SERVICE' });
  });

  it('accepts every allowed audience, issuer, type and lifetime of a client assertion, with or without a kid', async () => {
    const clientId = tenant.app.appId;
    for (const assertion of [
      await sign({ aud: 'https://ledger.example' }),
      await sign({ aud: ['https://elsewhere.example', endpoint] }),
      await sign({ iss: clientId, sub: clientId }),
      await sign({ sub: clientId }),
      await sign({}, { kid: undefined }),
      await sign({ exp: seconds() + 300 }),
      await sign({}, { typ: 'client-authentication+jwt' }),
    ]) {
      await expect(ask(assertion)).resolves.toBeDefined();
    }
    await expect(ask(await sign(), { service_account: file.accountId })).resolves.toBeDefined();
  });

  it('refuses a client assertion with alg none, or with HS256 and the public key as secret', async () => {
    const [record] = await auth.listKeys(tenant.account.serviceId);
    const [, claims] = (await sign()).split('.');
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const kid = String(file.keyId);
    for (const alg of ['none', 'None', 'nOnE']) await refused(`${encode({ alg, kid })}.${claims}.`);
    const head = `${encode({ alg: 'HS256', kid })}.${claims}`;
    const signature = createHmac('sha256', record?.publicKey ?? '')
      .update(head)
      .digest('base64url');
    await refused(`${head}.${signature}`);
  });

  it('refuses a client assertion signed with a foreign or unknown key, regardless of its kid', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = new Secret(String(privateKey.export({ format: 'pem', type: 'pkcs8' })));
    const forged: KeyFile = { ...file, privateKey: pem };
    await refused(await sign({}, {}, forged));
    await refused(await sign({}, { kid: undefined }, forged));
    for (const kid of ['999999', '-1', '', 'x', '__proto__', "1' or '1'='1", '1e0', '9'.repeat(400)]) {
      await refused(await sign({}, { kid }));
    }
    // The stranger's key authenticates only the stranger.
    const id = tenant.account.accountId;
    await refused(await sign({ iss: id, sub: id }, {}, strangers));
    await refused(await sign({ iss: id, sub: id }, { kid: String(file.keyId) }, strangers));
    await refused(await sign({ iss: id, sub: id }, { kid: undefined }, strangers));
    await expect(
      ask(await sign({}, {}, strangers), { client_id: stranger.app.appId }),
    ).resolves.toBeDefined();
  });

  it('refuses a client assertion with a wrong audience, issuer or subject', async () => {
    const wrong: Record<string, unknown>[] = [
      { aud: 'https://other.example' },
      { aud: `${endpoint}/` },
      { aud: [] },
      { aud: undefined },
      { iss: 'nobody' },
      { sub: 'nobody' },
      { sub: stranger.account.accountId },
      { iss: tenant.app.appId },
      { iss: undefined },
      { sub: undefined },
      { sub: 7 },
      { iss: stranger.app.appId, sub: stranger.app.appId },
    ];
    for (const claims of wrong) await refused(await sign(claims));
    const clientId = tenant.app.appId;
    await refused(await sign({ iss: clientId, sub: clientId }, { kid: undefined }));
    await refused(await sign({ sub: clientId }, { kid: undefined }));
    await refused(await sign(), { service_account: stranger.account.accountId });
  });

  it('refuses a client assertion that is expired, not yet valid, or valid for more than five minutes', async () => {
    const now = seconds();
    const wrong: Record<string, unknown>[] = [
      { exp: now },
      { exp: now - 1 },
      { exp: now + 600 },
      { exp: now + 301 },
      { exp: 1e300 },
      { exp: undefined },
      { exp: '2099' },
      { nbf: now + 60 },
    ];
    for (const claims of wrong) await refused(await sign(claims));
  });

  it('explains what is wrong with a client assertion only if its signature is valid', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = new Secret(String(privateKey.export({ format: 'pem', type: 'pkcs8' })));
    const unknown = (await refused(await sign({}, {}, { ...file, privateKey: pem }))).message;
    await ask(await sign({ jti: 'told' }));
    const told: [Record<string, unknown>, string][] = [
      [{ exp: seconds() + 301 }, 'more than 300 seconds'],
      [{ exp: seconds() - 60 }, 'expired'],
      [{ jti: 'told' }, 'jti was already used'],
      [{ jti: undefined }, 'the claim jti is missing'],
      [{ aud: 'https://other.example' }, 'aud must be'],
      [{ nbf: seconds() + 60 }, 'not valid yet'],
      [{ sub: 'nobody' }, 'iss and sub must be'],
    ];
    for (const [claims, words] of told) {
      expect((await refused(await sign(claims))).message).toContain(words);
      expect((await refused(await sign(claims, {}, { ...file, privateKey: pem }))).message).toBe(unknown);
    }
    // The key proves an account that may not use the application, so nothing about the application is
    // disclosed.
    expect((await refused(await sign({}, {}, strangers))).message).toBe(unknown);
  });

  it('refuses a replayed jti, even concurrently or on another server, but accepts the same jti from another account', async () => {
    const assertion = await sign({ jti: 'once' });
    const second = await here.server();
    const form = formOf({
      grant_type: 'client_credentials',
      client_id: tenant.app.appId,
      client_assertion_type: jwtBearer,
      client_assertion: assertion,
    });
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? auth : second).issueToken(form)),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await refused(assertion);
    await refused(await sign({ jti: 'once', exp: seconds() + 120 }));
    const theirs = await sign({ jti: 'once' }, {}, strangers);
    await expect(ask(theirs, { client_id: stranger.app.appId })).resolves.toBeDefined();
    await refused(await sign({ jti: undefined }));
    await refused(await sign({ jti: '' }));
    await refused(await sign({ jti: 'x'.repeat(256) }));
  });

  it('stores a client assertion exactly as long as it could be replayed', async () => {
    const { clock, store } = here;
    const start = clock.ms;
    const assertion = await sign({ jti: 'kept', exp: seconds() + 300 });
    await ask(assertion);
    const count = async () => (await store.read.all('select key from client_assertion')).length;
    try {
      clock.ms = start + 299_000;
      await auth.sweep();
      await refused(assertion);
      clock.ms = start + 361_000;
      await auth.sweep();
      expect(await count()).toBe(0);
      await refused(assertion);
    } finally {
      clock.ms = start;
    }
  });

  it('refuses a client assertion and the tokens issued for it after its key or account is disabled', async () => {
    const { change } = here;
    const token = new Secret((await ask(await sign())).access_token);
    const show = () => auth.authenticate(tenant.app.token, token);
    await show();
    const { serviceId } = tenant.account;
    const switches = [
      (status: 'ENABLED' | 'DISABLED') =>
        change((tx) => auth.setKeyStatus(tx, serviceId, file.keyId, status)),
      (status: 'ENABLED' | 'DISABLED') => change((tx) => auth.setIdentityStatus(tx, serviceId, status)),
    ];
    for (const set of switches) {
      await set('DISABLED');
      await expectProblem(show(), 'access-token-invalid');
      await refused(await sign());
      await refused(await sign({}, { kid: undefined }));
      await set('ENABLED');
      await expect(show()).resolves.toBeDefined();
      await expect(ask(await sign())).resolves.toBeDefined();
    }
  });

  it('refuses a client assertion that is sent with a client secret, has a wrong type, or is not a JWT', async () => {
    const assertion = await sign();
    await expectOAuthError(
      ask(assertion, { client_secret: tenant.account.apiToken.reveal() }),
      'invalid_request',
    );
    await expectOAuthError(ask(assertion, { client_assertion_type: null }), 'invalid_request');
    await expectOAuthError(ask(assertion, { client_assertion_type: 'saml' }), 'invalid_request');
    await expectOAuthError(ask('', {}), 'invalid_request');
    for (const text of [
      'x',
      'a.b.c',
      'e30.e30.e30',
      '..',
      `${assertion}.x`,
      `${assertion}A`,
      'x'.repeat(9_000),
    ]) {
      await refused(text);
    }
    await refused(await sign(), { client_id: 'nobody' });
    await expect(ask(assertion)).resolves.toBeDefined();
  });

  it('if several accounts have the same id, a client assertion authenticates the one whose key signed it', async () => {
    const { app, projectUid } = stranger;
    const twin = await here.change((tx) =>
      auth.createServiceAccount(tx, {
        accountId: file.accountId,
        projectUid,
        name: 'Twin',
        createdBy: stranger.account.serviceId,
      }),
    );
    const key = await keyFor({ ...stranger, account: { ...stranger.account, ...twin } });
    const speaker = async (assertion: string, clientId: string) =>
      decodeJwt((await ask(assertion, { client_id: clientId })).access_token).sub;
    for (const header of [{}, { kid: undefined }]) {
      const jti = `shared-${Object.keys(header).length}`;
      expect(await speaker(await sign({ jti }, header), tenant.app.appId)).toBe(tenant.account.serviceId);
      // Using up an assertion of one account does not use up an assertion of the other account.
      expect(await speaker(await sign({ jti }, header, key), app.appId)).toBe(twin.serviceId);
    }
    await refused(await sign({}, {}, key));
  });

  it("a client assertion does not give access to another project's application", async () => {
    await expectOAuthError(ask(await sign(), { client_id: stranger.app.appId }), 'invalid_client');
  });

  it("stores only the public part of a client's keys, and lists them with their status", async () => {
    const { change, store } = here;
    const second = await keyFor(tenant);
    const rows = JSON.stringify(await store.read.all('select * from service_account_key'));
    expect(rows).not.toContain('PRIVATE');
    expect(JSON.stringify(second)).not.toContain('PRIVATE');
    const { serviceId } = tenant.account;
    const disabled = await change((tx) => auth.setKeyStatus(tx, serviceId, second.keyId, 'DISABLED'));
    expect(disabled).toEqual({
      keyId: second.keyId,
      serviceId,
      publicKey: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
      publicKeyFormat: 'SPKI_PEM',
      privateKeyFormat: 'PKCS8_PEM',
      status: 'DISABLED',
      generatedBy: serviceId,
      createdAt: here.clock.ms,
      updatedAt: here.clock.ms,
    });
    const ids = async (status?: 'ENABLED' | 'DISABLED') =>
      (await auth.listKeys(serviceId, status)).map(({ keyId }) => keyId);
    expect(await ids()).toEqual([file.keyId, second.keyId]);
    expect(await ids('ENABLED')).toEqual([file.keyId]);
    expect(await ids('DISABLED')).toEqual([second.keyId]);
    await expectProblem(
      change((tx) => auth.setKeyStatus(tx, stranger.account.serviceId, second.keyId, 'ENABLED')),
      'not-found',
    );
    const prepared = await auth.prepareKey(['test']);
    await expectProblem(
      change((tx) => auth.generateKey(tx, { serviceId: 'nobody', generatedBy: serviceId, prepared })),
      'not-found',
    );
  });
});
