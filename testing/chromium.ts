import { spawnSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

const programs = ['chromium', 'chromium-browser', 'google-chrome'];
const program = programs.find((name) => spawnSync(name, ['--version']).status === 0);

/** Returns why a test that needs a browser cannot run; undefined if it can. */
export function missingChromium(): string | undefined {
  return program === undefined
    ? 'there is no Chromium on this machine (apt-get install chromium)'
    : undefined;
}

/** Path of the machine's Chromium. */
export function chromiumPath(): string {
  return spawnSync('which', [program ?? ''], { encoding: 'utf8' }).stdout.trim();
}

/**
 * Starts the machine's Chromium without a sandbox, which containers do not allow. Open only pages of this
 * repository.
 */
export async function openChromium(): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', `--disable-features=${unused.join(',')}`],
  });
}

/**
 * Disabled browser features. Only the last such switch counts, so this list includes playwright-core's own for
 * Chromium.
 */
const unused = [
  // Features behind the address bar that each window loads. They cost more than the start of the browser.
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  // Requests to third-party servers at startup.
  ...['AimEnabled', 'MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PreconnectToSearch'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'LensOverlay'],
  ...['DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades'],
  ...['PaintHolding', 'ThirdPartyStoragePartitioning'],
];
