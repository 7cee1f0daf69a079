import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addTenant } from '../../stage/api.ts';
import { faultsInTwoLooks } from '../console-faults.ts';
import { type ConsoleStage, enter, goTo, password } from '../console-stage.ts';

/** @param open gives the story a project of its own */
export function describeInvitation(open: () => Promise<ConsoleStage>): void {
  describe('an invitation of who has an account', () => {
    let stage: ConsoleStage;
    let page: Page;

    beforeAll(async () => {
      stage = await open();
      page = await stage.openPage();
      await enter(page, (await stage.invite('hopper@example.com', 'viewer')).init, 'Grace Hopper');
    }, 300_000);
    afterAll(async () => {
      await page?.context().close();
    });

    /** Another organization with a project, which invites her. */
    async function invitedInto(name: string): Promise<string> {
      const { url, administrator } = stage.installation;
      const tenant = await addTenant(url, administrator, name);
      return (await stage.invite('hopper@example.com', 'operator', tenant)).answer;
    }
    const projects = async (of: Page) =>
      (await of.getByLabel('Project', { exact: true }).locator('option').allTextContents()).sort();

    test('takes no short password, which is said once, and leads to pages that say what is missing there', async () => {
      const other = await stage.openPage();
      await other.goto((await stage.invite('lovelace@example.com', 'viewer')).init);
      await other.getByLabel('Your name').fill('Ada Lovelace');
      await other.getByLabel('Password').fill('short');
      await other.getByLabel(/I accept the terms/).check();
      await other.getByRole('button', { name: /Set the password/ }).click();
      await other.getByText('must have at least').waitFor();
      expect(await other.getByRole('alert').count()).toBe(0);
      await other.context().close();
      await page.goto(`${stage.installation.url}/console/webhooks`);
      await page.getByText('can give you a role that has it').waitFor();
      await goTo(page, '/send');
      await page.getByRole('link', { name: 'create a wallet' }).waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });

    test('is accepted by the link of its mail, and its project is there at once', async () => {
      await page.goto(await invitedInto('barn'));
      await page.getByRole('heading', { level: 1, name: 'Invitation' }).waitFor();
      expect(page.url()).not.toContain('invitationToken');
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByText('You are in: barn-organization.').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.getByRole('link', { name: 'To the console' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await expect.poll(() => projects(page)).toEqual(['barn project', 'inn project']);
    });

    test('is rejected after a sign-in, and leaves everything as it is', async () => {
      const other = await stage.openPage();
      await other.goto(await invitedInto('shed'));
      await other.getByLabel('E-mail address').fill('hopper@example.com');
      await other.getByLabel('Password').fill(password);
      await other.getByRole('button', { name: 'Log in' }).click();
      await other.getByRole('button', { name: 'Reject' }).click();
      await other.getByText('The invitation is rejected.').waitFor();
      await other.goto(`${stage.installation.url}/console/invitation`);
      await other.getByText('No invitation is open here').waitFor();
      await expect.poll(() => projects(other)).toEqual(['barn project', 'inn project']);
      await other.context().close();
    });

    test('whose link was used, or is not hers, is refused in words', async () => {
      await page.goto(`${stage.installation.url}/console/#/invitation?invitationToken=ivt_nonsense`);
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByRole('alert').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });
  });
}
