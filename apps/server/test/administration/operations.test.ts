import { permissions } from '@ledger-ops/auth';
import { expectProblem, problemOf } from '@ledger-ops/auth/testing';
import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Holdings, holdingsOf, samples } from './samples.ts';
import { type World, world } from './world.ts';

/** Decisions, section 4: what stands under these prefixes. */
const paths = `
GET /v1/resource-manager/permission-evaluations
GET /v1/resource-manager/permissions
GET /v1/resource-manager/resources/{}/has-permission
GET /v1/resource-manager/resources/{}/permission-evaluation
POST /v1/resource-manager/resources
GET /v1/resource-manager/resources/{}
GET /v1/resource-manager/types/{}/resources/containing/{}
GET /v1/resource-manager/types/{}/resources
GET /v1/resource-manager/types/{}/resources/mine
GET /v1/resource-manager/types/{}/identities/{}/resources
GET /v1/resource-manager/app-identity-roles
POST /v1/resource-manager/app-identity-roles
GET /v1/resource-manager/resources/{}/app-roles
PUT /v1/resource-manager/resources/{}/app-roles
DELETE /v1/resource-manager/resources/{}/identities/{}/roles/{}
GET /v1/resource-manager/resource-identity-roles
POST /v1/resource-manager/resource-identity-roles
POST /v1/resource-manager/resources/{}/lookup-terms
GET /v1/resource-manager/resource-identities
GET /v1/resource-manager/app-identity-properties
POST /v1/resource-manager/app-identity-properties
GET /v1/resource-manager/roles
GET /v1/identities
POST /v1/identities
GET /v1/identities/me
GET /v1/identities/{}
PUT /v1/identities/{}/status
GET /v1/identities/search/{}
GET /v1/identities/search/{}/in-resources
GET /v1/identities/resources/{}
PUT /v1/identities/{}/config
PUT /v1/identities/{}/profile
PUT /v1/identities/{}/image
POST /v1/service-accounts
GET /v1/service-accounts/{}
GET /v1/service-accounts/projects/{}
POST /v1/service-accounts/validate
GET /v1/service-accounts/{}/api-tokens
POST /v1/service-accounts/{}/api-tokens
PUT /v1/service-accounts/api-tokens/{}
GET /v1/service-accounts/{}/keys
POST /v1/service-accounts/{}/keys
PUT /v1/service-accounts/{}/keys
POST /v1/organizations
GET /v1/organizations
GET /v1/organizations/{}
PUT /v1/organizations/{}/image
POST /v1/projects
GET /v1/projects
GET /v1/projects/{}
POST /v1/apps
GET /v1/apps/{}
PUT /v1/apps/{}
PUT /v1/apps/{}/image
GET /v1/apps/by-token/{}
GET /v1/apps/projects/{}
POST /v1/apps/{}/token
DELETE /v1/apps/{}/former-token
GET /v1/invitations
POST /v1/invitations
PUT /v1/invitations
GET /v1/invitations/organizations
GET /v1/invitations/identities/{}/resource-identity-roles
GET /v1/invitations/identities
GET /v1/invitations/resource-identity-roles
GET /v1/invitations/resources
GET /v1/images/{}
`;

/** Problems of a caller of another organization, where it is not told that there is nothing. */
const otherAnswers: Record<string, string> = {
  createIdentity: 'not-permitted',
  createOrganization: 'not-permitted',
  validateServiceAccountCredentials: 'login-failed',
};
/** Answer a secret that is shown once. */
const showsSecret = new Set(['createServiceAccountApiToken', 'generateServiceAccountKey', 'issueAppToken']);
/** Asked for by the administrator of the installation only. */
const ofAdministrator = new Set(['createIdentity', 'createOrganization']);

