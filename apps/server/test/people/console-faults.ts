import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { isFaultsRun } from '../../../../testing/faults.ts';

/**
 * Returns the faults that axe finds on the current page.
 *
 * @param rules the only rules to check; all if omitted
 */
export async function faultsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // axe stays loaded until the page is reloaded.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  // Omits passed rules: their list would be longer than the page.
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  const run = `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`;
  const violations = await page.evaluate<axe.Result[]>(run);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** Returns the faults of a page on a wide light screen and on a narrow dark one, where it must not overflow. */
export async function faultsInTwoLooks(page: Page): Promise<string[]> {
  const faults = isFaultsRun ? await faultsOf(page) : [];
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  faults.push(...(await faultsOf(page)));
  const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  if (overhang > 0) faults.push(`The page is ${overhang} px too wide.`);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  return faults;
}
