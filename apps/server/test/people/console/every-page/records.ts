import type { Anvil } from '@ledger-ops/devnet';
import { expect, test } from 'vitest';
import { startReceiver } from '../../../events/receiver.ts';
import { pluginUrl } from '../../../events/timeline-steps.ts';
import { addTokenTemplate, ended, transferBody } from '../../../stage/api.ts';
import { faultsInTwoLooks, faultsOf } from '../../console-faults.ts';
import { goTo } from '../../console-stage.ts';
import type { EveryPage } from './context.ts';

const walletPassword = 'correct horse battery staple';

/** Actions, contracts, ledgers and webhooks. */
export function describeRecords(at: () => EveryPage): void {
  test('the console shows why an action is stuck, and cancels it', async () => {
    const { stage, page, till } = at();
    const { anvil } = stage.installation;
    const { api } = stage.tenant;
    await anvil.rpc('evm_setAutomine', [false]);
    await anvil.rpc('anvil_setIntervalMining', [0]);
    try {
      const recipient = `0x${'be'.repeat(20)}`;
      const sent = { ...transferBody('till', recipient), tag: 'jammed' };
      const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', sent);
      // The new action appears without a reload.
      await page.getByRole('link', { name: /^Transfer/ }).click();
      await page.getByText(/It has been waiting since/).waitFor();
      await page.getByText('Nonce 0', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await page.getByRole('button', { name: 'Cancel the action', exact: true }).click();
      await page.getByText('Empty replacement with the same nonce', { exact: true }).waitFor();
      // The replacement is signed but may not be sent yet: a block mined now could contain the transfer.
      await expect.poll(async () => await recipientsInPool(anvil)).toEqual([till.toLowerCase()]);
      await anvil.rpc('anvil_setIntervalMining', [1]);
      expect(await ended(api, actionId)).toMatchObject({ status: 'FAILED' });
      await page.getByText('Canceled', { exact: true }).first().waitFor();
    } finally {
      await anvil.rpc('evm_setAutomine', [true]);
    }
  });

  test('the console simulates, deploys and calls a contract that the user wrote', async () => {
    const { stage, page, heading } = at();
    const { api } = stage.tenant;
    await addTokenTemplate(api, 'mill-token');
    await goTo(page, '/send?kind=deploy');
    await page.getByLabel('From the wallet').selectOption('till');
    await page.getByLabel('Template').selectOption('mill-token');
    await page.getByLabel('Version').selectOption('1');
    await page.getByLabel('name_').fill('Mill Token');
    await page.getByLabel('symbol_').fill('MILL');
    await page.getByLabel('supply').fill('1000');
    const name = page.getByLabel('Name of the contract');
    // The default is the name of the template.
    expect(await name.inputValue()).not.toBe('');
    await name.fill('Money of the mill');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('The operation would succeed.').waitFor();
    await page.getByLabel('Password of the wallet').fill(walletPassword);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Succeeded', { exact: true }).first().waitFor();

    await goTo(page, '/contracts');
    await page.getByText('Money of the mill').first().waitFor();
    await page.getByRole('link', { name: 'Call', exact: true }).click();
    await page.getByLabel('From the wallet').selectOption('till');
    await page.getByLabel('Method').selectOption('transfer');
    const fields = page.locator('form input[type=text], form input:not([type])');
    await fields.nth(0).fill(`0x${'be'.repeat(20)}`);
    // Amounts of a token are typed in its unit, and sent in the smallest one.
    await page.getByLabel('value in MILL').fill('five');
    await page.getByText('must be a number such as').waitFor();
    await page.getByLabel('value in MILL').fill('0.000000000000000005');
    await page.getByText('More settings for Ethereum').click();
    // The settings do not repeat the recipient and the amount.
    expect(
      await page
        .locator('details')
        .getByLabel(/^(?:to|value|data)$/i)
        .count(),
    ).toBe(0);
    await page.getByLabel('Access list').fill('[');
    await page.getByText('must be JSON').waitFor();
    const send = page.getByRole('button', { name: 'Send', exact: true });
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel('Access list').fill('');
    await page.getByLabel('Gas limit').fill('123456');
    await page.getByLabel('Password of the wallet').fill(walletPassword);
    await send.click();
    await page.getByText('Succeeded', { exact: true }).first().waitFor();
    await heading(/[.]transfer[(]/).waitFor();
    // The effects of the call are shown with names and units.
    const event = page.getByRole('region', { name: 'Event', exact: true });
    await event.getByText('Transfer', { exact: true }).waitFor();
    await event.getByRole('row', { name: /^from till/ }).waitFor();
    const changes = page.getByRole('region', { name: 'Balance changes', exact: true });
    await changes.getByRole('row', { name: /^till .*MILL/ }).waitFor();
    expect(await faultsInTwoLooks(page)).toEqual([]);
    await page.getByRole('button', { name: 'Simulate', exact: true }).click();
    await page.getByText('The same operation would succeed if it were sent now.').waitFor();
    const action = page.url();
    const { locator } = await ended(api, action.split('/').at(-1) ?? '');
    expect(await stage.installation.anvil.rpc('eth_getTransactionByHash', [locator])).toMatchObject({
      gas: '0x1e240',
    });
    // The form is filled with the call, and its first argument has the focus.
    await page.getByRole('link', { name: 'Duplicate', exact: true }).click();
    await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('to');
    expect(await page.getByLabel('From the wallet').inputValue()).toBe('till');
    expect(await page.getByLabel('value in MILL').inputValue()).toBe('0.000000000000000005');
  });

  test('the console subscribes to a contract’s events, shows new events immediately, and unsubscribes', async () => {
    const { stage, page } = at();
    const { api } = stage.tenant;
    const dialog = page.getByRole('dialog');
    await goTo(page, '/contracts');
    await page.getByRole('button', { name: /^Subscribe to/ }).click();
    // Event names come from the contract's interface.
    await dialog.getByLabel('Transfer', { exact: true }).check();
    await page.getByLabel('From block').fill('0');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
    await page.getByText('reading', { exact: true }).waitFor();
    const { subscriptions } = await api.expect<{ subscriptions: { id: string }[] }>(
      200,
      'GET',
      '/v1/contract-subscriptions',
    );
    expect(subscriptions).toMatchObject([{ events: ['Transfer'], status: 'ACTIVE' }]);
    expect(await faultsInTwoLooks(page)).toEqual([]);
    const one = `/v1/contract-subscriptions/${subscriptions[0]?.id}`;
    await page.getByRole('button', { name: /^Pause the subscription to/ }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Pause the subscription', exact: true }).click();
    await page.getByText('paused', { exact: true }).waitFor();
    // While paused, the number of blocks that are not read yet is unknown.
    await page.getByRole('cell', { name: '—', exact: true }).waitFor();
    expect(await api.expect(200, 'GET', one)).toMatchObject({ status: 'PAUSED', blocksBehind: null });
    await page.getByRole('button', { name: /^Resume the subscription to/ }).click();
    await page.getByRole('button', { name: 'Resume the subscription', exact: true }).click();
    await page.getByText('reading', { exact: true }).waitFor();
    await page.getByRole('cell', { name: /^\d+$/ }).waitFor();
    expect(await api.expect(200, 'GET', one)).toMatchObject({ status: 'ACTIVE' });
    await page.getByRole('button', { name: /^Delete the subscription to/ }).click();
    await page.getByRole('button', { name: 'Delete the subscription', exact: true }).click();
    await page.getByText('No subscriptions yet').waitFor();
    expect(await api.expect(200, 'GET', '/v1/contract-subscriptions')).toEqual({ subscriptions: [] });
  });

  test('a ledger’s page shows the plugin that serves it, and the built-in one after that plugin is switched off', async () => {
    const { stage, page } = at();
    const { api, projectId } = stage.tenant;
    const plugin = { name: 'second-ethereum', url: pluginUrl, tags: ['ethereum'], projectId };
    const { id: pluginId } = await api.expect(201, 'POST', '/v1/plugins', plugin);
    await goTo(page, '/ledgers');
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('listitem').filter({ hasText: 'second-ethereum' }).getByText('chosen').waitFor();
    await page.getByRole('link', { name: 'second-ethereum' }).click();
    await page.getByText('responding', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Switch the plugin off' }).click();
    await page.getByText('off', { exact: true }).waitFor();
    expect(await api.expect(200, 'GET', `/v1/plugins/${pluginId}`)).toMatchObject({ active: false });
    await goTo(page, '/plugins');
    await page.getByRole('cell', { name: 'off', exact: true }).waitFor();
    await goTo(page, '/ledgers/chain');
    await page.getByRole('listitem').filter({ hasText: 'built-in' }).getByText('chosen').first().waitFor();
    await page.getByText('Chain that every node must be on. Default: the chain of the first node.').waitFor();
  });

  test('a webhook is created, tested and replayed on its page, and its secrets are shown only once', async () => {
    const { stage, page } = at();
    const receiver = await startReceiver();
    try {
      await goTo(page, '/webhooks');
      await page.getByRole('button', { name: 'New webhook' }).click();
      await page.getByLabel('Address').fill(receiver.url);
      await page.getByLabel('Description').fill('The books');
      await page.getByLabel('action.succeeded').check();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Create the webhook' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('The webhook’s secret').waitFor();
      receiver.secret = (await dialog.getByText(/^whsec_/).textContent()) ?? '';
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'I have saved it' }).click();
      await page.getByRole('link', { name: 'The books' }).click();
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The receiver returned 204.').waitFor();
      await page.getByRole('button', { name: 'Done' }).click();
      const { api } = stage.tenant;
      await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('till', `0x${'be'.repeat(20)}`));
      await page.getByRole('cell', { name: 'delivered', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Redeliver action.succeeded' }).click();
      await expect
        .poll(() => receiver.received.filter(({ type }) => type === 'action.succeeded'))
        .toHaveLength(2);
      await page.getByRole('button', { name: 'New secret' }).click();
      await page.getByRole('button', { name: 'Create a new secret' }).click();
      await dialog.getByText(/^whsec_/).waitFor();
      expect(await dialog.getByText(/^whsec_/).textContent()).not.toBe(receiver.secret);
      await page.getByRole('button', { name: 'I have saved it' }).click();
      expect(await faultsOf(page)).toEqual([]);
      expect(receiver.forged).toEqual([]);
    } finally {
      await receiver.close();
    }
  });
}

/** Recipients of the node's pending transactions. */
async function recipientsInPool(node: Pick<Anvil, 'rpc'>): Promise<string[]> {
  const pool =
    await node.rpc<Record<string, Record<string, Record<string, { to: string }>>>>('txpool_content');
  return Object.values(pool)
    .flatMap((part) => Object.values(part))
    .flatMap((bySequence) => Object.values(bySequence).map(({ to }) => to));
}
