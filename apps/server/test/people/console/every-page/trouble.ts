import { expect, test } from 'vitest';
import { ended, nobody, transferBody } from '../../../stage/api.ts';
import { faultsInTwoLooks } from '../../console-faults.ts';
import { goTo } from '../../console-stage.ts';
import type { EveryPage } from './ground.ts';

/** A keyboard alone, records that are not there, and a service that does not answer. */
export function describeTrouble(at: () => EveryPage): void {
  test('a window is opened, filled in and left by the keyboard, and the focus goes back', async () => {
    const { page } = at();
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

  test('names that are long, of one word or the same as another’s fit a phone, and so do their questions', async () => {
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
    // It is called by its id.
    expect(await page.getByRole('heading', { name }).first().textContent()).toBe(`${name} ${'c'.repeat(63)}`);
    expect(await faultsInTwoLooks(page)).toEqual([]);
    // The console knows its own new projects alone.
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

  test('a record that is not there is said so, with a way back', async () => {
    const { page, heading, asked, unasked } = at();
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
    const { page, url, asked, unasked } = at();
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
}
