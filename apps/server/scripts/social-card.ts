// Draws docs/pictures/social-card.png, which link previews of the documentation show: 1200 by 630 pixels.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openChromium } from '../../../testing/chromium.ts';
import { mark } from '../src/reference/mark.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root));
const fonts = 'apps/console/node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2';

const card = `<!doctype html><style>
${read('apps/console/src/identity.css')}
@font-face { font-family: "Geist Variable"; font-weight: 100 900; src: url(data:font/woff2;base64,${read(fonts).toString('base64')}); }
body { margin: 0; width: 1200px; height: 630px; font-family: var(--font); }
main { box-sizing: border-box; display: flex; flex-direction: column; justify-content: space-between; height: 100%; padding: 80px; }
.name { display: flex; align-items: center; gap: 28px; font-size: 40px; font-weight: 600; letter-spacing: -0.015em; }
.name svg { width: 96px; height: 96px; }
h1 { margin: 0; max-width: 16em; font-size: 72px; font-weight: 600; line-height: 1.1; letter-spacing: -0.03em; text-wrap: balance; }
p { margin: 0; color: var(--ink-2); font-size: 30px; }
</style><body class="on-brand"><main>
<div class="name">${mark}Ledger Operations</div>
<h1>Operations on every ledger, each exactly once.</h1>
<p>Transfers, contract calls and deployments over one HTTP interface.</p>
</main></body>`;

const browser = await openChromium();
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
  await page.setContent(card);
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path: fileURLToPath(new URL('docs/pictures/social-card.png', root)) });
} finally {
  await browser.close();
}
