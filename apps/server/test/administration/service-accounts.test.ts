import { createSign } from 'node:crypto';
import type { Principal } from '@ledger-ops/auth';
import { expectProblem, problemOf } from '@ledger-ops/auth/testing';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, expect, it } from 'vitest';
import { type World, world } from './world.ts';

describeStores('service accounts', (open) => {
  let w: World;
  beforeAll(async () => {
    w = await world(await open());
  });
  const create = (body: object, principal = w.acme.owner) =>
    w.call('createServiceAccount', principal, { body: { name: 'Robot', ...body } });

  it('service accounts are created in a project, and the client chooses only the accountId', async () => {
    const made = await create({
      accountId: 'robot-1',
      email: 'robot@example.com',
      project: { projectID: w.acme.projectId },
      id: 77,
      createdBy: 'mallory',
      serviceId: w.administrator.serviceId,
    });
    expect(made).toMatchObject({
      accountId: 'robot-1',
      email: 'robot@example.com',
      project: w.acme.projectId,
      createdBy: w.acme.owner.serviceId,
      updatedBy: w.acme.owner.serviceId,
    });
    expect(made.id).not.toBe(77);
    expect(made.serviceId).not.toBe(w.administrator.serviceId);
    for (const [id, filter_by] of [
      ['robot@example.com', undefined],
      ['robot@example.com', 'EMAIL'],
      ['robot-1', 'SERVICE_ACCOUNT_ID'],
    ]) {
      const request = {
        params: { emailOrAccountId: id },
        query: filter_by === undefined ? {} : { filter_by },
      };
      expect(await w.call('getServiceAccount', w.acme.owner, request)).toEqual(made);
      await expectProblem(w.call('getServiceAccount', w.other.owner, request), 'not-found');
    }
    await expectProblem(create({ accountId: 'robot-1' }), 'already-exists');
    await expectProblem(create({ project: w.other.projectId }), 'not-found');
    expect((await problemOf(create({ email: 'x' }))).errors[0]?.pointer).toBe('/email');
    const viewer = await w.member(w.acme, 'viewer', w.acme.tenant.projectUid);
    await expectProblem(create({}, viewer), 'not-permitted');
  });

  it('service accounts are listed by project', async () => {
    const party = await w.party('Robots');
    const made = await create({ accountId: 'listed' }, party.owner);
    const list = async (principal = party.owner, query = {}) =>
      (
        await w.call('listServiceAccountsOfProject', principal, {
          params: { projectId: party.projectId },
          query,
        })
      ).pageContent;
    expect(await list()).toContainEqual(made);
    expect(await list(party.owner, { resourceId: 'listed' })).toEqual([made]);
    expect(await list(w.acme.owner)).toEqual([]);
  });

  it('API tokens of service accounts are shown once and listed by handle, and disabling one takes effect immediately', async () => {
    const { owner, tenant } = w.acme;
    const { accountId } = await create({});
    const made = await w.call('createServiceAccountApiToken', owner, { params: { accountId } });
    expect(made.apiToken).toMatch(/^sak_[A-Za-z0-9_-]{43}$/);
    const list = (status?: string) =>
      w.call('listServiceAccountApiTokens', owner, {
        params: { accountId },
        query: status === undefined ? {} : { status },
      });
    expect(await list()).toMatchObject([{ apiToken: made.handle, status: 'ENABLED' }]);
    expect(JSON.stringify(await list())).not.toContain(made.apiToken);
    const form = tenant.form({ service_account: accountId, client_secret: made.apiToken });
    await w.here.auth.issueToken(form);
    const set = (status: string, principal = owner) =>
      w.call('updateServiceAccountApiTokenStatus', principal, {
        params: { apiToken: made.handle },
        query: { status },
      });
    expect(await set('DISABLED')).toMatchObject({ apiToken: made.handle, status: 'DISABLED' });
    expect(await list()).toEqual([]);
    expect(await list('DISABLED')).toHaveLength(1);
    await expect(w.here.auth.issueToken(form)).rejects.toThrow();
    await expectProblem(set('ENABLED', w.other.owner), 'not-found');
    const viewer = await w.member(w.acme, 'viewer', tenant.projectUid);
    await expectProblem(set('ENABLED', viewer), 'not-permitted');
    await expectProblem(
      w.call('createServiceAccountApiToken', viewer, { params: { accountId } }),
      'not-permitted',
    );
    const [row] = await w.here.store.read.all(
      'select updated_by from service_account where account_id = $1',
      [accountId],
    );
    expect(row).toEqual({ updated_by: owner.serviceId });
  });

  it('private keys of service accounts are shown once, public keys are listed, and both can be disabled', async () => {
    const { owner } = w.acme;
    const { accountId, email } = await create({});
    const key = await w.call('generateServiceAccountKey', owner, { params: { accountId } });
    expect(key).toMatchObject({
      identifier: accountId,
      accountId,
      tokenUri: 'https://ledger.example/v1/auth/token',
    });
    const list = (status: string) =>
      w.call('listServiceAccountKeys', owner, { params: { accountId }, query: { status } });
    expect(await list('ENABLED')).toMatchObject([
      { keyID: key.keyID, serviceAccount: accountId, generatedBy: owner.serviceId, status: 'ENABLED' },
    ]);
    expect(JSON.stringify(await list('ENABLED'))).not.toContain('PRIVATE');
    const secret = 'challenge';
    const signature = createSign('sha256').update(secret).sign(key.privateKey, 'base64');
    const validate = (changes: object = {}) =>
      w.call('validateServiceAccountCredentials', owner, {
        query: { authType: 'privateKey' },
        body: { email, keyID: key.keyID, secret, signature, ...changes },
      });
    expect((await validate()).accountId).toBe(accountId);
    await expectProblem(validate({ secret: 'other' }), 'login-failed');
    await expectProblem(validate({ keyID: key.keyID + 1 }), 'login-failed');
    await expectProblem(validate({ signature: 'AAAA' }), 'login-failed');
    expect((await problemOf(validate({ signature: undefined }))).errors[0]?.pointer).toBe('/signature');
    expect((await problemOf(validate({ signature: '' }))).errors).toEqual([
      { pointer: '/signature', detail: 'must be base64' },
    ]);
    expect((await problemOf(validate({ keyID: '1' }))).errors[0]?.pointer).toBe('/keyID');
    const set = (status: string) =>
      w.call('updateServiceAccountKeyStatus', owner, {
        params: { accountId },
        query: { keyId: String(key.keyID), status },
      });
    expect((await set('DISABLED')).status).toBe('DISABLED');
    expect(await list('ENABLED')).toEqual([]);
    await expectProblem(validate(), 'login-failed');
    await expectProblem(
      w.call('updateServiceAccountKeyStatus', w.other.owner, {
        params: { accountId },
        query: { keyId: String(key.keyID), status: 'ENABLED' },
      }),
      'not-found',
    );
  });

  it('an API token authenticates, even if the body also has members of other credential types', async () => {
    const { owner } = w.acme;
    const { accountId, email } = await create({});
    const { apiToken: secret } = await w.call('createServiceAccountApiToken', owner, {
      params: { accountId },
    });
    for (const unused of [
      { signature: '' },
      { signature: 'no base64!', keyID: null },
      { keyID: 'x', signature: 7 },
    ]) {
      const answer = await w.call('validateServiceAccountCredentials', owner, {
        query: { authType: 'apiToken' },
        body: { email, secret, ...unused },
      });
      expect(answer.accountId).toBe(accountId);
    }
  });

  it('callers with fewer rights cannot get a service account’s credentials', async () => {
    const { tenant } = w.acme;
    const projectOwner = await w.member(w.acme, 'owner', tenant.projectUid);
    const { accountId, serviceId } = await create({}, projectOwner);
    const issue = (principal: Principal) =>
      w.call('createServiceAccountApiToken', principal, { params: { accountId } });
    const generate = (principal: Principal) =>
      w.call('generateServiceAccountKey', principal, { params: { accountId } });
    await issue(projectOwner);
    await w.call('createResourceIdentityRole', w.acme.owner, {
      body: { identity: serviceId, resource: tenant.organizationUid, role: 'viewer' },
    });
    await expectProblem(issue(projectOwner), 'not-permitted');
    await expectProblem(generate(projectOwner), 'not-permitted');
    await issue(w.acme.owner);
    await generate(w.acme.owner);
  });

  it('wrong tokens, other accounts and invisible accounts get the same response', async () => {
    const { owner } = w.acme;
    const { accountId, email, serviceId } = await create({});
    const { apiToken } = await w.call('createServiceAccountApiToken', owner, { params: { accountId } });
    const validate = (body: object = {}, principal = owner) =>
      w.call('validateServiceAccountCredentials', principal, {
        query: { authType: 'apiToken' },
        body: { email, secret: apiToken, ...body },
      });
    expect((await validate()).accountId).toBe(accountId);
    const second = await create({});
    const refused = [
      await problemOf(validate({ email: second.email })),
      await problemOf(validate({ secret: `${apiToken}x` })),
      await problemOf(validate({ email: 'nobody@example.com' })),
      await problemOf(validate({}, w.other.owner)),
    ];
    expect(new Set(refused.map((problem) => JSON.stringify(problem.toDocument()))).size).toBe(1);
    expect(refused[0]?.problem).toBe('login-failed');
    await w.call('updateIdentityStatus', owner, { params: { id: serviceId }, query: { status: 'DISABLED' } });
    await expectProblem(validate(), 'login-failed');
  });
});
