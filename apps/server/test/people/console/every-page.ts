import type { Anvil } from '@ledger-ops/devnet';
import type { APIRequestContext, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReceiver } from '../../events/receiver.ts';
import { pluginUrl } from '../../events/timeline-steps.ts';
import { addTenant, addTokenTemplate, addWallet, ended, transferBody } from '../../stage/api.ts';
import { faultsInTwoLooks, faultsOf } from '../console-faults.ts';
import { type ConsoleStage, enter, goTo, password } from '../console-stage.ts';

/** @param open gives the story a project of its own */
export function describeEveryPage(open: () => Promise<ConsoleStage>): void {
  describe('every page', () => {
    let stage: ConsoleStage;
    let page: Page;
    /** All that a browser complained of: scripts that failed, and what the page's policy kept out. */
    const complaints: string[] = [];
    /** Parts of what it says of answers that tests ask for, also of one that comes when its test has seen enough. */
    const asked: string[] = [];
    const unasked = () => complaints.filter((text) => !asked.some((part) => text.includes(part)));
    let firstLoad = 0;
    let pluginId = '';
    /** Address of the wallet `till`. */
    let till = '';

    beforeAll(async () => {
      stage = await open();
      page = await stage.openPage();
      page.on('pageerror', ({ message }) => complaints.push(message));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('requestfinished', async (request) => {
        if (!request.url().includes('/console/')) return;
        // A page that is left or closed has no sizes any more.
        const sizes = await request.sizes().catch(() => undefined);
        firstLoad += sizes?.responseBodySize ?? 0;
      });
      const { init } = await stage.invite('ada@example.com', 'owner');
      await enter(page, init, 'Ada Lovelace');
      till = (await addWallet(stage.installation, stage.tenant, 'till')).walletAddress;
    }, 300_000);
    afterAll(async () => {
      await page?.context().close();
    });

    /** Of wallets of the stage. */
    const walletPassword = 'correct horse battery staple';
    const url = (path: string) => `${stage.installation.url}/console${path}`;
    const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
    /** Waits until a window is closed, as an answer closes it: what stands behind one has no role until then. */
    const closed = () => page.getByRole('dialog').waitFor({ state: 'detached' });

    test('an invited person has set a password by the link of the mail, and is signed in', async () => {
      await page.getByText('ada@example.com').first().waitFor();
      expect(page.url()).not.toContain('ivs_');
      expect(
        await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })'),
      ).not.toMatch(/eyJ|rft_|ivs_/);
    });

    test('the first load is less than 250 kB', async () => {
      await expect.poll(() => firstLoad).toBeGreaterThan(50_000);
      expect(firstLoad).toBeLessThan(250_000);
    });

    test('a reload signs in anew, without a question, and leads back', async () => {
      await page.goto(url('/actions?status=PENDING'));
      await heading('Actions').waitFor();
      expect(new URL(page.url()).search).toBe('?status=PENDING');
    });

    test('the overview asks for each thing once as it opens', async () => {
      const sent: string[] = [];
      const note = (request: Request) => {
        const { pathname, search } = new URL(request.url());
        if (/^[/](?:v1|console[/]assets)[/]/.test(pathname)) sent.push(pathname + search);
      };
      page.on('request', note);
      await page.goto(url('/'));
      await page.getByText('Live', { exact: true }).waitFor();
      // Of the last list that it asks for.
      await page.getByText('nothing has succeeded yet').waitFor();
      await page.getByRole('link', { name: 'Actions', exact: true }).click();
      await heading('Actions').waitFor();
      page.off('request', note);
      expect(sent).toContain('/v1/ledger-ops/actions?size=50');
      expect(sent.filter((one, at) => sent.indexOf(one) < at)).toEqual([]);
    });

    test('a page stands before the sign-in is through, and asks nothing of a project before it is known to be there', async () => {
      const token = Promise.withResolvers<void>();
      const projects = Promise.withResolvers<void>();
      const inProject: string[] = [];
      page.on('request', (request) => {
        if ('ledger-ops-project' in request.headers()) inProject.push(request.url());
      });
      await page.route('**/v1/auth/token', async (route) => {
        await token.promise;
        await route.continue();
      });
      await page.route('**/v1/admin/projects?**', async (route) => {
        await projects.promise;
        await route.continue();
      });
      await page.goto(url('/'));
      await heading('Overview').waitFor();
      const asked = page.waitForRequest('**/v1/admin/projects?**');
      token.resolve();
      await asked;
      expect(inProject).toEqual([]);
      projects.resolve();
      await page.getByText('Live', { exact: true }).waitFor();
      await expect.poll(() => inProject.length).toBeGreaterThan(1);
      await page.unrouteAll({ behavior: 'wait' });
    });

    test('whoever has a session gets all scripts at once', async () => {
      const linked = async (request: APIRequestContext) => (await request.get(url('/'))).headers().link ?? '';
      const names = [...(await linked(page.request)).matchAll(/<([^>]+)>; rel=modulepreload/g)];
      expect(names.map(([, path = '']) => path.replace(/-[\w-]{8}[.]js$/, '')).sort()).toEqual(
        ['parts', 'react', 'rolldown-runtime', 'vendor'].map((name) => `/console/assets/${name}`),
      );
      const stranger = await stage.browser.newContext();
      expect(await linked(stranger.request)).toBe('');
      await stranger.close();
    });

    test('who chose a project that they do not see any more chooses another', async () => {
      await page.evaluate(`localStorage.setItem('tally.project', '${crypto.randomUUID()}')`);
      await page.goto(url('/wallets'));
      await page.getByRole('link', { name: 'till' }).waitFor();
      await page.getByRole('link', { name: 'Actions', exact: true }).click();
      expect(await page.evaluate("localStorage.getItem('tally.project')")).toBe(stage.tenant.projectUuid);
      // Nothing was asked of the one that is gone: the browser would tell of a refusal.
      expect(unasked()).toEqual([]);
    });

    test('an action that is jammed on purpose is found, explained and cancelled', async () => {
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
      const { api } = stage.tenant;
      const dialog = page.getByRole('dialog');
      await goTo(page, '/contracts');
      await page.getByRole('button', { name: /^Subscribe to/ }).click();
      await dialog.getByLabel('Events', { exact: true }).fill('Transfer');
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
      const { api, projectId } = stage.tenant;
      const plugin = { name: 'second-ethereum', url: pluginUrl, tags: ['ethereum'], projectId };
      ({ id: pluginId = '' } = await api.expect(201, 'POST', '/v1/plugins', plugin));
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

    test('a window is opened, filled in and left by the keyboard, and the focus goes back', async () => {
      await goTo(page, '/webhooks');
      const opener = page.getByRole('button', { name: 'New webhook' });
      await opener.press('Enter');
      const focused = () => page.evaluate<string>('document.activeElement.labels?.[0]?.textContent ?? ""');
      await expect.poll(focused).toBe('Address');
      await page.keyboard.type('nowhere');
      await page.keyboard.press('Enter');
      // The browser says which field is wrong; nothing was sent.
      expect(await page.evaluate("document.activeElement.matches('input:invalid')")).toBe(true);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('New webhook');
    });

    test('a record that is not there is said so, with a way back', async () => {
      await goTo(page, `/actions/${crypto.randomUUID()}`);
      await heading('There is no such action').waitFor();
      // It stays so while it is asked for once more.
      let isAskedAgain = false;
      await page.route('**/v1/ledger-ops/actions/*-*', () => {
        isAskedAgain = true;
      });
      await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
      await expect.poll(() => isAskedAgain).toBe(true);
      expect(await heading('There is no such action').isVisible()).toBe(true);
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      // The browser says so of the answer's status.
      asked.push('404');
      expect(unasked()).toEqual([]);
      await page.getByRole('main').getByRole('link', { name: 'Actions' }).click();
      await heading('Actions').waitFor();
    });

    test('a service that cannot be reached is said so, keeps what is shown, and is asked again', async () => {
      await page.route('**/v1/events', (route) => route.abort());
      await page.route('**/v1/admin/timeline?**', (route) => route.abort());
      await page.goto(url('/wallets'));
      await page.getByText('The service cannot be reached. It is tried again', { exact: false }).waitFor();
      await page.getByRole('link', { name: 'till' }).waitFor();
      await page.getByRole('link', { name: 'Timeline' }).click();
      const again = page.getByRole('button', { name: 'Try again' });
      await again.waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.unrouteAll({ behavior: 'wait' });
      await again.click();
      await page.getByRole('table').waitFor();
      await page
        .getByText('The service cannot be reached. It is tried again', { exact: false })
        .waitFor({ state: 'detached' });
      // The browser says so of each request that was not answered.
      asked.push('ERR_FAILED');
      expect(unasked()).toEqual([]);
    });

    test('an account is made, given a role and a token, and asked what it may do; the token is disabled', async () => {
      const { api } = stage.tenant;
      const dialog = page.getByRole('dialog');
      await goTo(page, '/access?part=accounts');
      await page.getByRole('button', { name: 'New account' }).click();
      await page.getByLabel('Name').fill('Bakery');
      await page.getByLabel('Id').fill('bakery');
      await page.getByRole('button', { name: 'Create the account' }).click();
      await page.getByRole('link', { name: 'Bakery' }).click();
      await page.getByRole('button', { name: 'New API token' }).click();
      await dialog.getByText('API token', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'I have it' }).click();
      await page.getByRole('button', { name: 'New key' }).click();
      await dialog.getByText('PRIVATE KEY', { exact: false }).first().waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'I have it' }).click();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: /^Disable token/ }).click();
      await page.getByRole('button', { name: 'Disable the credential' }).click();
      await page.getByText('disabled', { exact: true }).waitFor();
      const { serviceId } = await api.expect(200, 'GET', '/v1/admin/accounts/bakery');

      await goTo(page, '/access');
      await page.getByRole('button', { name: 'Grant a role' }).click();
      await page.getByLabel('Who').fill('bakery');
      await page.getByLabel('Role', { exact: true }).selectOption('operator');
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Grant the role' }).click();
      await page.getByRole('link', { name: 'bakery' }).click();
      await page.getByText('operator on the project mill-project', { exact: false }).waitFor();
      await page.getByText('transact', { exact: true }).waitFor();
      await goTo(page, '/access');
      await page.getByRole('button', { name: 'Revoke operator of bakery' }).click();
      await page.getByRole('button', { name: 'Revoke the role' }).click();
      await closed();
      await page.getByRole('link', { name: 'bakery' }).waitFor({ state: 'detached' });
      const left = `/v1/admin/identity-permissions?resourceId=mill-project&serviceId=${serviceId}`;
      expect(await api.expect(200, 'GET', left)).toMatchObject({ permissions: [] });

      await goTo(page, '/timeline?type=service-account');
      const made = page.getByRole('row').filter({ hasText: 'Create' }).filter({ hasText: 'Bakery' });
      await made.getByRole('cell', { name: 'ada@example.com', exact: true }).first().waitFor();
    });

    test('somebody is invited and the invitation cancelled; an application is made, and its token shown once', async () => {
      await goTo(page, '/access?part=invitations');
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      await page.getByLabel('E-mail address').fill('grace@example.com');
      await page.getByLabel('Role', { exact: true }).selectOption('viewer');
      await page.getByRole('button', { name: 'Send the invitation' }).click();
      await page.getByRole('button', { name: 'Cancel the invitation of grace@example.com' }).click();
      await page.getByRole('button', { name: 'Cancel the invitation', exact: true }).click();
      await page.getByText('grace@example.com', { exact: true }).waitFor({ state: 'detached' });
      await goTo(page, '/access?part=apps');
      await page.getByRole('button', { name: 'New application' }).click();
      await page.getByLabel('Name').fill('Shop');
      await page.getByRole('button', { name: 'Create the application' }).click();
      await page.getByRole('button', { name: 'New token of Shop' }).click();
      await page.getByRole('button', { name: 'Issue the token' }).click();
      await page.getByRole('dialog').getByText('ApplicationToken', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'I have it' }).click();
    });

    test('an application and a project are archived, seen among what is, and restored', async () => {
      const { api } = stage.tenant;
      await goTo(page, '/access?part=apps');
      await page.getByRole('button', { name: 'Archive Shop', exact: true }).click();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Archive the application', exact: true }).click();
      await page.getByText('Shop', { exact: true }).waitFor({ state: 'detached' });
      await page.getByLabel('Archived or not').selectOption('true');
      await page.getByRole('button', { name: 'Restore Shop', exact: true }).click();
      await page.getByRole('button', { name: 'Restore the application', exact: true }).click();
      await page.getByText('No application is archived').waitFor();

      const { organizationId } = stage.tenant;
      await api.expect(201, 'POST', '/v1/admin/projects', {
        organizationId,
        name: 'Old mill',
        projectId: 'old-mill',
      });
      // The page does not know of it yet.
      await page.goto(url('/access?part=projects'));
      await page.getByRole('button', { name: 'Archive Old mill', exact: true }).click();
      await page.getByRole('button', { name: 'Archive the project', exact: true }).click();
      await closed();
      await page
        .getByRole('button', { name: 'Archive Old mill', exact: true })
        .waitFor({ state: 'detached' });
      expect(
        (await api.expect<{ archivedAt: string | null }>(200, 'GET', '/v1/admin/projects/old-mill'))
          .archivedAt,
      ).not.toBeNull();
      await page.getByLabel('Archived or not').selectOption('true');
      await page.getByRole('button', { name: 'Restore Old mill', exact: true }).click();
      await page.getByRole('button', { name: 'Restore the project', exact: true }).click();
      await page.getByText('No project is archived').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
      expect(await api.expect(200, 'GET', '/v1/admin/projects/old-mill')).toMatchObject({ archivedAt: null });
    });

    test('axe finds nothing on any page, wide and narrow, light and dark', async () => {
      const { api } = stage.tenant;
      const { actions } = await api.expect<{ actions: { actionId: string }[] }>(
        200,
        'GET',
        '/v1/ledger-ops/actions',
      );
      const pages = [
        '/',
        '/send?kind=deploy',
        '/wallets',
        '/wallets/till',
        '/contracts',
        '/templates',
        '/templates/mill-token',
        ...['people', 'accounts', 'apps', 'invitations', 'projects', 'may'].map(
          (part) => `/access?part=${part}`,
        ),
        '/timeline',
        '/webhooks',
        '/ledgers',
        '/ledgers/chain',
        '/plugins',
        `/plugins/${pluginId}`,
        '/actions',
        `/actions/${actions[0]?.actionId}`,
        '/invitation',
        '/nowhere',
      ];
      for (const path of pages) {
        await goTo(page, path);
        await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
        // Several parts of a page may be loading.
        await expect.poll(() => page.getByRole('status').count(), { timeout: 60_000 }).toBe(0);
        expect(await faultsInTwoLooks(page), path).toEqual([]);
      }
    }, 600_000);

    test('somebody else’s link of a sign-in signs nobody in', async () => {
      const other = await page.context().newPage();
      await other.goto(url('/callback?code=code_stolen&state=theirs&iss=x'));
      await other.getByText('This sign-in was not begun in this tab').waitFor();
      expect(other.url()).not.toContain('code_stolen');
      expect(await faultsInTwoLooks(other)).toEqual([]);
      await other.goto((await stage.invite('joan@example.com', 'viewer')).init);
      await other.getByLabel('Your name').waitFor();
      expect(await faultsInTwoLooks(other)).toEqual([]);
      await other.close();
    });

    test('signing out ends the session, and another sign-in asks for the password', async () => {
      await page.goto(url('/actions'));
      await page.getByRole('button', { name: 'Sign out' }).click();
      await heading('You are signed out').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await heading('Log in').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByLabel('Password').fill('a wrong one');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('alert').waitFor();
      expect(await faultsInTwoLooks(page)).toEqual([]);
      // The browser says so of the answer's status.
      asked.push('401');
      expect(unasked()).toEqual([]);
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await heading('Overview').waitFor();
    });

    test('a person without a role in a project sees nothing of it', async () => {
      const other = await addTenant(stage.installation.url, stage.installation.administrator, 'loft');
      const bearer = await tokenOf(page, url('/actions'));
      const asked = (project: string) =>
        fetch(`${stage.installation.url}/v1/cloud-wallet/wallets`, {
          headers: { Authorization: bearer, 'Ledger-Ops-Project': project },
        });
      expect((await asked(stage.tenant.projectUuid)).status).toBe(200);
      const refused = await asked(other.projectUuid);
      expect([refused.status, ((await refused.json()) as { type?: string }).type]).toEqual([
        403,
        'urn:ledger-ops:problem:not-permitted',
      ]);
      expect((await asked('nonsense')).status).toBe(403);
    });

    test('browsers complained of nothing', () => {
      expect(unasked()).toEqual([]);
    });
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

/** The header that the page sends. */
async function tokenOf(page: Page, address: string): Promise<string> {
  const sent = page.waitForRequest((request) => request.url().includes('/v1/ledger-ops/actions'));
  await page.goto(address);
  return (await (await sent).headerValue('authorization')) ?? '';
}
