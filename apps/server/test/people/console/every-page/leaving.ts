import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addTenant } from '../../../stage/api.ts';
import { faultsInTwoLooks } from '../../console-faults.ts';
import { password } from '../../console-stage.ts';
import type { EveryPage } from './context.ts';

/** People without access, and the end of a session. */
export function describeLeaving(at: () => EveryPage): void {
  test('a sign-in that was not started in this tab is rejected', async () => {
    const { stage, page, url } = at();
    const other = await page.context().newPage();
    await other.goto(url('/callback?code=code_stolen&state=theirs&iss=x'));
    await other.getByText('This sign-in was not started in this tab').waitFor();
    expect(other.url()).not.toContain('code_stolen');
    expect(await faultsInTwoLooks(other)).toEqual([]);
    await other.goto((await stage.invite('joan@example.com', 'viewer')).init);
    await other.getByLabel('Your name').waitFor();
    expect(await faultsInTwoLooks(other)).toEqual([]);
    await other.close();
  });

  test('signing out ends the session, and the next sign-in requires the password', async () => {
    const { page, heading, url, expectedErrors, unexpectedErrors } = at();
    await page.goto(url('/actions'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading('You are signed out').waitFor();
    expect(await faultsInTwoLooks(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading('Sign in').waitFor();
    expect(await faultsInTwoLooks(page)).toEqual([]);
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Password').fill('a wrong one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await faultsInTwoLooks(page)).toEqual([]);
    // The browser reports the response's status.
    expectedErrors.push('401');
    expect(unexpectedErrors()).toEqual([]);
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading('Overview').waitFor();
  });

  test('a person without a role in a project does not see its records', async () => {
    const { stage, page, url } = at();
    const other = await addTenant(stage.installation.url, stage.installation.administrator, 'loft');
    const bearer = await tokenOf(page, url('/actions'));
    const requestWallets = (project: string) =>
      fetch(`${stage.installation.url}/v1/cloud-wallet/wallets`, {
        headers: { Authorization: bearer, 'Ledger-Ops-Project': project },
      });
    expect((await requestWallets(stage.tenant.projectUuid)).status).toBe(200);
    const refused = await requestWallets(other.projectUuid);
    expect([refused.status, ((await refused.json()) as { type?: string }).type]).toEqual([
      403,
      'urn:ledger-ops:problem:not-permitted',
    ]);
    expect((await requestWallets('nonsense')).status).toBe(403);
  });
}

/** Returns the Authorization header of the page's requests. */
async function tokenOf(page: Page, address: string): Promise<string> {
  const sent = page.waitForRequest((request) => request.url().includes('/v1/ledger-ops/actions'));
  await page.goto(address);
  return (await (await sent).headerValue('authorization')) ?? '';
}
