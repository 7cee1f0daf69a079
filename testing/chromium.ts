import { spawnSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

const programs = ['chromium', 'chromium-browser', 'google-chrome'];
const program = programs.find((name) => spawnSync(name, ['--version']).status === 0);

/** Why a test that needs a browser cannot run; undefined: it can. */
export function missingChromium(): string | undefined {
  return program === undefined
    ? 'there is no Chromium on this machine (apt-get install chromium)'
    : undefined;
}

/** Where the machine's Chromium is. */
export function chromiumPath(): string {
  return spawnSync('which', [program ?? ''], { encoding: 'utf8' }).stdout.trim();
}

/** The machine's own Chromium. It has no sandbox, which containers do not let it make: open pages of ours alone. */
export async function openChromium(): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', `--disable-features=${unused.join(',')}`],
  });
}

/** The last switch holds, so that this one stands in the place of playwright-core's, of which pages of ours need none. */
const unused = [
  // Pages of the browser's own behind the address, which it loads for each window: they cost more than it takes to start.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];
