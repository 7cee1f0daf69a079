import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import { expectProblem, type Installation, install, problemOf, type Tenant } from '../src/testing/index.ts';

describeStores('authentication', (open) => {
  let here: Installation;
  let tenant: Tenant;
  let stranger: Tenant;
  beforeAll(async () => {
    here = await install(await open());
    tenant = await here.tenant('Tenant');
    stranger = await here.tenant('Stranger');
  });
  const show = (bearer: Secret | undefined, application: Secret | undefined = tenant.app.token) =>
    here.auth.authenticate(application, bearer);

  it('authenticates a caller with its identity and application', async () => {
    const { projectUid, organizationUid, app, account } = tenant;
    expect(await show(await tenant.bearer())).toEqual({
      appUid: app.uid,
      appId: app.appId,
      projectUid,
      projectId: expect.any(String),
      organizationUid,
      serviceId: account.serviceId,
      identityType: 'SERVICE',
    });
    expect(await here.auth.authenticateApp(app.token)).toEqual({
      appUid: app.uid,
      appId: app.appId,
      projectUid,
      projectId: expect.any(String),
    });
  });

  it('refuses a missing, unknown or replaced application token', async () => {
    const { auth, change } = here;
    const other = await here.tenant('Rotating');
    const bearer = await other.bearer();
    for (const token of [undefined, new Secret(''), new Secret('app_unknown'), other.account.apiToken]) {
      await expectProblem(auth.authenticate(token, bearer), 'application-token-invalid');
      await expectProblem(auth.authenticateApp(token), 'application-token-invalid');
    }
    await auth.authenticate(other.app.token, bearer);
    const next = await change((tx) => auth.issueAppToken(tx, other.app.uid));
    await expectProblem(auth.authenticate(other.app.token, bearer), 'application-token-invalid');
    await expect(auth.authenticate(next, bearer)).resolves.toBeDefined();
  });

  it('accepts the previous application token until it is revoked, also at the token endpoint', async () => {
    const { auth, change } = here;
    const one = await here.tenant('Overlapping');
    const next = await change((tx) => auth.issueAppToken(tx, one.app.uid, { keepsFormer: true }));
    for (const token of [one.app.token, next]) {
      const bearer = new Secret((await auth.issueToken(one.form(), token)).access_token);
      await expect(auth.authenticate(token, bearer)).resolves.toBeDefined();
    }
    await change((tx) => auth.endFormerAppToken(tx, one.app.uid));
    await expectProblem(auth.authenticateApp(one.app.token), 'application-token-invalid');
    await expect(auth.issueToken(one.form(), one.app.token)).rejects.toThrow();
    await expect(auth.authenticateApp(next)).resolves.toMatchObject({ appUid: one.app.uid });
  });

  it('refuses an access token with the ApplicationToken of another application', async () => {
    await expectProblem(show(await tenant.bearer(), stranger.app.token), 'application-mismatch');
  });

  it('refuses a missing bearer token and strings that are not tokens', async () => {
    const ours = (await tenant.bearer()).reveal();
    for (const text of ['', 'x', 'a.b.c', `${ours}x`, `${ours}.x`, ours.slice(0, -2), 'x'.repeat(100_000)]) {
      await expectProblem(show(new Secret(text)), 'access-token-invalid');
    }
    await expectProblem(show(undefined), 'access-token-invalid');
  });

  it('refuses a token with changed content, even after accepting the original', async () => {
    const bearer = await tenant.bearer();
    await show(bearer);
    const [header, , signature] = bearer.reveal().split('.');
    const claims = { ...decodeJwt(bearer.reveal()), sub: stranger.account.serviceId };
    await expectProblem(show(new Secret(`${header}.${encode(claims)}.${signature}`)), 'access-token-invalid');
  });

  it('refuses tokens with alg none, or with HS256 and the public key as secret', async () => {
    const bearer = (await tenant.bearer()).reveal();
    const [, claims] = bearer.split('.');
    const { kid } = decodeProtectedHeader(bearer);
    for (const alg of ['none', 'None', 'nOnE']) {
      await expectProblem(
        show(new Secret(`${encode({ alg, typ: 'at+jwt', kid })}.${claims}.`)),
        'access-token-invalid',
      );
    }
    const [jwk] = (await here.auth.keySet()).keys;
    if (jwk === undefined) throw new TypeError('no key is published');
    const publicKey = createPublicKey({ key: { kty: 'RSA', n: jwk.n, e: jwk.e }, format: 'jwk' });
    for (const secret of [
      publicKey.export({ format: 'pem', type: 'spki' }),
      publicKey.export({ format: 'der', type: 'spki' }),
      JSON.stringify(jwk),
    ]) {
      const head = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${claims}`;
      const signature = createHmac('sha256', secret).update(head).digest('base64url');
      await expectProblem(show(new Secret(`${head}.${signature}`)), 'access-token-invalid');
    }
  });

  it('refuses tokens signed with foreign keys, regardless of the key id or key that they include', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const bearer = (await tenant.bearer()).reveal();
    const { kid } = decodeProtectedHeader(bearer);
    const jwk = publicKey.export({ format: 'jwk' });
    for (const header of [
      { kid: 'foreign' },
      ...(kid === undefined ? [] : [{ kid }]),
      {},
      { kid: '__proto__' },
      { jwk: { kty: 'RSA', n: String(jwk.n), e: String(jwk.e) } },
    ]) {
      const forged = await sign(decodeJwt(bearer), privateKey, header);
      await expectProblem(show(new Secret(forged)), 'access-token-invalid');
    }
  });

  it('refuses correctly signed claims that are not an access token of this service', async () => {
    const { key, kid } = await ownKey(here);
    const good = decodeJwt((await tenant.bearer()).reveal());
    await expect(show(new Secret(await sign(good, key, { kid })))).resolves.toBeDefined();
    const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([n]) => n !== name));
    const bad: Record<string, unknown>[] = [
      { ...good, iss: 'https://other.example' },
      { ...good, aud: 'https://other.example' },
      { ...good, exp: here.clock.ms / 1_000 - 1 },
      { ...good, nbf: here.clock.ms / 1_000 + 60 },
      { ...good, sub: 7 },
      ...['exp', 'iat', 'iss', 'aud', 'sub', 'client_id', 'jti', 'cred'].map(without),
    ];
    for (const claims of bad) {
      await expectProblem(show(new Secret(await sign(claims, key, { kid }))), 'access-token-invalid');
    }
    await expectProblem(show(new Secret(await sign(good, key, { kid, typ: 'JWT' }))), 'access-token-invalid');
    await expectProblem(
      show(new Secret(await sign({ ...good, cred: 'session:1' }, key, { kid }))),
      'access-token-invalid',
    );
    await expectProblem(
      show(new Secret(await sign({ ...good, sub: stranger.account.serviceId }, key, { kid }))),
      'access-token-invalid',
    );
  });

  it('refuses an expired token, even one that it accepted before', async () => {
    const { clock } = here;
    const bearer = await tenant.bearer();
    const start = clock.ms;
    try {
      await show(bearer);
      clock.ms = start + 3_599_000;
      await expect(show(bearer)).resolves.toBeDefined();
      clock.ms = start + 3_600_000;
      expect((await problemOf(show(bearer))).message).toContain('expired');
    } finally {
      clock.ms = start;
    }
  });

  it('authentication errors do not contain tokens', async () => {
    const bearer = new Secret(`${encode({ alg: 'RS256', kid: 'marker' })}.marker.marker`);
    const ours = await tenant.bearer();
    for (const call of [
      () => show(bearer),
      () => show(bearer, new Secret('app_marker')),
      () => show(ours, new Secret('app_marker')),
    ]) {
      const problem = await problemOf(call());
      expect(JSON.stringify(problem.toDocument()) + String(problem.stack)).not.toContain('marker');
      expect(problem.cause).toBeUndefined();
    }
  });
});

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function sign(claims: JWTPayload, key: KeyObject, header: Record<string, unknown>): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', ...header }).sign(key);
}

/** Returns a test key that the service trusts, to show that a valid signature is not enough. */
async function ownKey({ store, clock }: Installation): Promise<{ key: KeyObject; kid: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = 'planted';
  await store.transaction(async (tx) => {
    await tx.db
      .insert(tx.t.signingKey)
      .values({
        kid,
        publicJwk: JSON.stringify(publicKey.export({ format: 'jwk' })),
        sealedPrivate: new Uint8Array(0),
        createdAt: clock.ms,
        retiredAt: clock.ms,
      })
      .onConflictDoNothing();
    await tx.run("update counter set value = value + 1 where name = 'access'");
  });
  return { key: privateKey, kid };
}
