import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { addWallet, ended, nobody, send, transferBody } from '../../stage/api.ts';
import { faultsInTwoLooks } from '../console-faults.ts';
import { type ConsoleStage, enter } from '../console-stage.ts';

/** @param open creates a project for the scenario */
export function describeResuming(open: () => Promise<ConsoleStage>): void {
  describe('a wallet with unknown transactions', () => {
    let stage: ConsoleStage;
    let page: Page;

    beforeAll(async () => {
      stage = await open();
      page = await stage.openPage();
      const { init } = await stage.invite('grace@mint.example.com', 'owner');
      await enter(page, init, 'Grace Hopper');
    }, 300_000);
    afterAll(async () => {
      await page?.context().close();
    });

    const button = (name: string) => page.getByRole('button', { name, exact: true });
    /** Confirms the dialog that is open. */
    const confirm = (name: string) =>
      page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

    test('a wallet with unknown transactions can be resumed on its page after each matching action is decided', async () => {
      const { api } = stage.tenant;
      const { anvil } = stage.installation;
      const { walletAddress: from } = await addWallet(stage.installation, stage.tenant, 'mint-till');
      await ended(api, await send(stage.tenant, 'mint-till'));
      const suspensions = '/v1/ledger-ops/suspensions';
      const body = { walletId: 'mint-till', reason: 'A test.' };
      const { suspensionId } = await api.expect(201, 'POST', suspensions, body);
      await page.goto(`${stage.installation.url}/console/wallets/mint-till`);
      await page.getByText('The wallet mint-till is suspended').waitFor();
      await page.getByText('A test.').waitFor();
      const pay = async () =>
        (await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('mint-till', nobody))).actionId ??
        '';
      const [marked, canceled, released] = [await pay(), await pay(), await pay()];
      await anvil.rpc('anvil_impersonateAccount', [from]);
      await anvil.rpc('eth_sendTransaction', [{ from, to: nobody, value: '0x1' }]);
      await anvil.rpc('anvil_mine', ['0x10']);
      await api.expect(204, 'DELETE', `${suspensions}/${suspensionId}`);
      const path = '/v1/cloud-wallet/wallets/mint-till/unknown-transactions';
      const unknown = async () =>
        (await api.expect<{ transactions: { txId: string | null }[] }>(200, 'GET', path)).transactions;
      await vi.waitFor(async () => expect((await unknown())[0]?.txId).toMatch(/^0x/), 60_000);

      await page.goto(`${stage.installation.url}/console/`);
      await page.getByRole('link', { name: 'Review transactions' }).click();
      await page.getByText('3 actions to resolve').waitFor();
      expect(await button('Resume wallet').isDisabled()).toBe(true);
      await page
        .getByText('Mark each matching action as executed, release it, or cancel it first.')
        .waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);

      await button(`Release ${released}`).click();
      await confirm('Release');
      await page.getByText('2 actions to resolve').waitFor();
      await button(`Cancel ${canceled}`).click();
      await confirm('Cancel the action');
      await page.getByText('1 action to resolve', { exact: true }).waitFor();
      expect(await button('Resume wallet').isDisabled()).toBe(true);
      const [transaction] = await unknown();
      await button(`Mark executed: ${marked}`).click();
      await confirm('Mark executed');
      await page.getByText('No action to resolve').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await button('Resume wallet').click();
      await confirm('Resume');
      await page.getByText('Unknown transactions', { exact: true }).first().waitFor({ state: 'detached' });
      expect(await ended(api, marked)).toMatchObject({ status: 'SUCCEEDED', locator: transaction?.txId });
      expect((await ended(api, released)).status).toBe('SUCCEEDED');
      expect((await ended(api, canceled)).status).toBe('FAILED');
    });
  });
}
