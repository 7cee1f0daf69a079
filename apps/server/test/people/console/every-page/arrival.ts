import type { APIRequestContext, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import type { EveryPage } from './context.ts';

/** Opening the console: links, reloads, requests and loaded files. */
export function describeArrival(at: () => EveryPage): void {
  test('an invited person sets a password through the mail’s link, and is signed in', async () => {
    const { page } = at();
    await page.getByText('ada@example.com').first().waitFor();
    expect(page.url()).not.toContain('ivs_');
    expect(await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(
      /eyJ|rft_|ivs_/,
    );
  });

  test('the first load of the console transfers less than 250 kB', async () => {
    const { firstLoad } = at();
    await expect.poll(firstLoad).toBeGreaterThan(50_000);
    expect(firstLoad()).toBeLessThan(250_000);
  });

  test('reloading a page signs the user in without a prompt, and shows the page again', async () => {
    const { page, heading, url } = at();
    await page.goto(url('/actions?status=PENDING'));
    await heading('Actions').waitFor();
    // The page renders before sign-in completes.
    await page.getByText('Live', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=PENDING');
  });

  test('the overview sends each request once when it opens', async () => {
    const { page, heading, url } = at();
    const sent: string[] = [];
    const note = (request: Request) => {
      const { pathname, search } = new URL(request.url());
      if (/^[/](?:v1|console[/]assets)[/]/.test(pathname)) sent.push(pathname + search);
    };
    page.on('request', note);
    await page.goto(url('/'));
    await page.getByText('Live', { exact: true }).waitFor();
    // This text belongs to the last list that the page requests.
    await page.getByText('nothing has succeeded yet').waitFor();
    await page.getByRole('link', { name: 'Actions', exact: true }).click();
    await heading('Actions').waitFor();
    page.off('request', note);
    expect(sent).toContain('/v1/ledger-ops/actions?size=50');
    expect(sent.filter((one, at) => sent.indexOf(one) < at)).toEqual([]);
  });

  test('a page renders before sign-in completes, and requests no records before the project is known', async () => {
    const { page, heading, url } = at();
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
    const projectsRequest = page.waitForRequest('**/v1/admin/projects?**');
    token.resolve();
    await projectsRequest;
    expect(inProject).toEqual([]);
    projects.resolve();
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => inProject.length).toBeGreaterThan(1);
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('a browser with a session loads all scripts at the same time', async () => {
    const { stage, page, url } = at();
    const linked = async (request: APIRequestContext) => (await request.get(url('/'))).headers().link ?? '';
    const names = [...(await linked(page.request)).matchAll(/<([^>]+)>; rel=modulepreload/g)];
    expect(names.map(([, path = '']) => path.replace(/-[\w-]{8}[.]js$/, '')).sort()).toEqual(
      ['parts', 'react', 'rolldown-runtime', 'vendor'].map((name) => `/console/assets/${name}`),
    );
    const stranger = await stage.browser.newContext();
    expect(await linked(stranger.request)).toBe('');
    await stranger.close();
  });

  test('if the stored project is not visible to the user, the console opens another one', async () => {
    const { stage, page, url, unexpectedErrors } = at();
    await page.evaluate(`localStorage.setItem('ledger-ops.project', '${crypto.randomUUID()}')`);
    await page.goto(url('/wallets'));
    await page.getByRole('link', { name: 'till' }).waitFor();
    await page.getByRole('link', { name: 'Actions', exact: true }).click();
    expect(await page.evaluate("localStorage.getItem('ledger-ops.project')")).toBe(stage.tenant.projectUuid);
    // The console sent no request for the invisible project. The browser would have reported its error.
    expect(unexpectedErrors()).toEqual([]);
  });
}
