// The API reference in a browser, which enforces its content security policy.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingChromium, openChromium } from '../../../../testing/chromium.ts';
import { listen } from '../../src/http/sockets/listen.ts';
import { type Ground, makeServer, openGround } from '../stage/harness.ts';
import { faultsOf } from './console-faults.ts';

const missing = missingChromium();
if (missing !== undefined) console.warn(`Skipped: the API reference in a browser, for ${missing}.`);

describe.skipIf(missing !== undefined)('the API reference in Chromium', { timeout: 300_000 }, () => {
  let ground: Ground;
  let browser: Browser;
  let url: string;
  let close: () => Promise<void>;
  const errors: string[] = [];
  beforeAll(async () => {
    ground = await openGround();
    const listener = await listen('127.0.0.1', 0);
    listener.serve(makeServer(ground).app.fetch);
    url = `http://127.0.0.1:${listener.port}`;
    close = () => listener.close(1_000);
    browser = await openChromium();
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await close?.();
    await ground?.close();
  });

  async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options);
    page.on('pageerror', (error) => errors.push(`${path}: ${error}`));
    page.on('console', (message) => {
      // The browser also reports the error responses that tests provoke.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        errors.push(`${path}: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) errors.push(`${path}: ${request.url()}`);
    });
    await page.goto(url + path);
    return page;
  }

  test('the search of the API reference finds operations by words and paths', async () => {
    const page = await open('/docs');
    const found = page.locator('#contents li:visible');
    await page.keyboard.press('/');
    await page.keyboard.type('cancel action');
    await expect.poll(() => page.locator('#found').textContent()).toBe('1 found');
    expect(await found.allInnerTexts()).toEqual([expect.stringContaining('Cancel an action')]);
    await found.locator('a').click();
    await page.waitForURL('**/docs/cancelAction');
    await page.close();
  });

  test('the API reference sends requests with the user’s tokens, and other tabs do not get them', async () => {
    const page = await open('/docs/issueToken');
    await page
      .locator('[data-body]')
      .fill(
        [
          'grant_type=client_credentials',
          `client_id=${ground.caller.appId}`,
          `service_account=${ground.caller.accountId}`,
          `client_secret=${ground.caller.apiToken}`,
        ].join('\n'),
      );
    await page.getByRole('button', { name: 'Send' }).click();
    // The status is shown before the response is read and the token stored.
    await page.getByText('200 OK').filter({ hasText: 'this access token is filled in' }).waitFor();
    await page.goto(`${url}/docs/adminGetProject`);
    await page.locator('[data-credential=application]').fill(ground.caller.applicationToken);
    await page.locator('[data-name=projectId]').fill('project-one');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('200 OK').waitFor();
    await page.locator('[data-answer] code').filter({ hasText: /\S/ }).waitFor();
    expect(JSON.parse((await page.locator('[data-answer] code').textContent()) ?? '')).toMatchObject({
      projectId: 'project-one',
    });
    await page.locator('[data-name=projectId]').fill('a/../b');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('404 Not Found').waitFor();
    await page.close();
    const other = await open('/docs/adminGetProject');
    expect(await other.locator('[data-credential=token]').inputValue()).toBe('');
    await other.close();
  });

  test('the API reference fits a phone, with its table of contents behind a button', async () => {
    const page = await open('/docs', { viewport: { width: 390, height: 844 } });
    for (const path of [
      '/docs',
      '/docs/send',
      '/docs/adminInvite',
      '/docs/guide-first-send',
      '/docs/guide-events',
    ]) {
      await page.goto(url + path);
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 390]);
    }
    expect(await page.locator('#contents').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Contents' }).click();
    await page.getByRole('link', { name: 'Repeating requests' }).click();
    await page.waitForURL('**/docs/guide-idempotency');
    await page.close();
  });

  test('axe finds no faults in the API reference, in light and dark mode', async () => {
    const page = await open('/docs');
    for (const path of ['/docs', '/docs/send', '/docs/createApp', '/docs/guide-errors']) {
      await page.goto(url + path);
      expect([path, await faultsOf(page)]).toEqual([path, []]);
      // Dark mode only changes colors, so only their contrast is checked.
      await page.emulateMedia({ colorScheme: 'dark' });
      expect([path, await faultsOf(page, ['color-contrast'])]).toEqual([path, []]);
      await page.emulateMedia({ colorScheme: 'light' });
    }
    await page.close();
  });

  test('the API reference causes no browser errors and no requests to other servers', () =>
    expect(errors).toEqual([]));
});
