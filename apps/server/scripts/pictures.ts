// Takes screenshots of the console in the machine's Chromium, with a server and a chain of its own. By default,
// takes the pictures of the documentation and writes them to docs/pictures. If `ALL` names a folder, takes all main
// screens there: light and dark, wide and narrow.
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
  /** Text that appears once the screen is ready. */
  readonly text: string;
  readonly prepare?: (page: Page) => Promise<void>;
  /** Variants that are stored in docs/pictures. */
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
  const registered = await api.expect<{ id: string }>(201, 'POST', '/v1/plugins', plugin);
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
  // Gives the chart some activity over time.
  for (const together of [1, 2, 1, 3, 4, 2, 3, 5, 3, 2, 4, 2, 1, 3, 2]) {
    await Promise.all(Array.from({ length: together }, () => send('till', '2', { tag: 'rolls' })));
    await setTimeout(3_000);
  }
  const first = [await send('till', '25', { tag: 'flour' }), await send('rent', '40', { tag: 'rent' })];
  const between = await send('till', '15', { tag: 'shares', dependencies: first });
  const last = await send('rent', '5', { tag: 'shares', dependencies: [between] });
  await ended(api, last);
  const call = (walletId: string, value: string, more: object = {}) =>
    post({
      ...{ walletId, ...more },
      glo: {
        ...{ ...glo, type: 'contract_call' },
        options: {
          contract_instance: { lookup_service: { type: 'service', value: 'service' }, resource: contractId },
          ...{ method_name: 'transfer(address,uint256)', args: [walletAddress, value] },
        },
      },
    });
  // An operation with a dependency is not simulated when it is accepted, so it can fail later.
  const failed = await call('rent', '5000', { tag: 'wages', dependencies: [last] });
  await ended(api, failed);
  await addWallet(installation, tenant, 'empty');
  await installation.anvil.rpc('anvil_setBalance', [
    ...[(await api.expect(200, 'GET', '/v1/cloud-wallet/wallets/empty')).walletAddress, '0x1'],
  ]);
  const pending = await call('empty', '0', { tag: 'waits', dependencies: [last] });
  const rolls = await api.expect<{ properties: object }>(200, 'GET', '/v1/admin/ledgers/rolls');
  await api.expect(200, 'PUT', '/v1/admin/ledgers/rolls', {
    properties: { ...rolls.properties, confirmations: 3 },
  });
  await api.expect(200, 'PUT', `/v1/webhooks/${webhook.id}`, { format: 'cloudevents' });
  const screens: Screen[] = [
    { name: 'overview', path: '/', text: 'Service ready', kept: ['light', 'dark'] },
    { name: 'actions', path: '/actions', text: 'flour', kept: ['light', 'dark-narrow'] },
    { name: 'action', path: `/actions/${between}`, text: 'Dependencies', kept: ['light'] },
    { name: 'action-failed', path: `/actions/${failed}`, text: 'Failed', kept: [] },
    { name: 'action-pending', path: `/actions/${pending}`, text: 'Pending', kept: [] },
    { name: 'send-again', path: `/send?kind=call&like=${failed}`, text: 'Dry run', kept: [] },
    { name: 'wallets', path: '/wallets', text: 'till', kept: ['light'] },
    {
      ...{ name: 'send', path: '/send?wallet=till', text: 'Dry run', kept: ['light'] },
      async prepare() {
        await page.getByLabel('To', { exact: true }).fill('rent');
        await page.getByLabel(/^Amount/).fill('0.25');
        await page.getByRole('button', { name: 'Dry run' }).click();
        await page.getByText('The operation would succeed.').waitFor();
      },
    },
    { name: 'contracts', path: '/contracts', text: 'reading', kept: ['light'] },
    { name: 'templates', path: '/templates', text: 'mill-token', kept: [] },
    { name: 'template', path: '/templates/mill-token', text: 'ready', kept: ['light'] },
    { name: 'ledgers', path: '/ledgers', text: 'Rolls', kept: [] },
    { name: 'ledger', path: '/ledgers/rolls', text: 'First node', kept: ['light'] },
    { name: 'plugins', path: '/plugins', text: 'responding', kept: ['light'] },
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
    { name: 'wallet', path: '/wallets/till', text: 'Newest actions', kept: [] },
    { name: 'plugin', path: `/plugins/${registered.id}`, text: 'Registration', kept: [] },
    { name: 'webhook', path: `/webhooks/${webhook.id}`, text: 'Redeliver', kept: [] },
    ...['people', 'accounts', 'apps', 'invitations', 'projects', 'storage'].map((part) => ({
      ...{ name: `access-${part}`, path: `/access?part=${part}`, text: 'Access', kept: [] },
    })),
    { name: 'account', path: '/access/accounts/mill-account', text: 'Service id', kept: [] },
    { name: 'signed-out', path: '/signed-out', text: 'Sign in', kept: [] },
    { name: 'missing-page', path: '/nowhere', text: 'overview', kept: [] },
    { name: 'missing-record', path: '/wallets/nobody', text: 'Wallet not found', kept: [] },
    { name: 'no-match', path: '/actions?tag=nothing', text: 'No action matches', kept: [] },
    {
      ...{ name: 'search', path: '/wallets', text: 'till', kept: [] },
      async prepare() {
        await page.keyboard.press('Control+k');
        await page.getByLabel('Search or go to').waitFor();
      },
    },
    {
      ...{ name: 'search-found', path: '/wallets', text: 'till', kept: [] },
      async prepare() {
        await page.keyboard.press('Control+k');
        await page.getByLabel('Search or go to').fill('ro');
        await page.getByRole('group', { name: 'Tags' }).waitFor();
      },
    },
    dialog('invite', '/access?part=invitations', 'Invite'),
    dialog('grant-role', '/access?part=people', 'Grant a role'),
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
  /** Returns a dialog that a button opens. */
  function dialog(name: string, path: string, button: string | RegExp): Screen {
    return {
      ...{ name, path, text: 'Ledger Operations Console', kept: [] },
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
  const take = async ({ name, path, text, prepare }: Screen, look: Look) => {
    await wear(page, look);
    await page.goto(`${installation.url}/console${path}`);
    // A narrow page hides parts that a wide one shows.
    await page.getByText(text).first().waitFor({ state: 'attached' });
    await page.getByRole('status').first().waitFor({ state: 'detached' });
    await prepare?.(page);
    await page.screenshot({ path: `${folder}/console-${name}-${look}.png`, fullPage: all !== undefined });
  };
  for (const screen of screens) {
    for (const look of all === undefined ? screen.kept : looks) {
      await take(screen, look).catch((error: unknown) => {
        // The other screens are taken anyway.
        process.exitCode = 1;
        console.error(`${screen.name}, ${look}: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
  }
  if (all !== undefined) {
    for (const named of [{ walletId: 'till' }, { ledgerId: 'rolls' }])
      await api.expect(201, 'POST', '/v1/ledger-ops/suspensions', { ...named, reason: 'Audit of the year.' });
    for (const look of looks) {
      await wear(page, look);
      await page.goto(`${installation.url}/console/`);
      await page.getByRole('list', { name: 'Suspensions' }).waitFor();
      await page.screenshot({ path: `${folder}/console-suspended-${look}.png`, fullPage: true });
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
