import { startProxy } from '@ledger-ops/devnet';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pluginUrl } from '../../events/timeline-steps.ts';
import { addTenant, nobody, type Tenant, transferBody } from '../../stage/api.ts';
import { faultsInTwoLooks, faultsOf } from '../console-faults.ts';
import { type ConsoleStage, enter } from '../console-stage.ts';

/** URL of a remote plugin at which no server listens. */
export const farAway = 'https://127.0.0.1:9';

/** @param open creates a project for the scenario */
export function describeInstallation(open: () => Promise<ConsoleStage>): void {
  describe('ledgers, nodes and plugins in the console', () => {
    let stage: ConsoleStage;
    let page: Page;
    const errors: string[] = [];

    beforeAll(async () => {
      stage = await open();
      page = await stage.openPage();
      page.on('pageerror', ({ message }) => errors.push(message));
      await enter(page, (await stage.invite('ada@yard.example.com', 'owner')).init, 'Ada Lovelace');
    }, 300_000);
    afterAll(async () => {
      await page?.context().close();
    });

    const walletPassword = 'correct horse battery staple';
    const dialog = () => page.getByRole('dialog');
    const closed = () => dialog().waitFor({ state: 'detached' });
    const go = (name: string) =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
    const read = <Body>(path: string) => stage.tenant.api.expect<Body>(200, 'GET', path);

    test('a new ledger’s form has the fields of the chosen technology, and adds the ledger with its first node', async () => {
      const { anvil } = stage.installation;
      await go('Ledgers');
      await page.getByRole('button', { name: 'New ledger' }).click();
      await dialog().getByLabel('Id', { exact: true }).fill('mill-chain');
      await dialog().getByLabel('Name', { exact: true }).fill('The mill’s chain');
      await dialog().getByLabel('URL of its first node').fill(anvil.url);
      await dialog().getByText('Properties', { exact: true }).click();
      await dialog().getByLabel('Confirmations').fill('two');
      await dialog().getByText('must be a number').waitFor();
      await dialog().getByRole('button', { name: 'Add the ledger' }).click();
      // The browser keeps the focus on the invalid field.
      expect(await page.evaluate("document.activeElement.matches('input:invalid')")).toBe(true);
      await dialog().getByLabel('Confirmations').fill('2');
      await dialog().getByLabel('Fee mode').selectOption('legacy');
      await dialog().getByLabel('Development').selectOption('yes');
      expect(await faultsOf(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Add the ledger' }).click();
      await page.getByRole('heading', { level: 1, name: 'The mill’s chain' }).waitFor();
      expect(await read('/v1/admin/ledgers/mill-chain')).toMatchObject({
        name: 'The mill’s chain',
        projectId: stage.tenant.projectId,
        properties: { chain_id: 31_337, confirmations: 2, fee_mode: 'legacy', development: true },
      });
      await page.getByRole('cell', { name: anvil.url }).first().waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });

    test('changing one property of a ledger keeps its other properties', async () => {
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await dialog().getByLabel('Name', { exact: true }).fill('Mill');
      await dialog().getByText('Properties', { exact: true }).click();
      await dialog().getByLabel('Confirmations').fill('3');
      await dialog().getByLabel('Fee mode').selectOption('Not set');
      expect(await faultsOf(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Save' }).click();
      await closed();
      await page.getByRole('heading', { level: 1, name: 'Mill' }).waitFor();
      const { properties } = await read<{ properties: object }>('/v1/admin/ledgers/mill-chain');
      expect(properties).toEqual({ chain_id: 31_337, confirmations: 3, development: true });
    });

    test('a node’s secret is never shown, is kept by changes, and is not sent to another address', async () => {
      const { anvil } = stage.installation;
      await page.getByRole('button', { name: 'New node' }).click();
      await dialog().getByLabel('Address', { exact: true }).fill(anvil.url);
      await dialog().getByLabel('Name', { exact: true }).fill('Second');
      await dialog().getByText('Properties', { exact: true }).click();
      await dialog().getByLabel('Authorization').fill('Bearer of-nobody');
      expect(await dialog().getByLabel('Authorization').getAttribute('type')).toBe('password');
      expect(await faultsOf(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Add the node' }).click();
      await closed();
      await page.getByRole('button', { name: 'Change the node Second' }).click();
      await dialog().getByText('Properties', { exact: true }).click();
      expect(await dialog().getByLabel('Authorization').inputValue()).toBe('');
      await dialog().getByLabel('Name', { exact: true }).fill('Spare');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await closed();
      const { items } = await read<{ items: object[] }>('/v1/admin/nodes?ledgerId=mill-chain');
      expect(items).toMatchObject([{}, { name: 'Spare', properties: { authorization: null } }]);

      await page.getByRole('button', { name: 'Change the node Spare' }).click();
      await dialog().getByLabel('Address', { exact: true }).fill(anvil.url.replace('127.0.0.1', 'localhost'));
      await dialog().getByRole('button', { name: 'Save' }).click();
      await dialog().getByText('must be sent again', { exact: false }).waitFor();
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Remove the node Spare' }).click();
      expect(await faultsOf(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Remove the node' }).click();
      await closed();
      await page.getByText('Spare', { exact: true }).waitFor({ state: 'detached' });
      expect(await page.content()).not.toContain('of-nobody');
    });

    test('the console registers a plugin with credentials, and shows the service’s warnings', async () => {
      await go('Plugins');
      await page.getByRole('button', { name: 'Register a plugin' }).click();
      await dialog().getByLabel('Name', { exact: true }).fill('Far away');
      await dialog().getByLabel('Module or URL').fill(farAway);
      await dialog().getByLabel('Tags').fill('ethereum, far');
      await dialog().getByLabel('Integrity').fill('md5-1');
      await dialog().getByRole('button', { name: 'Register the plugin' }).click();
      expect(await page.evaluate("document.activeElement.matches('input:invalid')")).toBe(true);
      await dialog().getByLabel('Integrity').fill('');
      await dialog().getByLabel('Credentials').selectOption('Add credentials');
      await dialog().getByLabel('Bearer token').fill('of-nobody');
      expect(await faultsOf(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Register the plugin' }).click();
      await page.getByText('The service warns:').waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Understood' }).click();
      await page.getByRole('heading', { level: 1, name: 'Far away' }).waitFor();
      await page.getByText('stored, and never shown').waitFor();
      expect(await page.content()).not.toContain('of-nobody');
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });

    test('the console changes a plugin’s module and tags, and removes its credentials', async () => {
      const id = page.url().split('/').at(-1);
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await dialog().getByLabel('Name', { exact: true }).fill('Near');
      await dialog().getByLabel('Module or URL').fill(pluginUrl);
      await dialog().getByLabel('Tags').fill('ethereum, near');
      await dialog().getByRole('button', { name: 'Save' }).click();
      // The stored credentials belong to the former address, so the user must replace or remove them.
      await dialog().getByRole('alert').waitFor();
      await dialog().getByLabel('Credentials').selectOption('Remove them');
      expect(await faultsOf(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Save' }).click();
      await closed();
      await page.getByRole('heading', { level: 1, name: 'Near' }).waitFor();
      expect(await read(`/v1/plugins/${id}`)).toMatchObject({
        ...{ name: 'Near', url: pluginUrl, hasCredentials: false, active: true },
        tags: ['ethereum', 'near'],
      });
    });

    test('a ledger of another organization with the same id does not affect a ledger’s health', async () => {
      const { url, administrator, anvil } = stage.installation;
      const other = await addTenant(url, administrator, 'mason');
      const node = await startProxy(anvil.url);
      const uidOf = async ({ api }: Pick<Tenant, 'api'>, uri: string) => {
        const books = { ledgerId: 'books', name: 'Books', technology: 'ethereum', nodes: [{ uri }] };
        return (await api.expect<{ uid: string }>(201, 'POST', '/v1/admin/ledgers', books)).uid;
      };
      const own = await uidOf(stage.tenant, anvil.url);
      const foreign = await uidOf(other, node.url);
      const wallet = { walletId: 'oven', ledgerId: 'books', pluginParameters: { walletPassword } };
      const { walletAddress = '' } = await other.api.expect(201, 'POST', '/v1/cloud-wallet/wallets', wallet);
      await anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
      await anvil.rpc('evm_setAutomine', [false]);
      try {
        await other.api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('oven', nobody));
        await node.close();
        const troubled = async ({ api }: Pick<Tenant, 'api'>) => {
          const path = '/v1/admin/ledger-health';
          return (await api.expect<{ ledgers: { uid: string }[] }>(200, 'GET', path)).ledgers.map(
            ({ uid }) => uid,
          );
        };
        await expect.poll(() => troubled(other), { timeout: 60_000 }).toEqual([foreign]);
        // Readiness is public, so it names no ledgers.
        expect(await (await fetch(`${url}/readyz`)).text()).not.toMatch(/books|uid/);
        expect(await troubled(stage.tenant)).toEqual([]);
        expect(own).not.toBe(foreign);
        await page.goto(`${url}/console/ledgers`);
        const row = page.getByRole('row').filter({ hasText: 'Books' });
        await row.getByText('no data yet', { exact: true }).waitFor();
        await go('Overview');
        await page.getByRole('listitem').filter({ hasText: 'Books' }).getByText('no data yet').waitFor();
        expect(await page.getByText('not working').count()).toBe(0);
      } finally {
        await anvil.rpc('evm_setAutomine', [true]);
      }
    });

    test('until a suspended ledger is resumed, its page shows the suspension, and the reason only once', async () => {
      const { api } = stage.tenant;
      const path = '/v1/ledger-ops/suspensions';
      const body = { ledgerId: 'books', reason: 'Audit of the year.' };
      await api.expect(201, 'POST', path, body);
      await page.goto(`${stage.installation.url}/console/ledgers`);
      const row = page.getByRole('row').filter({ hasText: 'Books' });
      await row.getByText('suspended', { exact: true }).waitFor();
      await go('Overview');
      const item = page.getByRole('listitem').filter({ hasText: /^Books/ });
      await item.getByText('suspended', { exact: true }).waitFor();
      expect(await item.getByText('working').count()).toBe(0);
      const banners = page.getByRole('list', { name: 'Suspensions' });
      await banners.getByText(/^The ledger Books is suspended$/).waitFor();
      await banners.getByText('Audit of the year.').waitFor();
      expect(await page.getByText('Audit of the year.').count()).toBe(1);
      await banners.getByRole('button', { name: 'Resume books' }).click();
      await dialog().getByRole('button', { name: 'Resume', exact: true }).click();
      await item.getByText('no data yet').waitFor();
      await banners.waitFor({ state: 'detached' });
    });

    test('the pages of ledgers, nodes and plugins threw no errors', () => {
      expect(errors).toEqual([]);
    });
  });
}
