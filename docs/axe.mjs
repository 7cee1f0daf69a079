// Checks pages of the built site with axe in the installed Chromium. On some pages, it also checks the colors of the dark scheme.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const executablePath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout?.trim();
if (!executablePath) {
  console.log('axe did not check the site, because there is no Chromium on this machine.');
  process.exit(0);
}

// One page of each kind: home, generated, guide, operations, table, README, types. Does not include /permissions, because axe
// takes 20 s for its table.
const light = {
  options: {},
  pages: [
    ...['/', '/cli', '/guide/getting-started', '/http', '/comparison', '/packages/client'],
    '/reference/adapter/modules',
  ],
};
/** In the dark scheme only colors differ, and pages of a kind share them. */
const dark = {
  pages: ['/', '/cli', '/http', '/packages/client', '/reference/adapter/modules'],
  options: { runOnly: ['color-contrast'] },
};
/** Findings in VitePress's own markup: its search button, and its home page, which has no main landmark. */
const theirs = ['label-content-name-mismatch .DocSearch', 'landmark-one-main html', 'region #VPContent'];

const site = fileURLToPath(new URL('dist', import.meta.url));
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const server = createServer(({ url = '/' }, response) => {
  const path = join(site, decodeURIComponent(new URL(url, 'http://site').pathname));
  const file = [path, `${path}.html`, join(path, 'index.html')].find(
    (one) => one.startsWith(site) && existsSync(one) && statSync(one).isFile(),
  );
  response.writeHead(file === undefined ? 404 : 200, { 'Content-Type': types[extname(file ?? '')] ?? '' });
  response.end(file === undefined ? '' : readFileSync(file));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const axe = readFileSync(new URL(import.meta.resolve('axe-core')), 'utf8');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const found = new Map();
try {
  for (const [colorScheme, { pages, options }] of Object.entries({ light, dark })) {
    const page = await (await browser.newContext({ colorScheme, reducedMotion: 'reduce' })).newPage();
    for (const path of pages) {
      const answer = await page.goto(origin + path);
      if (answer?.status() !== 200) throw new Error(`There is no page ${path}.`);
      // Disables transitions, because the contrast is too low during a color transition.
      await page.addStyleTag({ content: '* { transition: none !important }' });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(`axe.run(${JSON.stringify(options)})`);
      for (const { id, nodes } of violations) {
        for (const { target, failureSummary } of nodes) {
          const name = `${id} ${target.join(' ')}`;
          if (!theirs.includes(name)) found.set(`${path} (${colorScheme}): ${name}`, failureSummary);
        }
      }
    }
  }
} finally {
  await browser.close();
  server.close();
}
for (const [where, why] of found) console.error(`${where}\n  ${why.replaceAll('\n', '\n  ')}`);
console.log(`axe checked ${light.pages.length} pages: ${found.size} findings.`);
process.exit(found.size === 0 ? 0 : 1);
