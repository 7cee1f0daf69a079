import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addWallet } from '../../stage/api.ts';
import { faultsInTwoLooks } from '../console-faults.ts';
import { type ConsoleStage, enter, goTo } from '../console-stage.ts';
import { describeAccess } from './every-page/access.ts';
import { describeArrival } from './every-page/arrival.ts';
import type { EveryPage } from './every-page/context.ts';
import { describeLeaving } from './every-page/leaving.ts';
import { describeRecords } from './every-page/records.ts';
import { describeSearch } from './every-page/search.ts';
import { describeTrouble } from './every-page/trouble.ts';

/** @param open creates a project for the scenario */
export function describeEveryPage(open: () => Promise<ConsoleStage>): void {
  describe('pages of the console', () => {
    let context: EveryPage;

    beforeAll(async () => {
      context = await openContext(await open());
    }, 300_000);
    afterAll(async () => {
      await context?.page.context().close();
    });

    const at = () => context;
    describeArrival(at);
    describeRecords(at);
    describeSearch(at);
    describeTrouble(at);
    describeAccess(at);

    test('each element isolates the direction of its text, so names in it cannot reorder the surrounding text', async () => {
      const { page } = context;
      await goTo(page, '/wallets');
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      const directions = `[...new Set([...document.body.querySelectorAll('*')].map((one) => getComputedStyle(one).unicodeBidi))]`;
      expect(await page.evaluate(directions)).toEqual(['isolate']);
    });

    test('axe finds no faults on any page, on wide and narrow screens, in light and dark mode', async () => {
      const { page } = context;
      // Other scenarios check the pages of single records.
      const pages = [
        '/',
        '/send?kind=deploy',
        '/wallets',
        '/wallets/till',
        '/templates',
        ...['people', 'accounts', 'apps', 'invitations', 'storage', 'may'].map(
          (part) => `/access?part=${part}`,
        ),
        '/timeline',
        '/webhooks',
        '/ledgers',
        '/plugins',
        '/actions',
        '/invitation',
        '/nowhere',
      ];
      for (const path of pages) {
        await goTo(page, path);
        await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
        // Waits until all parts of the page are loaded.
        await expect.poll(() => page.getByRole('status').count(), { timeout: 60_000 }).toBe(0);
        expect(await faultsInTwoLooks(page), path).toEqual([]);
      }
    }, 600_000);

    describeLeaving(at);

    test('the browser reported no errors on any page', () => {
      expect(context.unexpectedErrors()).toEqual([]);
    });
  });
}

async function openContext(stage: ConsoleStage): Promise<EveryPage> {
  const page = await stage.openPage();
  const errors: string[] = [];
  const expectedErrors: string[] = [];
  let firstLoad = 0;
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('requestfinished', async (request) => {
    if (!request.url().includes('/console/')) return;
    // Requests of pages that were closed have no sizes.
    const sizes = await request.sizes().catch(() => undefined);
    firstLoad += sizes?.responseBodySize ?? 0;
  });
  const { init } = await stage.invite('ada@example.com', 'owner');
  await enter(page, init, 'Ada Lovelace');
  const { walletAddress: till } = await addWallet(stage.installation, stage.tenant, 'till');
  return {
    ...{ stage, page, till, expectedErrors },
    firstLoad: () => firstLoad,
    unexpectedErrors: () => errors.filter((text) => !expectedErrors.some((part) => text.includes(part))),
    url: (path) => `${stage.installation.url}/console${path}`,
    heading: (name) => page.getByRole('heading', { level: 1, name }),
    closed: () => page.getByRole('dialog').waitFor({ state: 'detached' }),
  };
}
