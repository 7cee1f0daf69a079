import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { createMasterKey, Secret } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { describeDialects } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { bootstrap, builtInRoles, createAuth, permissions, systemUid } from '../src/index.ts';
import { expectProblem, formOf, install } from '../src/testing/index.ts';

const config = { baseUrl: 'https://ledger.example' };
const token = (prefix: string) => new Secret(prefix + randomBytes(32).toString('base64url'));

describeDialects('the first start', (open, { dialect, locate }) => {
  it('the first start creates an administrator with all permissions everywhere', async () => {
    const { auth, administrator } = await install(await open());
    const { accountId, appId, applicationToken, apiToken } = administrator;
    expect(applicationToken.reveal()).toMatch(/^app_[A-Za-z0-9_-]{43}$/);
    expect(apiToken.reveal()).toMatch(/^sak_[A-Za-z0-9_-]{43}$/);
    const response = await auth.issueToken(
      formOf({
        grant_type: 'client_credentials',
        client_id: appId,
        service_account: accountId,
        client_secret: apiToken.reveal(),
      }),
    );
    const principal = await auth.authenticate(applicationToken, new Secret(response.access_token));
    const all = permissions.map(({ permission }) => permission);
    for (const resourceUid of [systemUid, principal.organizationUid, principal.projectUid]) {
      expect((await auth.decide(principal, all, resourceUid)).result).toBe(true);
    }
  });

  it('several servers that start concurrently create the administrator and built-in roles only once', async () => {
    const at = await locate();
    const store = await open(at);
    const stores: Store[] =
      dialect === 'postgres' ? [store, await open(at), await open(at)] : [store, store, store];
    const results = await Promise.all(stores.map((each) => bootstrap({ store: each, config })));
    expect(results.filter(({ administrator }) => administrator !== null)).toHaveLength(1);
    expect(results.map((result) => result.systemUid)).toEqual(stores.map(() => systemUid));
    const later = await bootstrap({ store, config });
    expect(later).toEqual({ systemUid, administrator: null });
    const count = async (table: string) => (await store.read.all(`select 1 as one from ${table}`)).length;
    expect(await Promise.all(['organization', 'app', 'service_account', 'api_token'].map(count))).toEqual([
      1, 1, 1, 1,
    ]);
    expect(await count('role')).toBe(builtInRoles.length);
  });

  it('the first start accepts credentials from the environment if they are well-formed, and refuses others', async () => {
    const store = await open();
    for (const bad of ['app_short', 'secret', token('sak_').reveal(), `${token('app_').reveal()} `]) {
      const error = await bootstrap({
        store,
        config,
        credentials: { applicationToken: new Secret(bad) },
      }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(inspect(error)).toContain('applicationToken');
      expect(inspect(error)).not.toContain(bad);
    }
    await expectProblem(
      bootstrap({ store, config, credentials: { apiToken: token('app_') } }),
      'invalid-request',
    );
    expect(await store.read.all('select uid from resource')).toEqual([]);

    const credentials = { applicationToken: token('app_'), apiToken: token('sak_') };
    const { administrator } = await bootstrap({ store, config, credentials });
    expect(administrator?.applicationToken.reveal()).toBe(credentials.applicationToken.reveal());
    const auth = await createAuth({ store, config, masterKey: createMasterKey(randomBytes(32)) });
    await expect(auth.authenticateApp(credentials.applicationToken)).resolves.toMatchObject({
      appId: administrator?.appId,
    });
    // A later start with other credentials changes nothing.
    await bootstrap({ store, config, credentials: { applicationToken: token('app_') } });
    await expect(auth.authenticateApp(credentials.applicationToken)).resolves.toBeDefined();
  });

  it('startup updates outdated built-in roles, and the change applies immediately', async () => {
    const here = await install(await open());
    const tenant = await here.tenant('Tenant');
    const principal = await tenant.principal();
    const { auth, change, store } = here;
    const holder = { identity: principal.serviceId };
    await change(async (tx) => {
      await auth.assignRole(tx, { holder, role: 'viewer', resourceUid: tenant.projectUid });
      await tx.run("update role set permissions = '[]' where name = 'viewer' and role_type = 'IDENTITY'");
    });
    const sees = async () => (await auth.decide(principal, ['project:read'], tenant.projectUid)).result;
    expect(await sees()).toBe(false);
    await bootstrap({ store, config });
    expect(await sees()).toBe(true);
  });

  it('the database and the log do not contain unencrypted secrets', async () => {
    const here = await install(await open());
    const tenant = await here.tenant('Tenant');
    const bearer = await tenant.bearer();
    await tenant.principal();
    await here.auth.rotateSigningKey();
    const { administrator } = here;
    const secrets = [
      administrator.applicationToken,
      administrator.apiToken,
      tenant.app.token,
      tenant.account.apiToken,
      bearer,
    ].map((secret) => secret.reveal());

    const texts: string[] = [];
    for (const name of await tables(here.store)) {
      for (const row of await here.store.read.all(`select * from "${name}"`)) {
        for (const value of Object.values(row)) {
          texts.push(value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value));
        }
      }
    }
    expect(texts.length).toBeGreaterThan(100);
    const everything = texts.join('\n');
    for (const secret of secrets) {
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(secret.slice(4));
    }
    // The private exponent and the primes of a JWK, PEM, and the start of a PKCS #8 key in DER.
    expect(everything).not.toMatch(/"d"|"p"|"q"|PRIVATE KEY/);
    expect(everything).not.toContain(Buffer.from('300d06092a864886f70d010101', 'hex').toString('latin1'));

    const printed = inspect([administrator, tenant], { depth: 9 }) + JSON.stringify([administrator, tenant]);
    for (const secret of secrets) expect(printed).not.toContain(secret);
  });

  async function tables(store: Store): Promise<string[]> {
    const sql =
      dialect === 'sqlite'
        ? "select name from sqlite_master where type = 'table'"
        : "select table_name::text as name from information_schema.tables where table_schema = 'public'";
    const rows = await store.read.all<{ name: string }>(sql);
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['app', 'api_token', 'signing_key', 'role_assignment']),
    );
    return rows.map(({ name }) => name);
  }
});
