import { expect, onTestFinished, test } from 'vitest';
import { json, openFake } from './fake-service.ts';
import { openShell } from './shell.ts';

test('role revoke mentions open invitations that --all withdraws, and roles on parent resources', async () => {
  const [service, shell] = await Promise.all([openFake(), openShell()]);
  onTestFinished(async () => {
    await shell.close();
    await service.close();
  });
  shell.environment = service.environment;
  const one = 'DELETE /v1/admin/role-grants/acme/ada/owner';
  const revoke = async () => (await shell.run('role', 'revoke', 'ada', 'owner', 'acme')).out.trimEnd();
  const left = { remaining: 0, remainingGrants: [], openInvitations: 0, inheritedGrants: [] };
  service.answers[one] = json(left, 202);
  expect(await revoke()).toBe('The role is revoked.');
  service.answers[one] = json({ ...left, openInvitations: 1 }, 202);
  expect(await revoke()).toBe(
    [
      'The role is revoked.',
      'An open invitation still offers the person roles on this resource or below it.',
      'Revoke them all: ledger-ops role revoke ada owner acme --all',
    ].join('\n'),
  );
  service.answers['DELETE /v1/admin/role-grants/acme/ada'] = json(
    { revoked: 0, withdrawnInvitations: 1, inheritedGrants: [] },
    202,
  );
  expect((await shell.run('role', 'revoke', 'ada', 'owner', 'acme', '--all')).out).toContain(
    'An open invitation no longer offers roles on the resource.',
  );
  const above = { serviceId: 'ada', role: 'viewer', resourceType: 'organization', resourceId: 'mill' };
  const lines = [
    'Roles on parent resources still apply there:',
    '  viewer on organization mill: ledger-ops role revoke ada viewer mill',
  ].join('\n');
  service.answers[one] = json({ ...left, inheritedGrants: [above] }, 202);
  expect(await revoke()).toBe(`The role is revoked.\n${lines}`);
  service.answers['DELETE /v1/admin/role-grants/acme/ada'] = json(
    { revoked: 1, withdrawnInvitations: 0, inheritedGrants: [above] },
    202,
  );
  expect((await shell.run('role', 'revoke', 'ada', 'owner', 'acme', '--all')).out.trimEnd()).toBe(
    `Revoked 1 role.\n${lines}`,
  );
});

test("role revoke-app lists the application's remaining roles, including those on parent resources", async () => {
  const [service, shell] = await Promise.all([openFake(), openShell()]);
  onTestFinished(async () => {
    await shell.close();
    await service.close();
  });
  shell.environment = service.environment;
  const revoke = async (...more: string[]) =>
    (await shell.run('role', 'revoke-app', 'till', 'application', 'acme', ...more)).out.trimEnd();
  const grant = { appId: 'till', name: 'Till', resourceUid: 'uid', role: 'application' };
  const inheritedGrants = [{ ...grant, resourceType: 'system', resourceId: 'installation' }];
  const remainingGrants = [{ ...grant, resourceType: 'project', resourceId: 'shop' }];
  const lines = [
    'Roles on parent resources still apply there:',
    '  application on system installation: ledger-ops role revoke-app till application installation',
  ];
  service.answers['DELETE /v1/admin/app-role-grants/acme/till/application'] = json(
    { remaining: 1, remainingGrants, inheritedGrants },
    202,
  );
  expect((await revoke()).split('\n')).toEqual([
    'The role is revoked, but the application still has 1 on acme and below it:',
    '  application on project shop',
    'Revoke them all: ledger-ops role revoke-app till application acme --all',
    ...lines,
  ]);
  service.answers['DELETE /v1/admin/app-role-grants/acme/till'] = json({ revoked: 1, inheritedGrants }, 202);
  expect((await revoke('--all')).split('\n')).toEqual(['Revoked 1 role.', ...lines]);
});
