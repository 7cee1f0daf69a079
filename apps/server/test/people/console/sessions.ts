import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addWallet, ended, logIn, nobody, send } from '../../stage/api.ts';
import { faultsInTwoLooks } from '../console-faults.ts';
import { type ConsoleStage, enter } from '../console-stage.ts';

/** The part of a health response that the test changes: the ledgers that the server follows. */
interface Health {
  followed: { uid: string; ledgerId: string }[];
}

/** @param open creates a project for the scenario */
export function describeSessions(open: () => Promise<ConsoleStage>): void {
  describe('sessions of the console', () => {
    let stage: ConsoleStage;
    let page: Page;

    beforeAll(async () => {
      stage = await open();
      page = await stage.openPage();
      const { init } = await stage.invite('ada@bakery.example.com', 'owner');
      await enter(page, init, 'Ada Lovelace');
      await addWallet(stage.installation, stage.tenant, 'till');
      await ended(stage.tenant.api, await send(stage.tenant, 'till'));
    }, 300_000);
    afterAll(async () => {
      await page?.context().close();
    });

    const url = (path: string) => `${stage.installation.url}/console${path}`;
    const button = (name: string) => page.getByRole('button', { name, exact: true });

    test('if a token cannot be renewed because the service is busy, the session continues and forms keep their content', async () => {
      await page.goto(url('/send?wallet=till'));
      await page.getByLabel('To', { exact: true }).fill(nobody);
      await page.getByLabel('Amount').fill('1');
      await page.route('**/v1/ledger-ops/emulate', (route) => route.fulfill({ status: 401, json: {} }));
      await page.route('**/v1/auth/token', (route) => route.fulfill({ status: 429, json: {} }));
      await button('Dry run').click();
      await page.getByText('Unexpected response from the service.').waitFor();
      await page.unrouteAll({ behavior: 'wait' });
      await button('Dry run').click();
      await page.getByText('The operation would succeed.').waitFor();
      expect(await page.getByLabel('Amount').inputValue()).toBe('1');
    });

    test('a ledger whose state is unknown is not shown as working', async () => {
      await page.goto(url('/ledgers'));
      await page.getByText('working', { exact: true }).waitFor();
      const respond = async (change: (health: Health) => object) =>
        await page.route(/[/]ledger-health$/, async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: change(await response.json()) });
        });
      await respond(({ followed }) => ({
        followed,
        ledgers: followed.map((one) => ({
          ...one,
          ...{ reasons: ['Its node cannot be reached.'], warnings: [], suspension: null },
        })),
      }));
      await page.goto(url('/'));
      await page.getByText('not working', { exact: true }).waitFor();
      await page.getByText(/^Last known block/).waitFor();
      await page.unrouteAll({ behavior: 'wait' });
      await respond(() => ({ ledgers: [], followed: [] }));
      await page.goto(url('/'));
      await page.getByText('no data yet', { exact: true }).waitFor();
      expect(await page.getByText('working', { exact: true }).count()).toBe(0);
      await page.unrouteAll({ behavior: 'wait' });
      await page.route(/[/](?:readyz|ledger-health)$/, (route) =>
        route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }),
      );
      await page.goto(url('/ledgers'));
      await page.getByText('unknown', { exact: true }).waitFor();
      expect(await page.getByText('working', { exact: true }).count()).toBe(0);
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByText('The service does not respond').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.unrouteAll({ behavior: 'wait' });
    });

    test('the console warns that the database is read-only until a deployer runs ledger-ops adopt', async () => {
      await page.route(/[/]readyz$/, async (route) => {
        const response = await route.fetch();
        const json = { ...(await response.json()), status: 'not-ready', readOnly: true };
        await route.fulfill({ status: 503, json });
      });
      await page.goto(url('/wallets'));
      const alert = page
        .getByRole('alert')
        .filter({ hasText: 'Records can be read, but nothing is accepted' });
      await alert.getByText('ledger-ops adopt', { exact: true }).waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.unrouteAll({ behavior: 'wait' });
      await page.goto(url('/wallets'));
      await page.getByRole('link', { name: 'till' }).waitFor();
      await alert.waitFor({ state: 'detached' });
    });

    test('a user without an active project can restore an archived one', async () => {
      const admin = await logIn(stage.installation.url, stage.installation.administrator);
      await admin.expect(200, 'POST', `/v1/admin/projects/${stage.tenant.projectId}/archive`);
      await page.goto(url('/wallets'));
      await page.getByText('No projects yet', { exact: true }).last().waitFor();
      // Without a project there is no event stream, so the page must not show that it is connecting.
      await page.getByText('Connecting', { exact: true }).waitFor({ state: 'detached' });
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.getByRole('link', { name: 'Projects and organizations' }).click();
      await button('New project').waitFor();
      await page.getByLabel('Active or archived').selectOption('true');
      await page.getByRole('button', { name: /^Restore bakery project/ }).click();
      await button('Restore the project').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Wallets', exact: true }).click();
      await page.getByRole('link', { name: 'till' }).waitFor();
    });

    test('a tab keeps its project when a different project is chosen in another tab', async () => {
      const { api, organizationId, projectUuid } = stage.tenant;
      await api.expect(201, 'POST', '/v1/admin/projects', {
        organizationId,
        projectId: 'bakery',
        name: 'Bakery',
      });
      await page.goto(url('/'));
      await page.getByText('Live', { exact: true }).waitFor();
      const other = await page.context().newPage();
      await other.goto(url('/wallets'));
      await other.getByRole('link', { name: 'till' }).waitFor();
      await other.getByLabel('Project').selectOption('Bakery');
      await other.getByText('No wallets yet').waitFor();
      const [request] = await Promise.all([
        page.waitForRequest('**/v1/cloud-wallet/wallets?**'),
        page.getByRole('navigation').getByRole('link', { name: 'Wallets' }).click(),
      ]);
      expect(request.headers()['ledger-ops-project']).toBe(projectUuid);
      await other.close();
      await page.getByRole('link', { name: 'till' }).waitFor();
    });

    test('a sign-out that does not reach the service is reported and retried', async () => {
      await page.route('**/v1/auth/logout', (route) => route.abort());
      await button('Sign out').click();
      await page.getByText('you are still signed in').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.getByRole('link', { name: 'Actions', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Actions' }).waitFor();
      await page.unrouteAll({ behavior: 'wait' });
      await button('Sign out').click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    });
  });
}
