import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addWallet, ended, nobody, send } from '../../stage/api.ts';
import { faultsInTwoLooks, faultsOf } from '../console-faults.ts';
import { type ConsoleStage, enter, goTo } from '../console-stage.ts';

/** @param open creates a project for the scenario */
export function describeOperations(open: () => Promise<ConsoleStage>): void {
  describe('operations and wallets in the console', () => {
    let stage: ConsoleStage;
    let page: Page;
    /** All browser errors: failed scripts, and violations of the content security policy. */
    const errors: string[] = [];

    beforeAll(async () => {
      stage = await open();
      page = await stage.openPage();
      page.on('pageerror', ({ message }) => errors.push(message));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      const { init } = await stage.invite('ada@shop.example.com', 'owner');
      await enter(page, init, 'Ada Lovelace');
      await addWallet(stage.installation, stage.tenant, 'till');
    }, 300_000);
    afterAll(async () => {
      await page?.context().close();
    });

    const walletPassword = 'correct horse battery staple';
    const url = (path: string) => `${stage.installation.url}/console${path}`;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    /** Runs `act` and returns the body of the next request to a path. */
    const bodyTo = async (path: string, act: () => Promise<void>): Promise<unknown> => {
      const sent = page.waitForRequest((request) => new URL(request.url()).pathname === path);
      await act();
      return (await sent).postDataJSON();
    };
    const actionsWithAmount = async (amount: string) =>
      await stage.installation.server.store.read.all('SELECT id FROM action WHERE operation LIKE $1', [
        `%"${amount}"%`,
      ]);
    const dryRun = () => bodyTo('/v1/ledger-ops/emulate', () => button('Dry run').click());

    test('an amount typed before its wallet was chosen is sent in the displayed unit', async () => {
      await goTo(page, '/send');
      await page.getByLabel('To', { exact: true }).fill(nobody);
      await page.getByLabel('Amount').fill('2');
      expect(await button('Send').isDisabled()).toBe(true);
      await page.getByLabel('From the wallet').selectOption('till');
      await page.getByTitle('2000000000000000000 in the ledger’s smallest unit').waitFor();
      expect(await dryRun()).toMatchObject({ glo: { options: { amount: '2000000000000000000' } } });
      await page.getByText('The operation would succeed.').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.getByLabel('Password of the wallet').fill(walletPassword);
      await button('Send').click();
      await page.getByText('Succeeded', { exact: true }).first().waitFor();
      const { locator } = await ended(stage.tenant.api, page.url().split('/').at(-1) ?? '');
      expect(await stage.installation.anvil.rpc('eth_getTransactionByHash', [locator])).toMatchObject({
        value: '0x1bc16d674ec80000',
      });
    });

    test('choosing a different wallet discards the unit, settings and password of the previous wallet', async () => {
      await withOtherLedger(page, async () => {
        await page.goto(url('/send'));
        await page.getByLabel('From the wallet').selectOption('till');
        await page.getByLabel('To', { exact: true }).fill('till');
        await page.getByLabel('Amount in ETH').fill('1');
        await page.getByText('More settings for Ethereum').click();
        await page.getByLabel('Gas limit').fill('123456');
        await page.getByLabel('Password of the wallet').fill(walletPassword);
        await page.getByLabel('From the wallet').selectOption('brook');
        await page.getByTitle('1000000000 in the ledger’s smallest unit').waitFor();
        expect(await page.getByLabel('Amount in DROP').inputValue()).toBe('1');
        expect(await page.getByLabel('Password of the wallet').inputValue()).toBe('');
        const body = await bodyTo('/v1/ledger-ops/emulate', () => button('Dry run').click());
        expect(body).toEqual({
          glo: {
            version: '0.1.0',
            type: 'transfer',
            options: {
              recipient: { lookup_service: { type: 'service', value: 'service' }, resource: 'till' },
              amount: '1000000000',
            },
          },
          walletId: 'brook',
        });
        // The error is about the wallet `brook`, so it disappears when another wallet is chosen.
        await page.getByRole('alert').waitFor();
        await page.getByLabel('From the wallet').selectOption('till');
        await page.getByRole('alert').waitFor({ state: 'detached' });
        await page.getByTitle('1000000000000000000 in the ledger’s smallest unit').waitFor();
      });
    });

    test('a failed dry run keeps Send disabled until the operation changes', async () => {
      await page.goto(url('/send?wallet=till'));
      await page.getByLabel('To', { exact: true }).fill('till');
      await page.getByLabel('Amount in ETH').fill('99999999');
      await page.getByLabel('Password of the wallet').fill(walletPassword);
      await button('Dry run').click();
      await page.getByText('Sending this operation would fail too.').waitFor();
      expect(await button('Send').isDisabled()).toBe(true);
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.getByLabel('Amount in ETH').fill('0.01');
      expect(await button('Send').isDisabled()).toBe(false);
    });

    test('an operation whose response was lost is found after a reload, and is not paid twice', async () => {
      const fillIn = async () => {
        await page.goto(url('/send?wallet=till'));
        await page.getByLabel('To', { exact: true }).fill(nobody);
        await page.getByLabel('Amount in ETH').fill('0.0125');
        await page.getByLabel('Password of the wallet').fill(walletPassword);
      };
      const note = page.getByText('The same operation has no response yet');
      const keys: (string | undefined)[] = [];
      const lose = async (route: Route) => {
        keys.push(route.request().headers()['idempotency-key']);
        await route.fetch();
        await route.abort();
      };
      await page.route('**/v1/ledger-ops/send', lose);
      await fillIn();
      await button('Send').click();
      await note.waitFor();
      await page.unroute('**/v1/ledger-ops/send', lose);

      await fillIn();
      await note.waitFor();
      expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toMatch(/horse|0\.0125|till/);
      await page.getByLabel('Amount in ETH').fill('0.0126');
      await note.waitFor({ state: 'detached' });
      await page.getByLabel('Amount in ETH').fill('0.0125');
      await button('Check').click();
      await page.getByText('The same operation was accepted').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);

      const repeated = page.waitForRequest((one) => new URL(one.url()).pathname === '/v1/ledger-ops/send');
      await button('Send').click();
      expect((await repeated).headers()['idempotency-key']).toBe(keys[0]);
      await page.getByText('Succeeded', { exact: true }).first().waitFor();
      await fillIn();
      await button('Send').click();
      await page.getByText('Succeeded', { exact: true }).first().waitFor();
      // One action for the repeated operation, and one for the new operation.
      expect(await actionsWithAmount('12500000000000000')).toHaveLength(2);
    });

    test('the form rejects a recipient that is neither the id of a wallet nor an address', async () => {
      await page.goto(url('/send?wallet=till'));
      await page.getByLabel('Amount').fill('1');
      await page.getByLabel('To', { exact: true }).fill('tiil');
      await page.getByText('must be the id of a wallet or an address').waitFor();
      expect(await button('Dry run').isDisabled()).toBe(true);
      await page.getByLabel('To', { exact: true }).fill('till');
      expect(await dryRun()).toMatchObject({
        glo: {
          options: { recipient: { lookup_service: { type: 'service', value: 'service' }, resource: 'till' } },
        },
      });
    });

    test('the transfer form accepts the ids of wallets that its lists do not contain', async () => {
      // Simulates more wallets than the page loads. `till` is not on the page.
      await page.route(
        (address) => address.pathname === '/v1/cloud-wallet/wallets',
        async (route) => {
          const response = await route.fetch();
          await route.fulfill({
            response,
            json: { ...(await response.json()), pageContent: [], totalElements: 250 },
          });
        },
      );
      try {
        await page.goto(url('/send'));
        // Until the number of wallets is known, the field is a list without an input.
        await page.getByText('of 250 are suggested').waitFor();
        await page.getByLabel('From the wallet').fill('till');
        await page.getByLabel('To', { exact: true }).fill('till');
        await page.getByLabel('Amount in ETH').fill('1');
        await page.getByTitle('1000000000000000000 in the ledger’s smallest unit').waitFor();
        expect(await faultsInTwoLooks(page)).toEqual([]);
        expect(await dryRun()).toMatchObject({
          glo: {
            options: {
              recipient: { lookup_service: { type: 'service', value: 'service' }, resource: 'till' },
            },
          },
          walletId: 'till',
        });
        // An incomplete id selects no wallet.
        await page.getByLabel('From the wallet').pressSequentially('2');
        expect(await button('Dry run').isDisabled()).toBe(true);
        await page.goto(url('/wallets'));
        await page.getByText('1 to 25 of 250').waitFor();
        await button('Next').click();
        await page.getByText('26 to 50 of 250').waitFor();
        expect(new URL(page.url()).search).toBe('?page=2');
      } finally {
        await page.unrouteAll({ behavior: 'wait' });
      }
    });

    test('a balance is hidden until its currency is known', async () => {
      const technologies = Promise.withResolvers<void>();
      await page.route('**/v1/technologies', async (route) => {
        await technologies.promise;
        await route.continue();
      });
      try {
        await page.goto(url('/wallets/till'));
        await page.getByText('secp256k1').waitFor();
        expect(await page.getByText(/\d{15}/).count()).toBe(0);
        technologies.resolve();
        await page
          .getByText(/^\d+[.]\d+ ETH$/)
          .first()
          .waitFor();
      } finally {
        technologies.resolve();
        await page.unrouteAll({ behavior: 'wait' });
      }
    });

    test('the action list filters by time, contract, caller and state', async () => {
      await ended(stage.tenant.api, await send(stage.tenant, 'till'));
      const { actions } = await stage.tenant.api.expect<{ actions: { actionId: string }[] }>(
        200,
        'GET',
        '/v1/ledger-ops/actions',
      );
      await goTo(page, '/actions');
      const rows = page.getByRole('table').getByRole('row');
      await expect.poll(() => rows.count()).toBe(actions.length + 1);
      await page.getByText('More filters').click();
      await page.getByLabel('Sent by').fill('somebody-else');
      await page.getByLabel('Sent by').press('Enter');
      await page.getByText('No action matches').waitFor();
      await page.getByText('More filters, 1 set').waitFor();
      await button('Clear these filters').click();
      await expect.poll(() => rows.count()).toBe(actions.length + 1);
      expect(await page.getByLabel('Sent by').inputValue()).toBe('');
      await page.getByLabel('Accepted until').fill('2020-01-01T00:00');
      await page.getByLabel('Accepted until').press('Enter');
      await page.getByText('No action matches').waitFor();
      expect(new URL(page.url()).searchParams.get('to')).toBe(new Date(2020, 0, 1).toISOString());
      await page.getByLabel('Accepted until').fill('');
      await page.getByLabel('Accepted until').press('Enter');
      await page.getByLabel('Stage').selectOption('blocked');
      await page.getByText('No action matches').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });

    test('the action list saves filters, exports its rows, and is navigated by keyboard', async () => {
      await goTo(page, '/actions?tag=none-has-it');
      await button('Save this filter').click();
      await page.getByRole('dialog').getByLabel('Name').fill('Nothing');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await goTo(page, '/actions');
      await page.getByRole('link', { name: 'Nothing' }).click();
      await page.getByText('No action matches').waitFor();
      expect(new URL(page.url()).search).toBe('?tag=none-has-it');
      await button('Remove the saved filter Nothing').click();
      await page.getByRole('link', { name: 'Nothing' }).waitFor({ state: 'detached' });

      await goTo(page, '/actions');
      const rows = page.getByRole('table').getByRole('row');
      await expect.poll(() => rows.count()).toBeGreaterThan(2);
      const downloading = page.waitForEvent('download');
      await button('Export CSV').click();
      const file = await readFile(await (await downloading).path(), 'utf8');
      expect(file.trim().split('\r\n')).toHaveLength(await rows.count());
      expect(file).toMatch(/^id,accepted,completed,status,/);

      await page.getByRole('region', { name: 'Actions' }).focus();
      await page.keyboard.press('j');
      await page.keyboard.press('ArrowDown');
      expect(await rows.nth(2).evaluate((row) => row.contains(row.ownerDocument.activeElement))).toBe(true);
    });

    test('the console calls an unregistered contract by its address, with a dependency on another action', async () => {
      const { anvil } = stage.installation;
      // This contract accepts any call.
      const contract = '0x00000000000000000000000000000000c0de0001';
      await anvil.rpc('anvil_setCode', [contract, '0x00']);
      const before = await send(stage.tenant, 'till');
      await goTo(page, '/send?kind=call&wallet=till');
      await page.getByRole('button', { name: 'By its address' }).click();
      await page.getByLabel('Address of the contract').fill('0x12');
      await page.getByText('must have the form 0x').waitFor();
      await page.getByLabel('Address of the contract').fill(contract);
      await page.getByLabel('Method').fill('settle(address[],bool,uint256)');
      await page.getByLabel('argument 1').fill(nobody);
      await page.getByText('must be JSON for address[]').waitFor();
      await page.getByLabel('argument 1').fill(JSON.stringify([nobody]));
      await page.getByLabel('argument 2').selectOption('true');
      expect(await button('Dry run').isDisabled()).toBe(true);
      await page.getByLabel('argument 3').fill('5');
      await page.getByLabel('Amount in ETH to send with the operation').fill('0.5');
      await page.getByTitle('500000000000000000 in the ledger’s smallest unit').waitFor();
      await page.getByText('Timing and labels').click();
      await page.getByLabel('After these actions').fill('the first one');
      await page.getByText('the is not an action id').waitFor();
      expect(await button('Send').isDisabled()).toBe(true);
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.getByLabel('After these actions').fill(before);
      await page.getByLabel('Password of the wallet').fill(walletPassword);
      const sent = await bodyTo('/v1/ledger-ops/send', () => button('Send').click());
      expect(sent).toMatchObject({
        glo: {
          options: {
            contract_instance: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: contract },
            method_name: 'settle(address[],bool,uint256)',
            args: [JSON.stringify([nobody]), 'true', '5'],
          },
          meta: { ledger: { ethereum: { native_transaction_content: { value: '500000000000000000' } } } },
        },
        dependencies: [before],
      });
      await page.getByText('Succeeded', { exact: true }).first().waitFor();
      expect(await anvil.rpc('eth_getBalance', [contract, 'latest'])).toBe('0x6f05b59d3b20000');
      // In the form of a duplicated call, the first argument has the focus.
      await page.getByRole('link', { name: 'Duplicate' }).click();
      const repeated = page.getByLabel('argument 1');
      await repeated.waitFor();
      await expect
        .poll(() => repeated.evaluate((field) => field === field.ownerDocument.activeElement))
        .toBe(true);
    });

    test('the console changes a wallet’s password, exports its key, and imports the key as a new wallet', async () => {
      const { api } = stage.tenant;
      const dialog = page.getByRole('dialog');
      await addWallet(stage.installation, stage.tenant, 'purse');
      await goTo(page, '/wallets/purse');
      await button('Change the password').click();
      await dialog.getByLabel('Current password').fill(walletPassword);
      await dialog.getByLabel('New password').fill('another horse battery staple');
      await dialog.getByLabel('Repeat the password').fill('another horse battery stable');
      expect(await faultsOf(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Change the password' }).click();
      // The browser names the invalid field; nothing was sent.
      expect(await page.evaluate("document.activeElement.matches('input:invalid')")).toBe(true);
      await dialog.getByLabel('Repeat the password').fill('another horse battery staple');
      await dialog.getByRole('button', { name: 'Change the password' }).click();
      await dialog.waitFor({ state: 'detached' });

      await button('Export the key').click();
      await dialog.getByLabel('Password of the wallet').fill('another horse battery staple');
      expect(await faultsOf(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Export' }).click();
      const downloading = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Download purse.json' }).click();
      const keystore = await readFile(await (await downloading).path(), 'utf8');
      expect(await faultsOf(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'I have saved it' }).click();
      await dialog.waitFor({ state: 'detached' });

      await goTo(page, '/wallets');
      await button('New wallet').click();
      await dialog.getByLabel('Ledger').selectOption('chain');
      await dialog.getByLabel('Name').fill('purse-again');
      await dialog.getByLabel('Password', { exact: true }).fill(walletPassword);
      await dialog.getByLabel('Repeat the password').fill(walletPassword);
      await dialog.getByLabel('Key', { exact: true }).selectOption('secp256k1');
      await dialog.getByLabel('Private key', { exact: true }).fill('0x12');
      await dialog.getByRole('button', { name: 'Show: Private key' }).click();
      expect(await faultsOf(page)).toEqual([]);
      await dialog.getByLabel('Key', { exact: true }).selectOption('keystore');
      await dialog.getByLabel('Keystore', { exact: true }).fill(keystore);
      await dialog.getByLabel('Keystore password').fill('another horse battery staple');
      const made = await bodyTo('/v1/cloud-wallet/wallets', () =>
        dialog.getByRole('button', { name: 'Import the wallet' }).click(),
      );
      expect(Object.keys((made as { pluginParameters: object }).pluginParameters)).toEqual([
        'walletPassword',
        'keystore',
        'keystorePassword',
      ]);
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'purse-again' }).waitFor();
      const [one, other] = await Promise.all(
        ['purse', 'purse-again'].map((id) => api.expect(200, 'GET', `/v1/cloud-wallet/wallets/${id}`)),
      );
      expect(other?.walletAddress).toBe(one?.walletAddress);
    });

    test('the browser reported only expected error responses', () => {
      expect(errors.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
    });
  });
}

/** Runs `act` while responses contain another ledger, whose currency has nine decimals, and its wallet `brook`. */
async function withOtherLedger(page: Page, act: () => Promise<void>): Promise<void> {
  const added = async (path: string, member: string, like: (first: Record<string, unknown>) => object) => {
    await page.route(
      (address) => address.pathname === path,
      async (route) => {
        const response = await route.fetch();
        const body: Record<string, Record<string, unknown>[]> = await response.json();
        const [first = {}] = body[member] ?? [];
        await route.fulfill({
          response,
          json: { ...body, [member]: [...(body[member] ?? []), like(first)] },
        });
      },
    );
  };
  await added('/v1/technologies', 'technologies', (first) => ({
    ...{ ...first, name: 'brook', title: 'Brook', addresses: null, content: null },
    unit: { symbol: 'DROP', decimals: 9 },
  }));
  await added('/v1/admin/ledgers', 'items', (first) => ({
    ...{ ...first, uid: 'brook', ledgerId: 'brook', name: 'Brook', technology: 'brook' },
  }));
  await added('/v1/cloud-wallet/wallets', 'pageContent', (first) => ({
    ...{ ...first, walletId: 'brook', ledgerId: 'brook' },
  }));
  try {
    await act();
  } finally {
    await page.unrouteAll({ behavior: 'wait' });
  }
}
