import { addResource, expectProblem, problemOf } from '@ledger-ops/auth/testing';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, expect, it } from 'vitest';
import { type World, world } from './world.ts';

describeStores('evaluations', (open) => {
  let w: World;
  let wallet: string;
  let hidden: string;
  beforeAll(async () => {
    w = await world(await open());
    wallet = await addResource(w.here, 'cloud-wallet', w.acme.tenant.projectUid);
    hidden = await addResource(w.here, 'cloud-wallet', w.other.tenant.projectUid);
  });

  it('a permission evaluation reports each missing permission, and whether the identity or the application lacks it', async () => {
    const member = await w.member(w.acme, 'viewer', wallet);
    const permissions = ['wallet:read', 'cloud-wallet:transact', 'system:manage'];
    const evaluation = await w.call('getPermissionsEvaluatorResult', member, {
      params: { resourceId: wallet },
      query: { permissions },
    });
    expect(evaluation).toEqual({
      identity: { serviceId: member.serviceId },
      appId: member.appId,
      missingAppPermissions: ['system:manage'],
      missingResourcePermissions: ['cloud-wallet:transact', 'system:manage'],
      resourceId: wallet,
      result: false,
    });
    const has = (permission: string[]) =>
      w.call('identityOnAppHasPermissionOnResource', member, {
        params: { resourceId: wallet },
        query: { permission },
      });
    expect(await has(['wallet:read'])).toBe(true);
    expect(await has(['wallet:read', 'wallet:transact'])).toBe(false);
  });

  it('a permission evaluation omits records that the caller may not see, and refuses unknown permissions', async () => {
    const { owner } = w.acme;
    const results = await w.call('listPermissionsEvaluatorResults', owner, {
      query: { resource: [hidden, wallet, 'nowhere'], permission: ['wallet:transact'] },
    });
    expect(results.map((one) => one.resourceId)).toEqual([wallet]);
    expect(results[0]?.result).toBe(true);
    for (const resourceId of [hidden, 'nowhere']) {
      const request = { params: { resourceId }, query: { permissions: ['wallet:read'] } };
      await expectProblem(w.call('getPermissionsEvaluatorResult', owner, request), 'not-found');
    }
    const wrong = await problemOf(
      w.call('listPermissionsEvaluatorResults', owner, {
        query: { resource: [wallet], permission: ['wallet:fly'] },
      }),
    );
    expect(wrong.errors[0]?.pointer).toBe('permission');
    const empty = await problemOf(
      w.call('getPermissionsEvaluatorResult', owner, {
        params: { resourceId: wallet },
        query: { permissions: [] },
      }),
    );
    expect(empty.errors[0]?.pointer).toBe('permissions');
  });

  it('a permission evaluation lists all permissions that the identity and the application hold', async () => {
    const member = await w.member(w.acme, 'transactor', wallet);
    const held = await w.call('listPermissions', member, { query: { resource: wallet } });
    expect(held.identity).toEqual({ serviceId: member.serviceId });
    expect(held.resourceID).toBe(wallet);
    expect(held.identityPermissions).toContain('wallet:transact');
    expect(held.identityPermissions).not.toContain('wallet:export');
    expect(held.appPermissions).toContain('wallet:export');
    expect(held.appPermissions).not.toContain('system:manage');
    await expectProblem(w.call('listPermissions', member, { query: { resource: hidden } }), 'not-found');
  });
});
