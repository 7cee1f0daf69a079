import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UrlPlugin } from '../../stage/url-plugin.ts';
import { faultsInTwoLooks } from '../console-faults.ts';
import { type ConsoleStage, enter, goTo } from '../console-stage.ts';

/**
 * @param open creates a project for the scenario
 * @param pluginOf returns a remote plugin that the server allows
 */
export function describeRemoteLedger(open: () => Promise<ConsoleStage>, pluginOf: () => UrlPlugin): void {
  describe('a ledger of a remote plugin in the console', () => {
    let stage: ConsoleStage;
    let page: Page;

    beforeAll(async () => {
      stage = await open();
      const { api, projectId } = stage.tenant;
      await api.expect(201, 'POST', '/v1/plugins', {
        ...{ name: 'tally', projectId, url: pluginOf().url, tags: ['tally'] },
      });
      await api.expect(201, 'POST', '/v1/admin/ledgers', {
        ...{ ledgerId: 'counter', name: 'Counter', technology: 'tally', projectId },
        properties: { polling_interval: 50 },
      });
      page = await stage.openPage();
      await enter(page, (await stage.invite('ada@orchard.example.com', 'owner')).init, 'Ada Lovelace');
    }, 300_000);
    afterAll(async () => {
      await page?.context().close();
    });

    test('the page of a remote plugin’s ledger has no button for nodes, and says why', async () => {
      await goTo(page, '/ledgers/counter');
      await page.getByText('is remote and connects to its nodes itself').waitFor();
      expect(await page.getByRole('button', { name: 'New node' }).count()).toBe(0);
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });

    test('a ledger form for a remote plugin has no node fields and no properties that remote plugins do not accept', async () => {
      await goTo(page, '/ledgers');
      await page.getByRole('button', { name: 'New ledger' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Technology').selectOption('Ethereum');
      await dialog.getByLabel('URL of its first node').waitFor();
      await dialog.getByText('Properties', { exact: true }).click();
      await dialog.getByLabel('Confirmations').waitFor();
      await dialog.getByLabel('Technology').selectOption('Tally');
      await dialog.getByText('is remote and connects to its nodes itself').waitFor();
      expect(await dialog.getByLabel('URL of its first node').count()).toBe(0);
      await dialog.getByLabel('Max in flight').waitFor();
      expect(await dialog.getByLabel('Confirmations').count()).toBe(0);
      await dialog.getByLabel('Id', { exact: true }).fill('second');
      await dialog.getByRole('button', { name: 'Add the ledger' }).click();
      await page.getByRole('heading', { level: 1, name: 'second' }).waitFor();
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      const change = page.getByRole('dialog');
      await change.getByText('Properties', { exact: true }).click();
      await change.getByLabel('Max in flight').fill('7');
      expect(await change.getByLabel('Confirmations').count()).toBe(0);
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await change.getByRole('button', { name: 'Save' }).click();
      await page.getByLabel('Ledger', { exact: true }).getByText('Max in flight').waitFor();
    });

    test('an action’s page shows which values its remote plugin did not report', async () => {
      const { api } = stage.tenant;
      const walletPassword = 'correct horse battery staple';
      await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
        ...{ walletId: 'payer', ledgerId: 'counter', pluginParameters: { walletPassword } },
      });
      const { actionId } = await api.expect(201, 'POST', '/v1/ledger-ops/send', {
        ...{ walletId: 'payer', walletPassword },
        glo: {
          ...{ version: '0.1.0', type: 'transfer' },
          options: {
            recipient: { lookup_service: { type: 'ledger', value: 'tally' }, resource: 't0000000a' },
            amount: '1',
          },
        },
      });
      await goTo(page, `/actions/${actionId}`);
      await page.getByText('Fee not reported').waitFor();
      const details = page.getByRole('complementary', { name: 'Details' });
      expect(await details.getByText('not reported').count()).toBe(2);
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });
  });
}
