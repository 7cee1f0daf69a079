import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingChromium } from '../../../testing/chromium.ts';
import { addTenant, addTokenTemplate, addWallet, ended, transferBody } from './api.ts';
import { type ConsoleStage, enter, openConsoleStage, password } from './console-stage.ts';

const missing = missingChromium();
if (missing !== undefined) console.warn(`Skipped: the console is not opened in a browser, for ${missing}.`);

describe.skipIf(missing !== undefined)('the console in a browser', () => {
  let stage: ConsoleStage;
  let context: BrowserContext;
  let page: Page;
  /** All that a browser complained of: scripts that failed, and what the page's policy kept out. */
  const complaints: string[] = [];
  let firstLoad = 0;

  beforeAll(async () => {
    stage = await openConsoleStage();
    context = await stage.browser.newContext({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('requestfinished', async (request) => {
      if (request.url().includes('/console/')) firstLoad += (await request.sizes()).responseBodySize;
    });
    const { init } = await stage.invite('ada@example.com', 'owner');
    await enter(page, init, 'Ada Lovelace');
    await addWallet(stage.installation, stage.tenant, 'till');
  });
  afterAll(async () => {
    await stage?.close();
  });

  /** Of wallets of the stage. */
  const walletPassword = 'correct horse battery staple';
  const url = (path: string) => `${stage.installation.url}/console${path}`;
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });

  test('an invited person has set a password by the link of the mail, and is signed in', async () => {
    await page.getByText('ada@example.com').first().waitFor();
    expect(page.url()).not.toContain('ivs_');
    expect(await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(
      /eyJ|rft_|ivs_/,
    );
  });

  test('the first load is less than 250 kB', () => {
    expect(firstLoad).toBeGreaterThan(50_000);
    expect(firstLoad).toBeLessThan(250_000);
  });

  test('a reload signs in anew, without a question, and leads back', async () => {
    await page.goto(url('/actions?status=PENDING'));
    await heading('Actions').waitFor();
    expect(new URL(page.url()).search).toBe('?status=PENDING');
  });

  test('an action that is jammed on purpose is found, explained and cancelled', async () => {
    const { anvil } = stage.installation;
    const { api } = stage.tenant;
    await anvil.rpc('evm_setAutomine', [false]);
    await anvil.rpc('anvil_setIntervalMining', [0]);
    const recipient = `0x${'be'.repeat(20)}`;
    const sent = { ...transferBody('till', recipient), tag: 'jammed' };
    const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', sent);
    // It comes by itself: the page stands open.
    await page.getByRole('link', { name: /^Transfer/ }).click();
    await page.getByText(/It waits since/).waitFor();
    expect(await page.getByText('Nonce 0').count()).toBe(1);
    await page.getByRole('button', { name: 'Cancel it' }).click();
    await page.getByRole('button', { name: 'Cancel the action' }).click();
    await page.getByText('Empty, in its place').waitFor({ timeout: 20_000 });
    await anvil.rpc('anvil_setIntervalMining', [1]);
    expect(await ended(api, actionId)).toMatchObject({ status: 'FAILED' });
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
    await anvil.rpc('evm_setAutomine', [true]);
  });

  test('a contract of one’s own is tried, deployed, and called', async () => {
    const { api } = stage.tenant;
    await addTokenTemplate(api, 'mill-token');
    await page.goto(url('/send?kind=deploy'));
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

    await page.goto(url('/contracts'));
    await page.getByRole('link', { name: 'Call it' }).click();
    await page.getByLabel('From the wallet').selectOption('till');
    await page.getByLabel('Method').selectOption('transfer');
    const fields = page.locator('form input[type=text], form input:not([type])');
    await fields.nth(0).fill(`0x${'be'.repeat(20)}`);
    await fields.nth(1).fill('5');
    await page.getByLabel('Password of the wallet').fill(walletPassword);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Succeeded', { exact: true }).first().waitFor();
    await heading(/^Call transfer/).waitFor();
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
      '/actions',
      `/actions/${actions[0]?.actionId}`,
      '/invitation',
      '/nowhere',
    ];
    for (const path of pages) {
      await page.goto(url(path));
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      await page.getByRole('status').waitFor({ state: 'detached' });
      expect(await faultsOf(page), path).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await faultsOf(page, ['color-contrast', 'scrollable-region-focusable']), path).toEqual([]);
      const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(overhang, path).toBeLessThanOrEqual(0);
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.emulateMedia({ colorScheme: 'light' });
    }
  }, 120_000);

  test('somebody else’s link of a sign-in signs nobody in', async () => {
    const other = await context.newPage();
    await other.goto(url('/callback?code=code_stolen&state=theirs&iss=x'));
    await other.getByText('This sign-in was not begun in this tab').waitFor();
    expect(other.url()).not.toContain('code_stolen');
    await other.close();
  });

  test('signing out ends the session, and another sign-in asks for the password', async () => {
    await page.goto(url('/actions'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading('You are signed out').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await heading('Overview').waitFor();
  });

  test('a person without a role in a project sees nothing of it', async () => {
    const other = await addTenant(stage.installation.url, stage.installation.administrator, 'barn');
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
    expect(complaints).toEqual([]);
  });
});

/** The header that the page sends. */
async function tokenOf(page: Page, address: string): Promise<string> {
  const sent = page.waitForRequest((request) => request.url().includes('/v1/ledger-ops/actions'));
  await page.goto(address);
  return (await (await sent).headerValue('authorization')) ?? '';
}

/** The faults that axe finds on the page as it is; `rules`: by these alone. */
async function faultsOf(page: Page, rules?: string[]): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = JSON.stringify(rules === undefined ? {} : { runOnly: rules });
  const { violations } = await page.evaluate<Pick<axe.AxeResults, 'violations'>>(`axe.run(${options})`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
