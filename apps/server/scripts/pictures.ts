// Makes the pictures of the console in docs/pictures, of a server with a chain of its own, in the machine's Chromium.
import { mkdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { enter, openConsoleStage } from '../test/people/console-stage.ts';
import { addTokenTemplate, addWallet, ended, transferBody } from '../test/stage/api.ts';

const folder = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));
mkdirSync(folder, { recursive: true });
const { installation, tenant, browser, invite, close } = await openConsoleStage();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  await enter(page, (await invite('ada@example.com', 'owner')).init, 'Ada Lovelace');
  const { walletAddress } = await addWallet(installation, tenant, 'till');
  await addWallet(installation, tenant, 'rent');
  await addTokenTemplate(tenant.api, 'mill-token');
  const send = async (walletId: string, ether: string, more: object = {}) => {
    const body = transferBody(walletId, walletAddress);
    const options = { ...body.glo.options, amount: `${ether}0000000000000000` };
    const sent = { ...body, ...more, glo: { ...body.glo, options } };
    return (await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', sent)).actionId ?? '';
  };
  // So that the chart has something to show over time.
  for (const together of [1, 2, 1, 3, 4, 2, 3, 5, 3, 2, 4, 2, 1, 3, 2]) {
    await Promise.all(Array.from({ length: together }, () => send('till', '2', { tag: 'rolls' })));
    await setTimeout(3_000);
  }
  const first = [await send('till', '25', { tag: 'flour' }), await send('rent', '40', { tag: 'rent' })];
  const between = await send('till', '15', { tag: 'shares', dependencies: first });
  const last = await send('rent', '5', { tag: 'shares', dependencies: [between] });
  await ended(tenant.api, last);
  const shown = async (path: string, text: string) => {
    await page.goto(`${installation.url}/console${path}`);
    await page.getByText(text).first().waitFor();
    await page.getByRole('status').waitFor({ state: 'detached' });
  };
  const keep = (name: string) => page.screenshot({ path: `${folder}console-${name}.png` });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await shown('/', 'Service ready');
    await keep(`overview-${colorScheme}`);
    await shown(`/actions/${between}`, 'Dependencies');
    await keep(`action-${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await shown('/ledgers/chain', 'built in');
  await keep('ledger-light');
  await shown('/access?part=may&who=ada@example.com', 'ada@example.com is');
  await keep('access-light');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await shown('/actions', 'flour');
  await keep('actions-narrow');
} finally {
  await close();
}
