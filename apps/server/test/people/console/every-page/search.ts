import { expect, test } from 'vitest';
import { faultsInTwoLooks } from '../../console-faults.ts';
import { goTo } from '../../console-stage.ts';
import type { EveryPage } from './context.ts';

/** Tests the search for records and pages, which a keyboard shortcut opens on every page. */
export function describeSearch(at: () => EveryPage): void {
  test('a keyboard shortcut opens the search, which finds a wallet by its address and a page by its name', async () => {
    const { page, heading, till, closed } = at();
    const field = page.getByRole('combobox', { name: 'Search or go to' });
    await goTo(page, '/timeline');
    await heading('Timeline').waitFor();
    await page.keyboard.press('/');
    await field.fill(till.toLowerCase());
    await page.getByRole('option', { name: /^till/ }).waitFor();
    expect(await faultsInTwoLooks(page)).toEqual([]);
    await field.press('Enter');
    await heading('till').waitFor();
    await page.keyboard.press('Control+k');
    await field.fill('failed act');
    await page.getByRole('option', { name: 'Failed actions' }).click();
    await heading('Actions').waitFor();
    expect(page.url()).toContain('status=FAILED');
    await page.keyboard.press('Control+k');
    await field.fill('nothing has this name');
    await page.getByText('Nothing found for “nothing has this name” in this project.').waitFor();
    await page.keyboard.press('Escape');
    await closed();
    // In a field, the key only types its character.
    await page.getByLabel('Tag', { exact: true }).fill('a');
    await page.keyboard.press('/');
    expect(await page.getByLabel('Tag', { exact: true }).inputValue()).toBe('a/');
    await page.getByLabel('Tag', { exact: true }).fill('');
  });
}
