import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pluginUrl } from '../../events/timeline-steps.ts';
import { addWallet, ended, transferBody } from '../../stage/api.ts';
import { faultsInTwoLooks } from '../console-faults.ts';
import { type ConsoleStage, enter, goTo } from '../console-stage.ts';

/** @param open creates a project for the scenario */
export function describeDependencies(open: () => Promise<ConsoleStage>): void {
  describe('dependencies of actions in the console', () => {
    let stage: ConsoleStage;
    let page: Page;
    /** Ids of actions on two ledgers, each after its dependencies. */
    let chain: string[] = [];
    const errors: string[] = [];

    beforeAll(async () => {
      stage = await open();
      page = await stage.openPage();
      page.on('pageerror', ({ message }) => errors.push(message));
      await enter(page, (await stage.invite('ada@weir.example.com', 'owner')).init, 'Ada Lovelace');
      const { installation, tenant } = stage;
      const { anvil } = installation;
      await addWallet(installation, tenant, 'till');
      await tenant.api.expect(201, 'POST', '/v1/admin/ledgers', {
        ...{ ledgerId: 'second', name: 'second', technology: 'ethereum', nodes: [{ uri: anvil.url }] },
        properties: { development: true, polling_interval: 20 },
      });
      const { walletAddress = '' } = await tenant.api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
        ...{ walletId: 'rent', ledgerId: 'second' },
        pluginParameters: { walletPassword: transferBody('rent', '').walletPassword },
      });
      await anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
      await anvil.rpc('evm_setAutomine', [false]);
      await anvil.rpc('anvil_setIntervalMining', [0]);
      const send = async (walletId: string, dependencies: string[]) => {
        const body = { ...transferBody(walletId, `0x${'be'.repeat(20)}`), dependencies };
        return (await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', body)).actionId ?? '';
      };
      const first = await send('till', []);
      const second = await send('rent', [first]);
      chain = [first, second, await send('till', [second])];
    }, 300_000);
    afterAll(async () => {
      await page?.context().close();
    });

    const url = (path: string) => `${stage.installation.url}/console${path}`;
    const graph = () => page.getByRole('region', { name: 'Graph of dependencies' });

    test('the graph shows an action with all its dependencies and dependents, on both ledgers', async () => {
      const [first, second, third] = chain;
      await goTo(page, `/actions/${second}`);
      await expect.poll(() => graph().getByRole('link').count()).toBe(3);
      const targets = await graph()
        .getByRole('link')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.split('/').at(-1)));
      expect(new Set(targets)).toEqual(new Set([first, second, third]));
      const current = graph().locator('[aria-current=page]');
      expect(await current.getAttribute('href')).toContain(second);
      expect(await current.textContent()).toContain('second');
      expect(await graph().getByText('chain', { exact: true }).count()).toBe(2);
      // Actions are ordered from left to right, with a line to each dependency.
      const left = async (id: string | undefined) =>
        (await graph().locator(`[href$="${id}"]`).boundingBox())?.x ?? Number.NaN;
      expect(await left(first)).toBeLessThan(await left(second));
      expect(await left(second)).toBeLessThan(await left(third));
      expect(await graph().locator('svg > path').count()).toBe(2);
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });

    test('axe finds no faults in the dialogs of a pending action', async () => {
      await graph().locator(`[href$="${chain[0]}"]`).click();
      await page.getByRole('heading', { level: 1, name: /^Transfer/ }).waitFor();
      for (const name of ['Speed up', 'Cancel']) {
        await page.getByRole('button', { name, exact: true }).click();
        await page.getByRole('dialog').waitFor();
        expect(await faultsInTwoLooks(page), name).toEqual([]);
        await page.getByRole('button', { name: 'Leave it' }).click();
      }
    });

    test('the graph is updated when a dependency or dependent changes', async () => {
      const last = graph().locator(`[href$="${chain[2]}"]`);
      await last.getByText('pending').waitFor();
      await stage.installation.anvil.rpc('anvil_setIntervalMining', [1]);
      await last.getByText('succeeded').waitFor();
      expect(await ended(stage.tenant.api, chain[2] ?? '')).toMatchObject({ status: 'SUCCEEDED' });
      await last.press('Enter');
      await page.waitForURL((to) => to.pathname.endsWith(chain[2] ?? ''));
      await stage.installation.anvil.rpc('evm_setAutomine', [true]);
    });

    test('axe finds no faults in the forms of operations and in the dialogs that change ledgers, wallets and plugins', async () => {
      await goTo(page, '/send');
      await page.getByLabel('From the wallet').selectOption('till');
      expect(await faultsInTwoLooks(page), 'transfer').toEqual([]);
      await goTo(page, '/send?kind=call');
      await page.getByLabel('From the wallet').selectOption('till');
      expect(await faultsInTwoLooks(page), 'call').toEqual([]);
      const { api, projectId } = stage.tenant;
      const plugin = { name: 'spare', url: pluginUrl, tags: ['ethereum'], projectId };
      const { id } = await api.expect(201, 'POST', '/v1/plugins', plugin);
      const windows = [
        ['/ledgers/second', 'Suspend'],
        ['/wallets', 'New wallet'],
        [`/plugins/${id}`, 'Switch off'],
      ] as const;
      for (const [path, name] of windows) {
        // Reloads, because the console does not show records that were created over HTTP in the meantime.
        await page.goto(url(path));
        await page.getByRole('button', { name, exact: true }).click();
        await page.getByRole('dialog').waitFor();
        expect(await faultsInTwoLooks(page), name).toEqual([]);
      }
      expect(errors).toEqual([]);
    });
  });
}
