import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsInTwoLooks, faultsOf } from '../console-faults.ts';
import { type ConsoleStage, enter } from '../console-stage.ts';

const source = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
import {Counted} from "./Counted.sol";

contract Till is Counted {
  constructor(uint256 first) { count = first; }
  function ring(uint256 by) external { count += by; }
}
`;
const base = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

abstract contract Counted { uint256 public count; }
`;
const abi = JSON.stringify([
  { type: 'function', name: 'count', inputs: [], outputs: [{ type: 'uint256' }], stateMutability: 'view' },
]);

/** @param open creates a project for the scenario */
export function describeOwnContract(open: () => Promise<ConsoleStage>): void {
  describe('a contract that the user wrote, in the console', () => {
    let stage: ConsoleStage;
    let page: Page;
    const errors: string[] = [];
    /** The contract's address. */
    let address = '';

    beforeAll(async () => {
      stage = await open();
      page = await stage.openPage();
      page.on('pageerror', ({ message }) => errors.push(message));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await enter(page, (await stage.invite('ada@smithy.example.com', 'owner')).init, 'Ada Lovelace');
    }, 300_000);
    afterAll(async () => {
      await page?.context().close();
    });

    const dialog = () => page.getByRole('dialog');
    const closed = () => dialog().waitFor({ state: 'detached' });
    const go = (name: string) =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
    const walletPassword = 'four grey herons wait';
    const file = (name: string, content: string) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(content),
    });

    test('a version whose sources do not compile shows the compiler’s messages', async () => {
      await go('Templates');
      await page.getByText('No templates yet').waitFor();
      await page.getByRole('button', { name: 'New template' }).click();
      await dialog().getByLabel('Id', { exact: true }).fill('till');
      await dialog().getByLabel('Name', { exact: true }).fill('Till');
      await dialog().getByLabel('Description').fill('Counts what it is given');
      await dialog()
        .getByLabel('Sources or compiled output')
        .setInputFiles(file('Till.sol', source.replace('+= by', '+= bye')));
      expect(await faultsOf(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Add the template' }).click();
      await page.getByText('does not compile', { exact: true }).waitFor();
      await page
        .getByText(/Counted[.]sol/)
        .first()
        .waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });

    test('a version with several source files is added and compiled', async () => {
      await page.getByRole('button', { name: 'New version' }).click();
      expect(await dialog().getByLabel('Version').inputValue()).toBe('2');
      const chooser = dialog().getByLabel('Sources or compiled output');
      await chooser.setInputFiles([file('Till.sol', source), file('notes.json', '{}')]);
      await dialog().getByRole('button', { name: 'Add the version' }).click();
      await dialog().getByText('notes.json is not Solidity').waitFor();
      await chooser.setInputFiles([file('Till.sol', source), file('Counted.sol', base)]);
      await dialog().getByLabel('Contract', { exact: true }).fill('Till');
      await dialog().getByRole('button', { name: 'Add the version' }).click();
      await closed();
      await page.getByText('ready', { exact: true }).waitFor();
      await go('Templates');
      await page.getByText('Counts what it is given').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });

    test('the compiled version is deployed from a wallet that was created in the console', async () => {
      await go('Wallets');
      await page.getByRole('button', { name: 'New wallet' }).first().click();
      await dialog().getByLabel('Ledger').selectOption('chain');
      await dialog().getByLabel('Name').fill('till');
      await dialog().getByLabel('Password', { exact: true }).fill(walletPassword);
      await dialog().getByLabel('Repeat the password').fill(walletPassword);
      await dialog().getByRole('button', { name: 'Create the wallet' }).click();
      await closed();
      await page.getByRole('link', { name: 'till' }).click();
      const wallet =
        (await page
          .getByTitle(/^0x[0-9a-fA-F]{40}$/)
          .first()
          .getAttribute('title')) ?? '';
      await stage.installation.anvil.rpc('anvil_setBalance', [wallet, '0x56BC75E2D63100000']);

      await go('Templates');
      await page.getByRole('link', { name: 'Till' }).click();
      await page.getByRole('link', { name: 'Deploy till:2' }).click();
      await page.getByLabel('From the wallet').selectOption('till');
      await page.getByLabel('Template').selectOption('till');
      await page.getByLabel('Version').selectOption('2');
      await page.getByLabel('first').fill('40');
      await page.getByLabel('Password of the wallet').fill(walletPassword);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('Succeeded', { exact: true }).first().waitFor();
      address =
        (await page
          .getByTitle(/^0x[0-9a-fA-F]{40}$/)
          .last()
          .getAttribute('title')) ?? '';
    });

    test('a deployed contract is registered automatically and can be called', async () => {
      await go('Contracts');
      await page.getByRole('link', { name: 'Call', exact: true }).click();
      await page.getByLabel('From the wallet').selectOption('till');
      await page.getByLabel('Method').selectOption('ring');
      await page.getByLabel('by', { exact: true }).fill('2');
      await page.getByLabel('Password of the wallet').fill(walletPassword);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: /[.]ring[(]/ }).waitFor();
      await page.getByText('Succeeded', { exact: true }).first().waitFor();
      const count = await stage.installation.anvil.rpc('eth_call', [
        { to: address, data: '0x06661abd' },
        'latest',
      ]);
      expect(BigInt(String(count))).toBe(42n);
    });

    test('the console registers a contract that is already on its ledger, with an interface from a file', async () => {
      await go('Contracts');
      await page.getByRole('button', { name: 'Register', exact: true }).click();
      await dialog().getByLabel('Ledger').selectOption('chain');
      await dialog().getByLabel('Address').fill(address);
      await dialog().getByLabel('Name', { exact: true }).fill('The same till');
      await dialog()
        .getByLabel('Interface from a file')
        .setInputFiles(
          file('out.json', `{"contracts":{"Till.sol":{"Other":{"abi":[]},"Till":{"abi":${abi}}}}}`),
        );
      await dialog().getByLabel('Contract in the file').selectOption('Till.sol:Till');
      await expect
        .poll(() => dialog().getByLabel('Interface', { exact: true }).inputValue())
        .toContain('count');
      await dialog().getByLabel('Group', { exact: true }).selectOption('New group');
      await dialog().getByLabel('Group name').fill('tills');
      expect(await faultsOf(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Register the contract' }).click();
      await closed();
      const card = page.getByRole('region', { name: 'The same till' });
      await card.getByText('Methods').click();
      await card.getByText('count()').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
    });

    test('the console renames a contract and removes it from the registry', async () => {
      await page.getByRole('button', { name: 'Change The same till', exact: true }).click();
      await dialog().getByLabel('Name', { exact: true }).fill('Spare till');
      expect(await faultsOf(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Save' }).click();
      await closed();
      const card = page.getByRole('region', { name: 'Spare till' });
      await card.getByText('count()').waitFor();
      await page.getByRole('button', { name: 'Remove Spare till', exact: true }).click();
      expect(await faultsOf(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Remove the contract' }).click();
      await closed();
      await card.waitFor({ state: 'detached' });
    });

    test('the browser reported no errors', () => {
      expect(errors).toEqual([]);
    });
  });
}