describeStores('every operation', (open) => {
  let w: World;
  let store: Store;
  let acme: Holdings;
  beforeAll(async () => {
    store = await open();
    w = await world(store);
    acme = await holdingsOf(w, w.acme);
    await vi.waitFor(async () => expect(await store.read.all('select uid from mail')).toEqual([]), 30_000);
  });
  const everything = async () => {
    const rows: Record<string, unknown[]> = {};
    for (const table of [
      ...[
        'resource',
        'resource_ancestor',
        'resource_property',
        'lookup_term',
        'organization',
        'project',
        'app',
      ],
      ...['app_redirect_uri', 'identity', 'service_account', 'api_token', 'service_account_key', 'role'],
      ...['role_assignment', 'role_deletion', 'app_identity_property', 'invitation', 'invitation_role'],
      ...['image', 'mail', 'init_token', 'idempotency'],
    ]) {
      const found = await store.read.all(`select * from ${table}`);
      rows[table] = found.map((row) => JSON.stringify(row)).toSorted();
    }
    return rows;
  };

  it('stands at its path, once, with a permission that there is and a sample', () => {
    const named = w.operations.map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`,
    );
    expect(named.toSorted()).toEqual(paths.trim().split('\n').toSorted());
    const ids = w.operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(Object.keys(samples(acme)).toSorted());
    const known = new Set<string>(permissions.map(({ permission }) => permission));
    for (const { operationId, permission, path, params, answers, query } of w.operations) {
      if (typeof permission !== 'object') throw new TypeError(`${operationId} is for anybody.`);
      const { needs, also = [] } = permission;
      for (const one of [...(typeof needs === 'string' ? [needs] : needs), ...also]) {
        const ofSome = [...known].filter((name) => one === name || one === `<type>:${name.split(':')[1]}`);
        expect(ofSome, `${operationId} needs ${one}`).not.toEqual([]);
      }
      const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      expect(Object.keys(params?.shape ?? {}).toSorted(), operationId).toEqual(inPath.toSorted());
      const { schema } = answers[200] ?? {};
      const isPage = schema instanceof z.ZodObject && 'pageContent' in schema.shape;
      expect(isPage, operationId).toBe('size' in (query?.shape ?? {}));
    }
  });

  it('gives another organization nothing of this one, and changes nothing for it', async () => {
    const before = await everything();
    const marks = [
      ...[acme.wallet, acme.accountId, acme.serviceId, acme.email, acme.handle, acme.party.organizationId],
      ...[acme.party.projectId, acme.party.tenant.projectUid, acme.party.tenant.organizationUid],
      ...[acme.party.tenant.app.appId, acme.party.tenant.app.uid, acme.party.owner.serviceId],
    ];
    for (const { operationId } of w.operations) {
      const answer = await w.call(operationId, w.other.owner, samples(acme)[operationId]).then(
        (value) => ({ value, problem: undefined }),
        (problem: unknown) => ({ value: undefined, problem }),
      );
      if (answer.problem === undefined) {
        const text = JSON.stringify(answer.value);
        for (const mark of marks) expect(text.includes(mark), `${operationId} tells ${mark}`).toBe(false);
        continue;
      }
      if (!(answer.problem instanceof Problem)) throw answer.problem;
      expect([operationId, answer.problem.problem]).toEqual([
        operationId,
        otherAnswers[operationId] ?? 'not-found',
      ]);
      // Hidden records and missing ones are told in the same words.
      expect(answer.problem.message).not.toContain('Acme');
    }
    expect(await everything()).toEqual(before);
  });

  it('refuses a text of five megabytes wherever a text can stand, by its length and whatever it holds', async () => {
    const before = await everything();
    for (const unit of ['a', '\n', 'AAA=']) {
      const long = unit.repeat(4_900_000 / unit.length);
      for (const { operationId } of w.operations) {
        for (const [path, request] of withEachText(samples(acme)[operationId] ?? {}, long)) {
          const problem = await problemOf(w.call(operationId, w.administrator, request));
          expect([operationId, path, problem.problem]).toEqual([operationId, path, 'invalid-request']);
          expect(problem.message.length).toBeLessThan(2_000);
          // Nothing else was asked of it.
          expect([operationId, path, problem.errors.length]).toEqual([operationId, path, 1]);
        }
      }
    }
    expect(await everything()).toEqual(before);
  });

  it('refuses values of other types, never with anything but a problem', async () => {
    for (const { operationId } of w.operations) {
      for (const strange of [null, 7, true, { a: { b: 'c' } }, [['x']]]) {
        for (const [path, request] of withEachText(samples(acme)[operationId] ?? {}, strange)) {
          const error = await w.call(operationId, w.other.owner, request).then(
            () => undefined,
            (reason: unknown) => reason,
          );
          expect(error === undefined || error instanceof Problem, `${operationId} ${path} ${error}`).toBe(
            true,
          );
        }
      }
    }
  });

  it('answers its own people, and keeps the answers of creating ones with their keys', async () => {
    const fresh = await holdingsOf(w, await w.party('Fresh'));
    const { owner } = fresh.party;
    let key = 0;
    for (const { operationId, creates } of w.operations) {
      const principal = ofAdministrator.has(operationId) ? w.administrator : owner;
      const request = samples(fresh)[operationId] ?? {};
      key += 1;
      const claim = { scope: 'test', key: `k${key}`, fingerprint: 'f' };
      const answer = await w.call(operationId, principal, { ...request, claim });
      const rows = await store.read.all<{ status: number; body: string | null }>(
        'select status, body from idempotency where scope = $1 and key = $2',
        [claim.scope, claim.key],
      );
      if (creates === undefined) {
        expect(rows, operationId).toEqual([]);
        continue;
      }
      expect(rows, operationId).toEqual([
        { status: 201, body: showsSecret.has(operationId) ? null : JSON.stringify(answer) },
      ]);
      await expectProblem(
        w.call(operationId, principal, { ...samples(fresh)[operationId], claim }),
        'conflict',
      );
    }
  });
});

/** The request once for each text in it, with another value in its place. */
function withEachText(value: unknown, other: unknown): [path: string, changed: object][] {
  const found: [string, object][] = [];
  const walk = (node: unknown, path: string, put: (changed: unknown) => unknown) => {
    if (typeof node === 'string') {
      const changed = put(other);
      if (typeof changed === 'object' && changed !== null) found.push([path, changed]);
    } else if (Array.isArray(node)) {
      node.forEach((item, index) => {
        walk(item, `${path}/${index}`, (changed) => put(node.with(index, changed)));
      });
    } else if (typeof node === 'object' && node !== null) {
      for (const [name, item] of Object.entries(node)) {
        walk(item, `${path}/${name}`, (changed) => put({ ...node, [name]: changed }));
      }
    }
  };
  walk(value, '', (changed) => changed);
  return found;
}
