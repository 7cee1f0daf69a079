import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The faults that axe finds on the page as it is. */
export async function faultsOf(page: Page): Promise<string[]> {
  // It stays until the page is loaded anew.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  // All that has passed is longer than the page: it is neither worked out in full nor handed over.
  const run = "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)";
  const violations = await page.evaluate<axe.Result[]>(run);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** The same of a page wide and light, and narrow and dark, and that nothing of it reaches beyond its edge there. */
export async function faultsInTwoLooks(page: Page): Promise<string[]> {
  const faults = await faultsOf(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  faults.push(...(await faultsOf(page)));
  const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  if (overhang > 0) faults.push(`The page is ${overhang} px too wide.`);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  return faults;
}
