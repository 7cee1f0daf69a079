import { expect, test } from 'vitest';
import { logIn } from '../../../stage/api.ts';
import { faultsInTwoLooks, faultsOf } from '../../console-faults.ts';
import { goTo } from '../../console-stage.ts';
import type { EveryPage } from './context.ts';

/** Accounts, invitations, applications, and archived records. */
export function describeAccess(at: () => EveryPage): void {
  test('the console creates an account, grants it a role and a token, evaluates its permissions, and disables the token', async () => {
    const { stage, page, closed } = at();
    const { api } = stage.tenant;
    const dialog = page.getByRole('dialog');
    await goTo(page, '/access?part=accounts');
    await page.getByRole('button', { name: 'New service account' }).click();
    await page.getByLabel('Name').fill('Bakery');
    await page.getByLabel('Id').fill('bakery');
    await page.getByRole('button', { name: 'Create the service account' }).click();
    await page.getByRole('link', { name: 'Bakery' }).click();
    await page.getByRole('button', { name: 'New API token' }).click();
    await dialog.getByText('API token', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('New API token');
    await page.getByRole('button', { name: 'New key' }).click();
    await dialog.getByText('PRIVATE KEY', { exact: false }).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: /^Disable token/ }).click();
    await page.getByRole('button', { name: 'Disable the credential' }).click();
    await page.getByText('disabled', { exact: true }).waitFor();
    const { serviceId } = await api.expect(200, 'GET', '/v1/admin/accounts/bakery');

    await goTo(page, '/access');
    await page.getByRole('button', { name: 'Grant a role' }).click();
    await page.getByLabel('Who').fill('bakery');
    await page.getByLabel('Role', { exact: true }).selectOption('operator');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Grant the role' }).click();
    await page.getByRole('link', { name: 'bakery' }).click();
    await page.getByText('operator on the project mill project', { exact: false }).waitFor();
    await page.getByText('transact', { exact: true }).waitFor();
    await goTo(page, '/access');
    await page.getByRole('button', { name: 'Revoke operator of bakery' }).click();
    await page.getByRole('button', { name: 'Revoke the role' }).click();
    await closed();
    await page.getByRole('link', { name: 'bakery' }).waitFor({ state: 'detached' });
    const left = `/v1/admin/identity-permissions?resourceId=mill-project&serviceId=${serviceId}`;
    expect(await api.expect(200, 'GET', left)).toMatchObject({ permissions: [] });

    await goTo(page, '/timeline?type=service-account');
    await page.getByText('ada@example.com created the account bakery').first().waitFor();
  });

  test('after a role is revoked, the console shows the identity’s other roles and open invitation, and can revoke them too', async () => {
    const { stage, page, url, closed } = at();
    const { installation, tenant } = stage;
    const { api, projectId, organizationId } = tenant;
    const administrator = await logIn(installation.url, installation.administrator);
    const account = { name: 'Leaver', accountId: 'leaver', projectId };
    const leaver = await api.expect(201, 'POST', '/v1/admin/accounts', account);
    const email = 'wren@example.com';
    const wren = await administrator.expect(201, 'POST', '/v1/admin/identities', { identifier: email });
    const grant = ({ serviceId }: typeof leaver, role: string) =>
      administrator.expect(201, 'POST', '/v1/admin/role-grants', { serviceId, resourceId: projectId, role });
    await grant(leaver, 'operator');
    await grant(leaver, 'viewer');
    await grant(wren, 'viewer');
    const both = await api.expect(201, 'POST', '/v1/admin/accounts', { ...account, accountId: 'both' });
    await grant(both, 'operator');
    const above = { serviceId: both.serviceId, resourceId: organizationId, role: 'viewer' };
    await administrator.expect(201, 'POST', '/v1/admin/role-grants', above);
    const roles = [{ resourceId: projectId, role: 'viewer' }];
    await api.expect(201, 'POST', '/v1/admin/invitations', { email, organizationId, roles });

    // Reloads, because the console caches its lists.
    await page.goto(url('/access'));
    await page.getByRole('button', { name: 'Revoke operator of leaver' }).click();
    await page.getByRole('button', { name: 'Revoke the role' }).click();
    await page.getByText(/still has one role on the project mill-project/).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await closed();
    const held = `/v1/admin/identity-permissions?resourceId=${projectId}&serviceId=${leaver.serviceId}`;
    expect(await api.expect(200, 'GET', held)).toMatchObject({ permissions: [] });

    await page.getByRole('button', { name: 'Revoke operator of both' }).click();
    await page.getByRole('button', { name: 'Revoke the role' }).click();
    await page.getByText('Roles on parent resources remain').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'viewer on the' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await closed();

    await page.getByRole('button', { name: `Revoke viewer of ${email}` }).click();
    await page.getByRole('button', { name: 'Revoke the role' }).click();
    await page.getByText(`an open invitation offers ${email} roles`, { exact: false }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Withdraw it' }).click();
    await closed();
    const open = `/v1/admin/invitations?state=PENDING&resourceId=${organizationId}`;
    const { items } = await api.expect<{ items: { email: string }[] }>(200, 'GET', open);
    expect(items.filter((one) => one.email === email)).toEqual([]);
  });

  test('the console lists the roles of applications, and after revoking one shows the remaining roles and can revoke them too', async () => {
    const { stage, page, url, closed } = at();
    const { installation, tenant } = stage;
    const { api, organizationId, projectId } = tenant;
    const administrator = await logIn(installation.url, installation.administrator);
    const { appId } = await api.expect(201, 'POST', '/v1/admin/apps', { name: 'Kiosk', projectId });
    const grants = '/v1/admin/app-role-grants';
    const set = (resourceId: string, role: string) =>
      administrator.expect(200, 'PUT', `${grants}/${resourceId}/${appId}`, { role });
    await set(organizationId, 'viewer');
    await set(projectId, 'application');

    await page.goto(url('/access?part=apps'));
    await page.getByRole('button', { name: 'Revoke viewer of Kiosk' }).click();
    await page.getByRole('button', { name: 'Revoke the role' }).click();
    await page.getByText(/Kiosk still has one role on the organization/).waitFor();
    expect(await faultsInTwoLooks(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await closed();
    await page.getByRole('button', { name: 'Revoke application of Kiosk' }).waitFor({ state: 'detached' });
    expect(await faultsInTwoLooks(page)).toEqual([]);
    const held = await api.expect<{ items: { appId: string }[] }>(200, 'GET', `${grants}/${projectId}`);
    expect(held.items.filter((one) => one.appId === appId)).toEqual([]);
  });

  test('the organization’s page shows how much the organization stores, with a warning near a storage limit', async () => {
    const { stage, page } = at();
    const { installation, tenant } = stage;
    const administrator = await logIn(installation.url, installation.administrator);
    const limit = `/v1/admin/organizations/${tenant.organizationId}/storage-limits/projects`;
    await goTo(page, '/access?part=storage');
    const row = page.getByRole('row').filter({ hasText: 'projects' }).first();
    await row.getByText('1,000').waitFor();
    expect(await page.getByText('uses more than 80%').count()).toBe(0);
    await administrator.expect(200, 'PUT', limit, { most: 1 });
    await page.reload();
    await page.getByText('uses more than 80% of a storage limit: projects.').waitFor();
    expect(await faultsInTwoLooks(page)).toEqual([]);
    await administrator.expect(200, 'PUT', limit, { most: null });
  });

  test('the console invites a person, copies the link and cancels the invitation, and shows a new application’s token once', async () => {
    const { page } = at();
    await goTo(page, '/access?part=invitations');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('E-mail address').fill('grace@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('viewer');
    const link = 'https://ledger.example/console/#/init-user?initToken=ivs_once';
    // The response that an administrator gets if no mail server is configured.
    await page.route('**/v1/admin/invitations', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), initLink: link } });
    });
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByText(link).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.unrouteAll({ behavior: 'wait' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the invitation link for grace@example.com' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^http.*[/]console[/]#[/]invitation[?]invitationToken=inv_/,
    );
    expect(await faultsInTwoLooks(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel the invitation for grace@example.com' }).click();
    await page.getByRole('button', { name: 'Cancel the invitation', exact: true }).click();
    await page.getByText('grace@example.com', { exact: true }).waitFor({ state: 'detached' });
    await page.getByText('Invite a person by mail.').waitFor();
    await goTo(page, '/access?part=apps');
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByLabel('Name').fill('Shop');
    await page.getByRole('button', { name: 'Create the application' }).click();
    await page.getByRole('button', { name: 'New token for Shop' }).click();
    await page.getByRole('button', { name: 'Issue the token' }).click();
    await page.getByRole('dialog').getByText('ApplicationToken', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
  });

  test('the console archives an application and a project, lists them as archived, and restores them', async () => {
    const { stage, page, url, closed } = at();
    const { api } = stage.tenant;
    await goTo(page, '/access?part=apps');
    await page.getByRole('button', { name: 'Archive Shop', exact: true }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Archive the application', exact: true }).click();
    await page.getByRole('button', { name: 'Archive Shop', exact: true }).waitFor({ state: 'detached' });
    await page.getByLabel('Active or archived').selectOption('true');
    await page.getByRole('button', { name: 'Restore Shop', exact: true }).click();
    await page.getByRole('button', { name: 'Restore the application', exact: true }).click();
    await page.getByText('No archived applications').waitFor();

    const { organizationId } = stage.tenant;
    await api.expect(201, 'POST', '/v1/admin/projects', {
      organizationId,
      name: 'Old mill',
      projectId: 'old-mill',
    });
    // Reloads, because the page does not show the new project yet.
    await page.goto(url('/access?part=projects'));
    await page.getByRole('button', { name: 'Archive Old mill', exact: true }).click();
    await page.getByRole('button', { name: 'Archive the project', exact: true }).click();
    await closed();
    await page.getByRole('button', { name: 'Archive Old mill', exact: true }).waitFor({ state: 'detached' });
    expect(
      (await api.expect<{ archivedAt: string | null }>(200, 'GET', '/v1/admin/projects/old-mill')).archivedAt,
    ).not.toBeNull();
    await page.getByLabel('Active or archived').selectOption('true');
    await page.getByRole('button', { name: 'Restore Old mill', exact: true }).click();
    await page.getByRole('button', { name: 'Restore the project', exact: true }).click();
    await page.getByText('No archived projects').waitFor();
    expect(await faultsInTwoLooks(page)).toEqual([]);
    expect(await api.expect(200, 'GET', '/v1/admin/projects/old-mill')).toMatchObject({ archivedAt: null });
  });
}
