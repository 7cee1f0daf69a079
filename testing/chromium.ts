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

/** Features of the browser. Of two such switches the last one holds: this one has what playwright-core's own has for Chromium, too. */
const unused = [
  // Pages behind the field for addresses, which it loads for each window: they cost more than it takes to start.
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  // Requests to servers of others, as it starts.
  ...['AimEnabled', 'MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PreconnectToSearch'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'LensOverlay'],
  ...['DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades'],
  ...['PaintHolding', 'ThirdPartyStoragePartitioning'],
];
