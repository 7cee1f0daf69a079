import type { Anvil } from '@ledger-ops/devnet';
import { expect, test } from 'vitest';
import { startReceiver } from '../../../events/receiver.ts';
import { pluginUrl } from '../../../events/timeline-steps.ts';
import { addTokenTemplate, ended, transferBody } from '../../../stage/api.ts';
import { faultsInTwoLooks, faultsOf } from '../../console-faults.ts';
import { goTo } from '../../console-stage.ts';
import type { EveryPage } from './ground.ts';

/** Of wallets of the stage. */
const walletPassword = 'correct horse battery staple';

/** Actions, contracts, ledgers and webhooks. */
export function describeRecords(at: () => EveryPage): void {
  test('an action that is jammed on purpose is found, explained and cancelled', async () => {
    const { stage, page, till } = at();
    const { anvil } = stage.installation;
    const { api } = stage.tenant;
    await anvil.rpc('evm_setAutomine', [false]);
    await anvil.rpc('anvil_setIntervalMining', [0]);
    try {
      const recipient = `0x${'be'.repeat(20)}`;
      const sent = { ...transferBody('till', recipient), tag: 'jammed' };
      const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', sent);
      // It comes by itself: the page stands open.
      await page.getByRole('link', { name: /^Transfer/ }).click();
      await page.getByText(/It has waited since/).waitFor();
      await page.getByText('Nonce 0', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await page.getByRole('button', { name: 'Cancel the action', exact: true }).click();
      await page.getByText('Empty, in its place', { exact: true }).waitFor();
      // It is signed then, and sent afterwards: a block that is made before has the transfer in it.
      await expect.poll(async () => await recipientsInPool(anvil)).toEqual([till.toLowerCase()]);
      await anvil.rpc('anvil_setIntervalMining', [1]);
      expect(await ended(api, actionId)).toMatchObject({ status: 'FAILED' });
      await page.getByText('Cancelled', { exact: true }).first().waitFor();
    } finally {
      await anvil.rpc('evm_setAutomine', [true]);
    }
  });

  test('a contract of one’s own is tried, deployed, and called', async () => {
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
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('It would go through.').waitFor();
    await page.getByLabel('Password of the wallet').fill(walletPassword);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Succeeded', { exact: true }).first().waitFor();

    await goTo(page, '/contracts');
    await page.getByRole('link', { name: 'Call', exact: true }).click();
    await page.getByLabel('From the wallet').selectOption('till');
    await page.getByLabel('Method').selectOption('transfer');
    const fields = page.locator('form input[type=text], form input:not([type])');
    await fields.nth(0).fill(`0x${'be'.repeat(20)}`);
    await fields.nth(1).fill('5');
    await page.getByText('More settings for Ethereum').click();
    // The recipient and the amount are said already.
    expect(
      await page
        .locator('details')
        .getByLabel(/^(?:to|value|data)$/)
        .count(),
    ).toBe(0);
    await page.getByLabel('accessList').fill('[');
    await page.getByText('must be JSON').waitFor();
    const send = page.getByRole('button', { name: 'Send', exact: true });
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel('accessList').fill('');
    await page.getByLabel('gasLimit').fill('123456');
    await page.getByLabel('Password of the wallet').fill(walletPassword);
    await send.click();
    await page.getByText('Succeeded', { exact: true }).first().waitFor();
    await heading(/^Call transfer/).waitFor();
    const { locator } = await ended(api, page.url().split('/').at(-1) ?? '');
    expect(await stage.installation.anvil.rpc('eth_getTransactionByHash', [locator])).toMatchObject({
      gas: '0x1e240',
    });
  });

  test('events of a contract are subscribed to, read as they happen, and left again', async () => {
    const { stage, page } = at();
    const { api } = stage.tenant;
    const dialog = page.getByRole('dialog');
    await goTo(page, '/contracts');
    await page.getByRole('button', { name: /^Subscribe to/ }).click();
    // Of its interface.
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
    // How many blocks were left is not known any more.
    await page.getByRole('cell', { name: '—', exact: true }).waitFor();
    expect(await api.expect(200, 'GET', one)).toMatchObject({ status: 'PAUSED', blocksBehind: null });
    await page.getByRole('button', { name: /^Resume the subscription to/ }).click();
    await page.getByRole('button', { name: 'Resume the subscription', exact: true }).click();
    await page.getByText('reading', { exact: true }).waitFor();
    await page.getByRole('cell', { name: /^\d+$/ }).waitFor();
    expect(await api.expect(200, 'GET', one)).toMatchObject({ status: 'ACTIVE' });
    await page.getByRole('button', { name: /^Delete the subscription to/ }).click();
    await page.getByRole('button', { name: 'Delete the subscription', exact: true }).click();
    await page.getByText('No subscription yet').waitFor();
    expect(await api.expect(200, 'GET', '/v1/contract-subscriptions')).toEqual({ subscriptions: [] });
  });

  test('a ledger says which plugin serves it and why; the plugin is switched off, and another serves it', async () => {
    const { stage, page } = at();
    const { api, projectId } = stage.tenant;
    const plugin = { name: 'second-ethereum', url: pluginUrl, tags: ['ethereum'], projectId };
    const { id: pluginId } = await api.expect(201, 'POST', '/v1/plugins', plugin);
    await goTo(page, '/ledgers');
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('listitem').filter({ hasText: 'second-ethereum' }).getByText('chosen').waitFor();
    await page.getByRole('link', { name: 'second-ethereum' }).click();
    await page.getByText('answers', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Switch the plugin off' }).click();
    await page.getByText('off', { exact: true }).waitFor();
    expect(await api.expect(200, 'GET', `/v1/plugins/${pluginId}`)).toMatchObject({ active: false });
    await goTo(page, '/plugins');
    await page.getByRole('cell', { name: 'off', exact: true }).waitFor();
    await goTo(page, '/ledgers/chain');
    await page.getByRole('listitem').filter({ hasText: 'built in' }).getByText('chosen').first().waitFor();
    await page.getByText('Held against every node. Absent: what the first node says.').waitFor();
  });

  test('a webhook is made, tested and replayed by its page; its secrets are shown once', async () => {
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
      await page.getByRole('button', { name: 'I have it' }).click();
      await page.getByRole('link', { name: receiver.url }).click();
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The receiver answered 204.').waitFor();
      await page.getByRole('button', { name: 'Done' }).click();
      const { api } = stage.tenant;
      await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('till', `0x${'be'.repeat(20)}`));
      await page.getByRole('cell', { name: 'delivered', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Redeliver action.succeeded' }).click();
      await expect
        .poll(() => receiver.received.filter(({ type }) => type === 'action.succeeded'))
        .toHaveLength(2);
      await page.getByRole('button', { name: 'New secret' }).click();
      await page.getByRole('button', { name: 'Make a new secret' }).click();
      await dialog.getByText(/^whsec_/).waitFor();
      expect(await dialog.getByText(/^whsec_/).textContent()).not.toBe(receiver.secret);
      await page.getByRole('button', { name: 'I have it' }).click();
      expect(await faultsOf(page)).toEqual([]);
      expect(receiver.forged).toEqual([]);
    } finally {
      await receiver.close();
    }
  });
}

/** To whom the transactions are that wait on a node. */
async function recipientsInPool(node: Pick<Anvil, 'rpc'>): Promise<string[]> {
  const pool =
    await node.rpc<Record<string, Record<string, Record<string, { to: string }>>>>('txpool_content');
  return Object.values(pool)
    .flatMap((part) => Object.values(part))
    .flatMap((bySequence) => Object.values(bySequence).map(({ to }) => to));
}
