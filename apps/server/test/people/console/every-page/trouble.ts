import { expect, test } from 'vitest';
import { ended, nobody, transferBody } from '../../../stage/api.ts';
import { faultsInTwoLooks } from '../../console-faults.ts';
import { goTo } from '../../console-stage.ts';
import type { EveryPage } from './context.ts';

/** Use by keyboard only, missing records, and an unreachable service. */
export function describeTrouble(at: () => EveryPage): void {
  test('a dialog is opened, filled in and closed by keyboard, and the focus returns', async () => {
    const { page } = at();
    await goTo(page, '/webhooks');
    const opener = page.getByRole('button', { name: 'New webhook' });
    await opener.press('Enter');
    const focused = () => page.evaluate<string>('document.activeElement.labels?.[0]?.textContent ?? ""');
    await expect.poll(focused).toBe('Address');
    await page.keyboard.type('nowhere');
    await page.keyboard.press('Enter');
    // The browser names the invalid field; nothing was sent.
    expect(await page.evaluate("document.activeElement.matches('input:invalid')")).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('New webhook');
  });

  test('pages with long or equal names, and the dialogs that archive such records, fit a phone’s screen', async () => {
    const { stage, page, url, closed } = at();
    const { api, projectId, organizationId } = stage.tenant;
    const name = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung';
    await api.expect(201, 'POST', '/v1/admin/apps', { appId: 'a'.repeat(63), name, projectId });
    await api.expect(201, 'POST', '/v1/admin/projects', { projectId: 'p'.repeat(63), name, organizationId });
    const glo = {
      ...{ version: '0.1.0', type: 'contract_deploy' },
      options: {
        contract_source: {
          lookup_service: { type: 'service', value: 'service' },
          resource: 'mill-token:1',
        },
        args: ['Long', 'LONG', '1000'],
      },
    };
    for (const contractId of ['c'.repeat(63), 'd'.repeat(63)]) {
      const body = { ...transferBody('till', nobody), glo, registration: { contractId, name } };
      const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', body);
      await ended(api, actionId);
    }
    await goTo(page, '/contracts');
    await page.getByRole('region', { name }).nth(1).waitFor();
    // The address distinguishes contracts with the same name. The id can be copied.
    expect(await page.getByRole('heading', { name }).first().textContent()).toMatch(/ [(]0x\w+…\w+[)]$/);
    expect(await page.getByTitle('c'.repeat(63)).count()).toBe(1);
    expect(await faultsInTwoLooks(page)).toEqual([]);
    // Reloads, because the console does not show projects that were created over HTTP.
    await page.goto(url('/access'));
    await page.setViewportSize({ width: 390, height: 844 });
    for (const part of ['apps', 'projects']) {
      await goTo(page, `/access?part=${part}`);
      await page.getByRole('button', { name: `Archive ${name}` }).click();
      const question = page.getByRole('heading', { name: `Archive ${name}?` });
      const { x = 0, width = 0 } = (await question.boundingBox()) ?? {};
      expect([x > 0, x + width < 390], part).toEqual([true, true]);
      await page.keyboard.press('Escape');
      await closed();
      expect(await faultsInTwoLooks(page), part).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test('the page of an unknown action says that it was not found, and links to the list of actions', async () => {
    const { page, heading, expectedErrors, unexpectedErrors } = at();
    await goTo(page, `/actions/${crypto.randomUUID()}`);
    await heading('Action not found').waitFor();
    // The message stays during the next request.
    let isRequestedAgain = false;
    await page.route('**/v1/ledger-ops/actions/*-*', () => {
      isRequestedAgain = true;
    });
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await expect.poll(() => isRequestedAgain).toBe(true);
    expect(await heading('Action not found').isVisible()).toBe(true);
    expect(await faultsInTwoLooks(page)).toEqual([]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    // The browser reports the response's status.
    expectedErrors.push('404');
    expect(unexpectedErrors()).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Actions' }).click();
    await heading('Actions').waitFor();
  });

  test('if the service cannot be reached, the console reports this, keeps the data that it shows, and retries', async () => {
    const { page, url, expectedErrors, unexpectedErrors } = at();
    await page.route('**/v1/events', (route) => route.abort());
    await page.route('**/v1/admin/timeline?**', (route) => route.abort());
    await page.goto(url('/wallets'));
    await page
      .getByText('The service cannot be reached. The console keeps trying', { exact: false })
      .waitFor();
    await page.getByRole('link', { name: 'till' }).waitFor();
    await page.getByRole('link', { name: 'Timeline' }).click();
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    expect(await faultsInTwoLooks(page)).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
    await again.click();
    await page.getByRole('table').waitFor();
    await page
      .getByText('The service cannot be reached. The console keeps trying', { exact: false })
      .waitFor({ state: 'detached' });
    // The browser reports each unanswered request.
    expectedErrors.push('ERR_FAILED');
    expect(unexpectedErrors()).toEqual([]);
  });
}
