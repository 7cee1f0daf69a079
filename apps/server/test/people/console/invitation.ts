import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addTenant } from '../../stage/api.ts';
import { faultsInTwoLooks } from '../console-faults.ts';
import { type ConsoleStage, enter, goTo, password } from '../console-stage.ts';

/** @param open creates a project for the scenario */
export function describeInvitation(open: () => Promise<ConsoleStage>): void {
  describe('an invitation of a person with an account', () => {
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

    /** Invites the person into a new organization with a project. Returns the link of the mail. */
    async function invitedInto(name: string): Promise<string> {
      const { url, administrator } = stage.installation;
      const tenant = await addTenant(url, administrator, name);
      return (await stage.invite('hopper@example.com', 'operator', tenant)).answer;
    }
    const projects = async (of: Page) =>
      (await of.getByLabel('Project', { exact: true }).locator('option').allTextContents()).sort();

    test('the invitation’s page reports a short password, and later pages name the role or wallet that the new user lacks', async () => {
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
      await page.getByText('can grant you a role with this permission').waitFor();
      await goTo(page, '/send');
      await page.getByRole('link', { name: 'create a wallet' }).waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });

    test('a viewer does not see buttons whose requests need a different role', async () => {
      const known = page.waitForResponse((response) => response.url().includes('/permission-check'));
      await page.goto(`${stage.installation.url}/console/wallets`);
      await known;
      await page.getByText('No wallets yet').waitFor();
      expect(await page.getByRole('button', { name: /^New / }).count()).toBe(0);
    });

    test('a person who accepts an invitation through the mail’s link sees the project immediately', async () => {
      await page.goto(await invitedInto('barn'));
      await page.getByRole('heading', { level: 1, name: 'Invitation' }).waitFor();
      expect(page.url()).not.toContain('invitationToken');
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByText('You joined barn-organization.').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.getByRole('link', { name: 'Go to the console' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await expect.poll(() => projects(page)).toEqual(['barn project', 'inn project']);
    });

    test('a person who rejects an invitation after signing in gets no role', async () => {
      const other = await stage.openPage();
      await other.goto(await invitedInto('shed'));
      await other.getByLabel('E-mail address').fill('hopper@example.com');
      await other.getByLabel('Password').fill(password);
      await other.getByRole('button', { name: 'Sign in' }).click();
      await other.getByRole('button', { name: 'Reject' }).click();
      await other.getByText('You rejected the invitation.').waitFor();
      await other.goto(`${stage.installation.url}/console/invitation`);
      await other.getByText('No open invitation').waitFor();
      await expect.poll(() => projects(other)).toEqual(['barn project', 'inn project']);
      await other.context().close();
    });

    test('the console shows an error for an invitation with an unknown token', async () => {
      await page.goto(`${stage.installation.url}/console/#/invitation?invitationToken=ivt_nonsense`);
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByRole('alert').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });
  });
}
