import { randomBytes } from 'node:crypto';
import { createMasterKey } from '@ledger-ops/base';
import { once, type Store, type Tx } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, test } from 'vitest';
import { imageOwner, storeImage } from '../src/admin/images/images.ts';
import { addResponse, createAdmin, removeResponses, type StorageLimitName, systemUid } from '../src/index.ts';
import { addResource, install } from '../src/testing/index.ts';

const setLimit = (store: Store, scope: string, name: StorageLimitName, most: number) =>
  store.transaction((tx) =>
    tx.run(
      `insert into storage_limit (scope, name, most, updated_by, updated_at) values ($1, $2, $3, '', 0)
        on conflict (scope, name) do update set most = excluded.most`,
      [scope, name, most],
    ),
  );

describeStores('storage limits', (open) => {
  const usage = async (store: Store, scope: string) => {
    const rows = await store.read.all<{ name: string; amount: number }>(
      'select name, amount from storage_usage where scope = $1',
      [scope],
    );
    return Object.fromEntries(rows.map(({ name, amount }) => [name, Number(amount)]));
  };

  test('refuses records above the storage limit of an organization, names the limit, and does not affect other organizations', async () => {
    const store = await open();
    const { auth, change, tenant } = await install(store);
    const [one, other] = [await tenant('one'), await tenant('other')];
    await setLimit(store, one.organizationUid, 'projects', 3);
    const create = ({ organizationUid }: typeof one, name: string) =>
      change((tx) => auth.createProject(tx, { organizationUid, name }));
    // The requests are concurrent, and only two of them fit into the limit.
    const made = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => create(one, name)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(create(one, 'e')).rejects.toMatchObject({
      ...{ problem: 'storage-limit', status: 422, extensions: { limit: 'projects', used: 3, most: 3 } },
      message: expect.stringMatching(
        /may store 3 projects \(limit "projects"\) and already stores 3\. Delete/,
      ),
    });
    await create(other, 'e');
    expect(await usage(store, one.organizationUid)).toMatchObject({
      ...{ projects: 3, apps: 1, 'service-accounts': 1 },
    });
    expect(await usage(store, other.organizationUid)).toMatchObject({ projects: 2 });
  });

  test('storage limits ignore removed records, and include records from before counting started', async () => {
    const store = await open();
    const installation = await install(store);
    const { projectUid, organizationUid } = await installation.tenant('one');
    const uids: string[] = [];
    for (let at = 0; at < 3; at += 1) uids.push(await addResource(installation, 'wallet', projectUid));
    // A database of an earlier version has records, but no counts.
    await store.transaction((tx) => tx.run('delete from storage_usage'));
    uids.push(await addResource(installation, 'cloud-wallet', projectUid));
    expect(await usage(store, organizationUid)).toMatchObject({ wallets: 4 });
    await installation.change((tx) => installation.auth.removeResource(tx, uids[0] ?? ''));
    expect(await usage(store, organizationUid)).toMatchObject({ wallets: 3 });
  });

  test("the organization's own storage limit overrides the installation's default, and system resources are not limited", async () => {
    const store = await open();
    const installation = await install(store);
    const { projectUid, organizationUid } = await installation.tenant('one');
    await setLimit(store, systemUid, 'ledgers', 0);
    await expect(addResource(installation, 'ledger', projectUid)).rejects.toMatchObject({
      problem: 'storage-limit',
    });
    await addResource(installation, 'ledger', systemUid);
    await setLimit(store, organizationUid, 'ledgers', 1);
    await addResource(installation, 'ledger', projectUid);
    await expect(addResource(installation, 'ledger', projectUid)).rejects.toMatchObject({
      problem: 'storage-limit',
    });
  });

  test('granted and revoked roles are counted, including those on new resources, and more than the limit are refused', async () => {
    const store = await open();
    const installation = await install(store);
    const { auth, change, tenant } = installation;
    const { organizationUid, projectUid, account } = await tenant('one');
    const rolesUsed = async () => (await usage(store, organizationUid)).roles ?? 0;
    const before = await rolesUsed();
    const grant = { holder: { identity: account.serviceId }, role: 'viewer', resourceUid: projectUid };
    await change((tx) => auth.assignRole(tx, grant));
    await change((tx) => auth.assignRole(tx, grant));
    expect(await rolesUsed()).toBe(before + 1);
    const wallet = await addResource(installation, 'wallet', projectUid);
    await change((tx) => auth.assignRole(tx, { ...grant, resourceUid: wallet }));
    expect(await rolesUsed()).toBe(before + 2);
    await change((tx) => auth.removeResource(tx, wallet));
    expect(await rolesUsed()).toBe(before + 1);
    await setLimit(store, organizationUid, 'roles', before + 1);
    await expect(change((tx) => auth.assignRole(tx, { ...grant, role: 'owner' }))).rejects.toMatchObject({
      ...{ problem: 'storage-limit', extensions: { limit: 'roles', used: before + 1 } },
      message: expect.stringContaining('Revoke roles'),
    });
    // Roles that were assigned before the count exists are included.
    await store.transaction((tx) => tx.run('delete from storage_usage'));
    await expect(change((tx) => auth.assignRole(tx, { ...grant, role: 'owner' }))).rejects.toMatchObject({
      extensions: { used: before + 1 },
    });
    await change((tx) => auth.revokeRole(tx, grant));
    await change((tx) => auth.assignRole(tx, { ...grant, role: 'owner' }));
  });

  test('API tokens and keys of service accounts share one limit, and more than the limit are refused', async () => {
    const store = await open();
    const { auth, change, tenant } = await install(store);
    const [one, other] = [await tenant('one'), await tenant('other')];
    const { serviceId, handle } = one.account;
    await setLimit(store, one.organizationUid, 'credentials', 3);
    const createToken = (of: string) => change((tx) => auth.createApiToken(tx, of));
    const prepared = await auth.prepareKey([one.organizationUid]);
    const createKey = () =>
      change((tx) => auth.generateKey(tx, { serviceId, generatedBy: serviceId, prepared }));
    await createKey();
    await createToken(serviceId);
    // A disabled credential stays stored.
    await change((tx) => auth.setApiTokenStatus(tx, handle, 'DISABLED'));
    for (const create of [createKey, () => createToken(serviceId)]) {
      await expect(create()).rejects.toMatchObject({
        ...{ problem: 'storage-limit', extensions: { limit: 'credentials', used: 3, most: 3 } },
      });
    }
    await createToken(other.account.serviceId);
  });

  test('the storage limit counts images of service accounts, and of people who first accepted this organization’s invitation', async () => {
    const store = await open();
    const { change, tenant } = await install(store);
    const [one, other] = [await tenant('one'), await tenant('other')];
    const email = 'ada@example.com';
    await change(async (tx) => {
      await tx.db.insert(tx.t.identity).values({
        ...{ serviceId: 'ada', id: 9_999, identifier: email, identifierKey: email, type: 'USER' },
        ...{ status: 'ENABLED', createdAt: 0, updatedAt: 0 },
      });
      for (const [id, { organizationUid }] of [one, other].entries()) {
        await tx.db.insert(tx.t.invitation).values({
          ...{ id, organizationUid, userEmail: email, state: 'ACCEPTED', token: `${id}`, saml: false },
          ...{ createdBy: '', createdByApp: '', createdAt: 0, updatedAt: 0, expiresAt: 0, mailedAt: 0 },
        });
      }
    });
    const saveImage = (serviceId: string, size: number) =>
      change((tx) =>
        storeImage(tx, imageOwner.identity(serviceId), { bytes: new Uint8Array(size), format: 'png' }, 0),
      );
    await saveImage(one.account.serviceId, 1_000);
    await saveImage('ada', 300);
    await saveImage('ada', 200);
    expect(await usage(store, one.organizationUid)).toMatchObject({ 'document-bytes': 1_200 });
    expect(await usage(store, other.organizationUid)).not.toHaveProperty('document-bytes');
    await setLimit(store, one.organizationUid, 'document-bytes', 1_200);
    await expect(saveImage('ada', 201)).rejects.toMatchObject({ problem: 'storage-limit' });
    // A user whom no organization invited.
    await change((tx) => tx.run('delete from invitation'));
    await saveImage('ada', 5_000);
  });

  test('stored responses of more than a kilobyte are counted until they are removed after a day', async () => {
    const store = await open();
    const { tenant } = await install(store);
    const { organizationUid } = await tenant('one');
    const storage = {
      organizationUid,
      add: (tx: Tx, bytes: number) => addResponse(tx, organizationUid, bytes),
    };
    const respond = (key: string, length: number) =>
      once(store, { claim: { scope: 'caller', key, fingerprint: '', storage }, status: 201 }, async () =>
        'x'.repeat(length),
      );
    await respond('short', 1_000);
    expect(await usage(store, organizationUid)).not.toHaveProperty('response-bytes');
    await respond('long', 1_998);
    expect(await usage(store, organizationUid)).toMatchObject({ 'response-bytes': 2_000 });
    await setLimit(store, organizationUid, 'response-bytes', 5_000);
    await expect(respond('too long', 2_999)).rejects.toMatchObject({ problem: 'storage-limit' });
    const now = await store.now();
    await store.transaction((tx) => removeResponses(tx, now - 60_000));
    expect(await usage(store, organizationUid)).toMatchObject({ 'response-bytes': 2_000 });
    await store.transaction((tx) => removeResponses(tx, now + 60_000));
    expect(await usage(store, organizationUid)).toMatchObject({ 'response-bytes': 0 });
    await respond('too long', 2_999);
  });

  test('for a limit per project, the usage names the project that uses the most', async () => {
    const store = await open();
    const { auth, config, tenant } = await install(store);
    const one = await tenant('one');
    const mail = { async send() {}, async close() {} };
    const { storage } = createAdmin({
      store,
      auth,
      masterKey: createMasterKey(randomBytes(32)),
      mail,
      config,
    });
    const name = 'project-event-bytes';
    await store.transaction((tx) =>
      tx.run('insert into storage_usage (scope, name, amount) values ($1, $2, 7)', [one.projectUid, name]),
    );
    const [organization] = await store.read.all<{ id: string }>(
      'select organization_id as id from organization where uid = $1',
      [one.organizationUid],
    );
    const [project] = await store.read.all<{ id: string }>(
      'select project_id as id from project where uid = $1',
      [one.projectUid],
    );
    const principal = await one.principal();
    const resourceUid = one.organizationUid;
    await store.transaction(async (tx) => {
      await auth.assignRole(tx, { holder: { identity: principal.serviceId }, role: 'owner', resourceUid });
      await auth.assignRole(tx, { holder: { app: principal.appUid }, role: 'application', resourceUid });
    });
    const usage = await storage.ofOrganization(principal, organization?.id ?? '');
    expect(usage.find(({ limit }) => limit === name)).toMatchObject({ used: 7, usedBy: project?.id });
    expect(usage.find(({ limit }) => limit === 'subscription-event-bytes')).toMatchObject({
      ...{ used: 0, usedBy: null },
    });
  });
});
