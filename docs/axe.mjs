// Checks pages of the built site with axe in the installed Chromium, and colors of a few also in the dark scheme.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const executablePath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout?.trim();
if (!executablePath) {
  console.log('There is no Chromium on this machine: axe has not looked at the site.');
  process.exit(0);
}

// One page of each kind: home, generated, guide, operations, table, README, types. axe takes 20 s for the table of
// /permissions.
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
/** VitePress's own: its search button, and its page of doors, which is no main landmark. */
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
      // During a color transition the contrast is too low.
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
console.log(`axe looked at ${light.pages.length} pages: ${found.size} findings.`);
process.exit(found.size === 0 ? 0 : 1);
