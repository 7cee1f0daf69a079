// Makes pictures of the console, of a server with a chain of its own, in the machine's Chromium: those of the documentation
// in docs/pictures; with `ALL` all main screens, light and dark, wide and narrow, in the folder that it names.
import { mkdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startReceiver } from '../test/events/receiver.ts';
import { pluginUrl } from '../test/events/timeline-steps.ts';
import { enter, openConsoleStage } from '../test/people/console-stage.ts';
import { addTokenTemplate, addWallet, ended, transferBody } from '../test/stage/api.ts';

const { ALL: all } = process.env;
const folder = all ?? fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));
mkdirSync(folder, { recursive: true });
const looks = ['light', 'dark', 'light-narrow', 'dark-narrow'] as const;
type Look = (typeof looks)[number];

/** A page of records. */
interface Listed<One> {
  readonly pageContent: readonly One[];
}

interface Screen {
  readonly name: string;
  readonly path: string;
  /** Is there once the screen can be seen. */
  readonly text: string;
  readonly prepare?: (page: Page) => Promise<void>;
  /** Looks that stand in the documentation. */
  readonly kept: readonly Look[];
}

const { installation, tenant, browser, invite, close } = await openConsoleStage({
  PLUGINS_ALLOWED: pluginUrl,
  PLUGINS_TRUSTED: pluginUrl,
});
const receiver = await startReceiver();
try {
  const { api, projectId } = tenant;
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  await enter(page, (await invite('ada@example.com', 'owner')).init, 'Ada Lovelace');
  const { walletAddress } = await addWallet(installation, tenant, 'till');
  await addWallet(installation, tenant, 'rent');
  await addTokenTemplate(api, 'mill-token');
  await api.expect(201, 'POST', '/v1/admin/ledgers', {
    ...{ ledgerId: 'rolls', name: 'Rolls', technology: 'ethereum' },
    properties: { confirmations: 2, development: true },
    nodes: [{ name: 'First node', client: 'anvil', uri: installation.anvil.url }],
  });
  const plugin = { name: 'second-ethereum', url: pluginUrl, tags: ['ethereum', 'second'], projectId };
  await api.expect(201, 'POST', '/v1/plugins', plugin);
  const webhook = await api.expect(201, 'POST', '/v1/webhooks', {
    ...{ url: receiver.url, description: 'The books', types: ['action.succeeded', 'action.failed'] },
  });
  receiver.secret = webhook.secret ?? '';
  const { walletPassword, glo } = transferBody('till', walletAddress);
  const post = async (body: object) =>
    (await api.expect(201, 'POST', '/v1/ledger-ops/send', { walletPassword, ...body })).actionId ?? '';
  const send = (walletId: string, ether: string, more: object = {}) =>
    post({
      ...{ walletId, ...more },
      glo: { ...glo, options: { ...glo.options, amount: `${ether}0000000000000000` } },
    });
  const contract_source = {
    lookup_service: { type: 'service', value: 'service' },
    resource: 'mill-token:1',
  };
  const options = { contract_source, args: ['Mill Token', 'MILL', '1000'] };
  await ended(api, await post({ walletId: 'till', glo: { ...glo, type: 'contract_deploy', options } }));
  const groups = await api.expect<Listed<{ groupId: string }>>(
    200,
    'GET',
    `/v1/contract-groups?project=${projectId}`,
  );
  const instances = `/v1/contract-groups/${groups.pageContent[0]?.groupId}/instances`;
  const contracts = await api.expect<Listed<{ contractId: string }>>(200, 'GET', instances);
  const contractId = contracts.pageContent[0]?.contractId;
  await api.expect(200, 'PUT', `${instances}/${contractId}`, { name: 'Mill token' });
  await api.expect(201, 'POST', '/v1/contract-subscriptions', { contractId, events: ['Transfer'] });
  // So that the chart has something to show over time.
  for (const together of [1, 2, 1, 3, 4, 2, 3, 5, 3, 2, 4, 2, 1, 3, 2]) {
    await Promise.all(Array.from({ length: together }, () => send('till', '2', { tag: 'rolls' })));
    await setTimeout(3_000);
  }
  const first = [await send('till', '25', { tag: 'flour' }), await send('rent', '40', { tag: 'rent' })];
  const between = await send('till', '15', { tag: 'shares', dependencies: first });
  const last = await send('rent', '5', { tag: 'shares', dependencies: [between] });
  await ended(api, last);
  const screens: Screen[] = [
    { name: 'overview', path: '/', text: 'Service ready', kept: ['light', 'dark'] },
    { name: 'actions', path: '/actions', text: 'flour', kept: ['light', 'dark-narrow'] },
    { name: 'action', path: `/actions/${between}`, text: 'Dependencies', kept: ['light'] },
    { name: 'wallets', path: '/wallets', text: 'till', kept: ['light'] },
    {
      ...{ name: 'send', path: '/send?wallet=till', text: 'Dry run', kept: ['light'] },
      async prepare() {
        await page.getByLabel('To', { exact: true }).fill('rent');
        await page.getByLabel(/^Amount/).fill('0.25');
        await page.getByRole('button', { name: 'Dry run' }).click();
        await page.getByText('It would go through.').waitFor();
      },
    },
    { name: 'contracts', path: '/contracts', text: 'reading', kept: ['light'] },
    { name: 'templates', path: '/templates', text: 'mill-token', kept: [] },
    { name: 'template', path: '/templates/mill-token', text: 'ready', kept: ['light'] },
    { name: 'ledgers', path: '/ledgers', text: 'Rolls', kept: [] },
    { name: 'ledger', path: '/ledgers/rolls', text: 'First node', kept: ['light'] },
    { name: 'plugins', path: '/plugins', text: 'answers', kept: ['light'] },
    { name: 'webhooks', path: '/webhooks', text: 'The books', kept: ['light'] },
    {
      ...{ name: 'access', path: '/access?part=may&who=ada@example.com' },
      ...{ text: 'ada@example.com is', kept: ['light'] },
    },
    { name: 'timeline', path: '/timeline', text: 'Create', kept: ['light'] },
    { name: 'send-call', path: '/send?wallet=till&kind=call', text: 'Dry run', kept: [] },
    {
      ...{ name: 'send-deploy', path: '/send?wallet=till&kind=deploy&template=mill-token' },
      ...{ text: 'Dry run', kept: [] },
    },
    dialog('new-wallet', '/wallets', 'New wallet'),
    dialog('new-contract', '/contracts', 'Register'),
    dialog('new-subscription', '/contracts', /^Subscribe to/),
    dialog('new-template', '/templates', 'New template'),
    dialog('new-version', '/templates/mill-token', 'New version'),
    dialog('new-ledger', '/ledgers', 'New ledger'),
    dialog('new-node', '/ledgers/rolls', 'New node'),
    dialog('new-plugin', '/plugins', 'Register a plugin'),
    dialog('new-webhook', '/webhooks', 'New webhook'),
  ];
  /** A window that a button opens. */
  function dialog(name: string, path: string, button: string | RegExp): Screen {
    return {
      ...{ name, path, text: 'Tally', kept: [] },
      async prepare() {
        await page
          .getByRole('button', { name: button, exact: typeof button === 'string' })
          .first()
          .click();
        await page.getByRole('dialog').waitFor();
        await page.getByRole('dialog').getByRole('status').waitFor({ state: 'detached' });
      },
    };
  }
  for (const { name, path, text, prepare, kept } of screens) {
    for (const look of all === undefined ? kept : looks) {
      await wear(page, look);
      await page.goto(`${installation.url}/console${path}`);
      // A narrow page leaves out what a wide one shows.
      await page.getByText(text).first().waitFor({ state: 'attached' });
      await page.getByRole('status').first().waitFor({ state: 'detached' });
      await prepare?.(page);
      await page.screenshot({ path: `${folder}/console-${name}-${look}.png` });
    }
  }
  const outside = await (await browser.newContext()).newPage();
  for (const look of all === undefined ? (['light'] as const) : looks) {
    await wear(outside, look);
    await outside.goto(`${installation.url}/console/`);
    await outside.getByLabel('Password').waitFor();
    await outside.screenshot({ path: `${folder}/console-sign-in-${look}.png` });
  }
} finally {
  await receiver.close();
  await close();
}

async function wear(page: Page, look: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: look.startsWith('dark') ? 'dark' : 'light' });
  await page.setViewportSize(
    look.endsWith('narrow') ? { width: 390, height: 844 } : { width: 1440, height: 900 },
  );
}
