import { expectProblem, problemOf } from '@ledger-ops/auth/testing';
import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Holdings, holdingsOf, samples } from './samples.ts';
import { type World, world } from './world.ts';

/** Problems that a caller of another organization may get, in addition to "not found". */
const otherAnswers: Record<string, string> = {
  createIdentity: 'not-permitted',
  createOrganization: 'not-permitted',
  validateServiceAccountCredentials: 'login-failed',
};
/** Operations that return a secret, which is shown once. */
const showsSecret = new Set(['createServiceAccountApiToken', 'generateServiceAccountKey', 'issueAppToken']);
/** Operations that only the installation's administrator may call. */
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

  it('each administrative operation has a permission and a sample, and takes a page size if and only if it returns pages', () => {
    const ids = w.operations.map(({ operationId }) => operationId);
    expect(ids.toSorted()).toEqual(Object.keys(samples(acme)).toSorted());
    for (const { operationId, permission, answers, query } of w.operations) {
      expect(permission, operationId).toBeTypeOf('object');
      const { schema } = answers[200] ?? {};
      const isPage = schema instanceof z.ZodObject && 'pageContent' in schema.shape;
      expect(isPage, operationId).toBe('size' in (query?.shape ?? {}));
    }
  });

  it('no administrative operation returns or changes data of another organization', async () => {
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
        for (const mark of marks) expect(text.includes(mark), `${operationId} reveals ${mark}`).toBe(false);
        continue;
      }
      if (!(answer.problem instanceof Problem)) throw answer.problem;
      expect([operationId, answer.problem.problem]).toEqual([
        operationId,
        otherAnswers[operationId] ?? 'not-found',
      ]);
      // Hidden and missing records get the same response.
      expect(answer.problem.message).not.toContain('Acme');
    }
    expect(await everything()).toEqual(before);
  });

  it('each administrative operation refuses a string of five megabytes because of its length', async () => {
    const before = await everything();
    for (const unit of ['a', '\n', 'AAA=']) {
      const long = unit.repeat(4_900_000 / unit.length);
      for (const { operationId } of w.operations) {
        for (const [path, request] of withEachText(samples(acme)[operationId] ?? {}, long)) {
          const problem = await problemOf(w.call(operationId, w.administrator, request));
          expect([operationId, path, problem.problem]).toEqual([operationId, path, 'invalid-request']);
          expect(problem.message.length).toBeLessThan(2_000);
          // Only the long text is invalid.
          expect([operationId, path, problem.errors.length]).toEqual([operationId, path, 1]);
        }
      }
    }
    expect(await everything()).toEqual(before);
  });

  it('each administrative operation refuses values of the wrong type with a problem', async () => {
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

  it('each administrative operation succeeds for permitted callers, and repeats its response for an Idempotency-Key', async () => {
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
      // The current record is stored; a replay returns it in the form of the first response.
      const replays = rows.map(({ status, body }) => ({
        status,
        body: body === null ? null : creates.present(JSON.parse(body), undefined),
      }));
      expect(replays, operationId).toEqual([
        { status: 201, body: showsSecret.has(operationId) ? null : answer },
      ]);
      await expectProblem(
        w.call(operationId, principal, { ...samples(fresh)[operationId], claim }),
        'conflict',
      );
    }
  });
});

/** Returns the request once per string in it, with that string replaced. */
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
