import { Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { importPKCS8, SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { formOf, install } from '../src/testing/index.ts';

const ci = { name: 'ci', accountId: 'ci' };

describeStores('records of other tenants with the same id', (open) => {
  it('an account gets its token even if older accounts of other tenants have the same id', async () => {
    const here = await install(await open());
    const { auth, change, clock } = here;
    const other = await here.tenant('Other');
    await change(async (tx) => {
      for (let i = 0; i < 10; i += 1) {
        const { uid } = await auth.createProject(tx, {
          organizationUid: other.organizationUid,
          name: `p${i}`,
        });
        await auth.createServiceAccount(tx, { ...ci, createdBy: other.account.serviceId, projectUid: uid });
      }
    });
    const own = await here.tenant('Own');
    const prepared = await auth.prepareKey(['test']);
    const { privateKey } = await change(async (tx) => {
      const { projectUid } = own;
      const { serviceId } = await auth.createServiceAccount(tx, {
        ...ci,
        createdBy: own.account.serviceId,
        projectUid,
      });
      return await auth.generateKey(tx, { serviceId, generatedBy: serviceId, prepared });
    });
    // An assertion without a key id.
    const assertion = await new SignJWT({ jti: 'once' })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer('ci')
      .setSubject('ci')
      .setAudience('https://ledger.example/v1/auth/token')
      .setExpirationTime(Math.floor(clock.ms / 1_000) + 60)
      .sign(await importPKCS8(privateKey.reveal(), 'RS256'));
    const form = formOf({
      grant_type: 'client_credentials',
      client_id: own.app.appId,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    });
    await expect(auth.issueToken(form, own.app.token)).resolves.toBeDefined();
  });

  it('an account keeps using its own application, even if other tenants assign roles to it', async () => {
    const here = await install(await open());
    const { auth, change } = here;
    const other = await here.tenant('Other');
    const own = await here.tenant('Own');
    const token = await change(async (tx) => {
      await auth.createApp(tx, { projectUid: other.projectUid, name: 'w', appId: 'wallet' });
      const { organizationUid } = own;
      const { uid: projectUid } = await auth.createProject(tx, { organizationUid, name: 'second' });
      const app = await auth.createApp(tx, { projectUid, name: 'w', appId: 'wallet' });
      const holder = { identity: own.account.serviceId };
      for (const resourceUid of [projectUid, other.projectUid]) {
        await auth.assignRole(tx, { holder, role: 'viewer', resourceUid });
      }
      return await auth.issueAppToken(tx, app.uid);
    });
    const { access_token } = await auth.issueToken(own.form({ client_id: 'wallet' }));
    await expect(auth.authenticate(token, new Secret(access_token))).resolves.toBeDefined();
  });

  it('accounts get different addresses, even if their ids differ only in dots or capital letters', async () => {
    const here = await install(await open());
    const { auth, change } = here;
    const createdBy = (await here.tenant('Somebody')).account.serviceId;
    const addresses = await change(async (tx) => {
      const made: string[] = [];
      for (const [organizationId, projectId] of [
        ['y.z', 'x'],
        ['z', 'x.y'],
        ['Acme', 'main'],
        ['acme', 'main'],
      ] as const) {
        const organization = await auth.createOrganization(tx, { name: organizationId, organizationId });
        const place = { organizationUid: organization.uid, name: projectId, projectId };
        const { uid: projectUid } = await auth.createProject(tx, place);
        made.push(
          (await auth.createServiceAccount(tx, { ...ci, createdBy, projectUid })).email.toLowerCase(),
        );
      }
      return made;
    });
    expect(new Set(addresses).size).toBe(4);
    expect(addresses).toContain('ci@main.acme.ledger.example');
  });
});
