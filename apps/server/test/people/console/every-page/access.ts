import { expect, test } from 'vitest';
import { faultsInTwoLooks, faultsOf } from '../../console-faults.ts';
import { goTo } from '../../console-stage.ts';
import type { EveryPage } from './ground.ts';

/** Accounts, invitations, applications, and what is archived. */
export function describeAccess(at: () => EveryPage): void {
  test('an account is made, given a role and a token, and asked what it may do; the token is disabled', async () => {
    const { stage, page, closed } = at();
    const { api } = stage.tenant;
    const dialog = page.getByRole('dialog');
    await goTo(page, '/access?part=accounts');
    await page.getByRole('button', { name: 'New account' }).click();
    await page.getByLabel('Name').fill('Bakery');
    await page.getByLabel('Id').fill('bakery');
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('link', { name: 'Bakery' }).click();
    await page.getByRole('button', { name: 'New API token' }).click();
    await dialog.getByText('API token', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'I have it' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('New API token');
    await page.getByRole('button', { name: 'New key' }).click();
    await dialog.getByText('PRIVATE KEY', { exact: false }).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'I have it' }).click();
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
    await page.getByText('operator on the project mill-project', { exact: false }).waitFor();
    await page.getByText('transact', { exact: true }).waitFor();
    await goTo(page, '/access');
    await page.getByRole('button', { name: 'Revoke operator of bakery' }).click();
    await page.getByRole('button', { name: 'Revoke the role' }).click();
    await closed();
    await page.getByRole('link', { name: 'bakery' }).waitFor({ state: 'detached' });
    const left = `/v1/admin/identity-permissions?resourceId=mill-project&serviceId=${serviceId}`;
    expect(await api.expect(200, 'GET', left)).toMatchObject({ permissions: [] });

    await goTo(page, '/timeline?type=service-account');
    const made = page.getByRole('row').filter({ hasText: 'Create' }).filter({ hasText: 'Bakery' });
    await made.getByRole('cell', { name: 'ada@example.com', exact: true }).first().waitFor();
  });

  test('somebody is invited and the invitation cancelled; an application is made, and its token shown once', async () => {
    const { page } = at();
    await goTo(page, '/access?part=invitations');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('E-mail address').fill('grace@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('viewer');
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByRole('button', { name: 'Cancel the invitation of grace@example.com' }).click();
    await page.getByRole('button', { name: 'Cancel the invitation', exact: true }).click();
    await page.getByText('grace@example.com', { exact: true }).waitFor({ state: 'detached' });
    await goTo(page, '/access?part=apps');
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByLabel('Name').fill('Shop');
    await page.getByRole('button', { name: 'Create the application' }).click();
    await page.getByRole('button', { name: 'New token of Shop' }).click();
    await page.getByRole('button', { name: 'Issue the token' }).click();
    await page.getByRole('dialog').getByText('ApplicationToken', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'I have it' }).click();
  });

  test('an application and a project are archived, seen among what is, and restored', async () => {
    const { stage, page, url, closed } = at();
    const { api } = stage.tenant;
    await goTo(page, '/access?part=apps');
    await page.getByRole('button', { name: 'Archive Shop', exact: true }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Archive the application', exact: true }).click();
    await page.getByText('Shop', { exact: true }).waitFor({ state: 'detached' });
    await page.getByLabel('Archived or not').selectOption('true');
    await page.getByRole('button', { name: 'Restore Shop', exact: true }).click();
    await page.getByRole('button', { name: 'Restore the application', exact: true }).click();
    await page.getByText('No application is archived').waitFor();

    const { organizationId } = stage.tenant;
    await api.expect(201, 'POST', '/v1/admin/projects', {
      organizationId,
      name: 'Old mill',
      projectId: 'old-mill',
    });
    // The page does not know of it yet.
    await page.goto(url('/access?part=projects'));
    await page.getByRole('button', { name: 'Archive Old mill', exact: true }).click();
    await page.getByRole('button', { name: 'Archive the project', exact: true }).click();
    await closed();
    await page.getByRole('button', { name: 'Archive Old mill', exact: true }).waitFor({ state: 'detached' });
    expect(
      (await api.expect<{ archivedAt: string | null }>(200, 'GET', '/v1/admin/projects/old-mill')).archivedAt,
    ).not.toBeNull();
    await page.getByLabel('Archived or not').selectOption('true');
    await page.getByRole('button', { name: 'Restore Old mill', exact: true }).click();
    await page.getByRole('button', { name: 'Restore the project', exact: true }).click();
    await page.getByText('No project is archived').waitFor();
    expect(await faultsInTwoLooks(page)).toEqual([]);
    expect(await api.expect(200, 'GET', '/v1/admin/projects/old-mill')).toMatchObject({ archivedAt: null });
  });
}
