// The reference as people use it, in a browser that holds it to its policy.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingChromium, openChromium } from '../../../../testing/chromium.ts';
import { listen } from '../../src/http/sockets/listen.ts';
import { type Ground, makeServer, openGround } from '../stage/harness.ts';
import { faultsOf } from './console-faults.ts';

const missing = missingChromium();
if (missing !== undefined) console.warn(`Skipped: the reference is not opened in a browser, for ${missing}.`);

describe.skipIf(missing !== undefined)('the reference in Chromium', { timeout: 300_000 }, () => {
  let ground: Ground;
  let browser: Browser;
  let url: string;
  let close: () => Promise<void>;
  const complaints: string[] = [];
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
    page.on('pageerror', (error) => complaints.push(`${path}: ${error}`));
    page.on('console', (message) => {
      // An answer that is asked for in a test is told as an error too.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(`${path}: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) complaints.push(`${path}: ${request.url()}`);
    });
    await page.goto(url + path);
    return page;
  }

  test('finds operations by words and paths, with nothing of elsewhere', async () => {
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

  test('sends an operation with one’s own tokens, which other pages of the tab find, and no other tab', async () => {
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
    // The status stands there before the answer is read, and the token kept.
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

  test('has room on a telephone, with the contents behind a button', async () => {
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
    await page.getByRole('link', { name: 'Sending again' }).click();
    await page.waitForURL('**/docs/guide-idempotency');
    await page.close();
  });

  test('can be read by everybody, light and dark', async () => {
    const page = await open('/docs');
    for (const path of ['/docs', '/docs/send', '/docs/createApp', '/docs/guide-errors']) {
      await page.goto(url + path);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([path, colorScheme, await faultsOf(page)]).toEqual([path, colorScheme, []]);
      }
    }
    await page.close();
  });

  test('had nothing to complain of', () => expect(complaints).toEqual([]));
});
