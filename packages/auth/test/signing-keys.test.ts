import { randomBytes } from 'node:crypto';
import { createMasterKey, SealError, Secret } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { describeDialects } from '@ledger-ops/store/testing';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { type Auth, createAuth } from '../src/index.ts';
import { expectProblem, install } from '../src/testing/index.ts';

const kids = async (auth: Auth) => (await auth.keySet()).keys.map(({ kid }) => kid);
const kidOf = (token: Secret) => decodeProtectedHeader(token.reveal()).kid;

describeDialects('signing keys', (open, { dialect, locate }) => {
  it('published signing keys let anyone verify an access token', async () => {
    const { auth, clock, tenant } = await install(await open());
    const bearer = await (await tenant('Tenant')).bearer();
    const set = await auth.keySet();
    expect(set.keys).toEqual([
      {
        kty: 'RSA',
        use: 'sig',
        alg: 'RS256',
        kid: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        n: expect.stringMatching(/^[A-Za-z0-9_-]{342}$/),
        e: 'AQAB',
      },
    ]);
    const verified = await jwtVerify(bearer.reveal(), createLocalJWKSet(set), {
      algorithms: ['RS256'],
      issuer: 'https://ledger.example',
      audience: 'https://ledger.example',
      typ: 'at+jwt',
      currentDate: new Date(clock.ms),
    });
    expect(verified.payload.exp).toBe(clock.ms / 1_000 + 3_600);
  });

  it('a rotated signing key stays published until its last token expires, and no longer', async () => {
    const { auth, clock, tenant } = await install(await open());
    const someone = await tenant('Tenant');
    const [first] = await kids(auth);
    clock.ms += 1_000;
    const before = await someone.bearer();
    await auth.rotateSigningKey();
    const [second, ...others] = await kids(auth);
    expect(second).not.toBe(first);
    expect(others).toEqual([first]);
    const after = await someone.bearer();
    expect([kidOf(before), kidOf(after)]).toEqual([first, second]);
    for (const bearer of [before, after]) await auth.authenticate(someone.app.token, bearer);

    clock.ms += 3_599_000;
    await auth.authenticate(someone.app.token, before);
    expect(await kids(auth)).toContain(first);
    clock.ms += 120_000;
    await expectProblem(auth.authenticate(someone.app.token, before), 'access-token-invalid');
    expect(await kids(auth)).toEqual([second]);
  });

  it("retiring a signing key erases the private part immediately, and the row after the key's tokens have expired", async () => {
    const { auth, clock, store } = await install(await open());
    const [first] = await kids(auth);
    clock.ms += 1_000;
    await auth.rotateSigningKey();
    const rows = () =>
      store.read.all<{ kid: string; sealed_private: Uint8Array }>(
        'select kid, sealed_private from signing_key order by created_at',
      );
    const [old, current] = await rows();
    expect([old?.kid, old?.sealed_private.length]).toEqual([first, 0]);
    expect(current?.sealed_private.length).toBeGreaterThan(1_000);
    clock.ms += 2 * 3_600_000;
    await auth.rotateSigningKey();
    expect((await rows()).map(({ kid }) => kid)).not.toContain(first);
  });

  it('all servers on one database immediately share signing keys', async () => {
    const at = await locate();
    const here = await install(await open(at));
    const other: Store = dialect === 'postgres' ? await open(at) : here.store;
    const second = await here.server(other);
    expect(await kids(second)).toEqual(await kids(here.auth));
    const tenant = await here.tenant('Tenant');
    here.clock.ms += 1_000;
    await second.rotateSigningKey();
    const bearer = await tenant.bearer();
    expect(kidOf(bearer)).toBe((await kids(second))[0]);
    await second.authenticate(tenant.app.token, bearer);
    await here.auth.authenticate(tenant.app.token, bearer);
  });

  it('servers that start concurrently create one signing key', async () => {
    const at = await locate();
    const store = await open(at);
    const stores = dialect === 'postgres' ? [store, await open(at), await open(at)] : [store, store, store];
    const masterKey = createMasterKey(randomBytes(32));
    const config = { baseUrl: 'https://ledger.example' };
    const servers = await Promise.all(stores.map((each) => createAuth({ store: each, masterKey, config })));
    const sets = await Promise.all(servers.map(kids));
    expect(sets[0]).toHaveLength(1);
    expect(new Set(sets.flat()).size).toBe(1);
  });

  it('an old signing key is renewed once, even if many requests need it at the same time', async () => {
    const { auth, clock, tenant } = await install(await open(), { signingKeyLifetime: 86_400 });
    const someone = await tenant('Tenant');
    const [first] = await kids(auth);
    clock.ms += 86_399_000;
    expect(kidOf(await someone.bearer())).toBe(first);
    clock.ms += 1_000;
    const bearers = await Promise.all(Array.from({ length: 5 }, () => someone.bearer()));
    const [second, ...others] = await kids(auth);
    expect(others).toEqual([first]);
    expect(new Set(bearers.map(kidOf))).toEqual(new Set([second]));
  });

  it('signing keys removed from the database are not trusted, even for tokens that were accepted before', async () => {
    const { auth, change, tenant } = await install(await open());
    const someone = await tenant('Tenant');
    const bearer = await someone.bearer();
    await auth.authenticate(someone.app.token, bearer);
    await change(async (tx) => {
      await tx.run('delete from signing_key');
      await tx.run("update counter set value = value + 1 where name = 'access'");
    });
    await expectProblem(auth.authenticate(someone.app.token, bearer), 'access-token-invalid');
    await auth.authenticate(someone.app.token, await someone.bearer());
  });

  it('a server with another master key refuses to start', async () => {
    const { store, config } = await install(await open());
    const starting = createAuth({ store, config, masterKey: createMasterKey(randomBytes(32)) });
    await expect(starting).rejects.toBeInstanceOf(SealError);
    await expect(starting).rejects.toThrow('Start the server with the master key');
  });

  it('tokens are valid for the configured lifetime', async () => {
    const { auth, clock, tenant } = await install(await open(), { accessTokenLifetime: 60 });
    const someone = await tenant('Tenant');
    const response = await auth.issueToken(someone.form());
    expect(response.expires_in).toBe(60);
    clock.ms += 60_000;
    await expectProblem(
      auth.authenticate(someone.app.token, new Secret(response.access_token)),
      'access-token-invalid',
    );
  });
});
