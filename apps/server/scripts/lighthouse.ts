// Measures pages of the console with Lighthouse in the machine's Chromium, which simulates a phone on a slow
// connection with an empty cache. npx downloads Lighthouse for this run. `RUNS`: number of measurements per
// page, default 3. `REPORTS`: a folder for the reports.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../../../testing/chromium.ts';
import { enter, openConsoleStage } from '../test/people/console-stage.ts';
import { addWallet, ended, transferBody } from '../test/stage/api.ts';

const version = '13.5.0';
const runs = Number(process.env.RUNS ?? 3);

interface Report {
  readonly categories: Record<string, { readonly score: number }>;
  readonly audits: Record<string, { readonly numericValue?: number }>;
}

const work = await mkdtemp(join(tmpdir(), 'lighthouse-'));
const reports = process.env.REPORTS ?? join(work, 'reports');
await mkdir(reports, { recursive: true });
const { installation, tenant, invite, close } = await openConsoleStage();
const person = await chromium.launchPersistentContext(join(work, 'profile'), {
  executablePath: chromiumPath(),
  args: ['--no-sandbox', '--remote-debugging-port=0'],
});
try {
  const [, port = ''] = /^(\d+)/.exec(await readFile(join(work, 'profile/DevToolsActivePort'), 'utf8')) ?? [];
  const { walletAddress } = await addWallet(installation, tenant, 'till');
  const send = async () =>
    (await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('till', walletAddress)))
      .actionId ?? '';
  const sent = await Promise.all(Array.from({ length: 20 }, send));
  for (const actionId of sent) await ended(tenant.api, actionId);
  const page = await person.newPage();

  /** Prints only the best run, because other work on the machine can only lower a score. */
  async function measure(name: string, path: string): Promise<void> {
    const marks: { report: Report; speed: number }[] = [];
    for (let run = 1; run <= runs; run += 1) {
      const file = join(reports, `${name}-${run}.json`);
      await promisify(execFile)('npx', [
        ...['--yes', `lighthouse@${version}`, `${installation.url}${path}`, `--port=${port}`, '--quiet'],
        ...['--only-categories=performance,accessibility,best-practices'],
        ...['--output=json', `--output-path=${file}`],
      ]);
      const report: Report = JSON.parse(await readFile(file, 'utf8'));
      marks.push({ report, speed: report.categories.performance?.score ?? 0 });
    }
    const { report } = marks.reduce((best, one) => (one.speed > best.speed ? one : best));
    const marksText = Object.entries(report.categories).map(
      ([category, { score }]) => `${category} ${Math.round(score * 100)}`,
    );
    const figure = (audit: string) => report.audits[audit]?.numericValue ?? Number.NaN;
    const figures = [
      ...(['first-contentful-paint', 'largest-contentful-paint', 'speed-index'] as const).map(
        (audit) => `${audit} ${(figure(audit) / 1_000).toFixed(1)} s`,
      ),
      `total-blocking-time ${Math.round(figure('total-blocking-time'))} ms`,
      `layout-shift ${figure('cumulative-layout-shift').toFixed(3)}`,
      `${Math.round(figure('total-byte-weight') / 1_000)} kB`,
    ];
    console.log(`${name}: ${marksText.join(', ')}\n  ${figures.join(', ')}`);
  }

  await measure('sign-in', '/console/');
  await enter(page, (await invite('ada@example.com', 'owner')).init, 'Ada Lovelace');
  await page.getByText('Service ready').waitFor();
  await page.close();
  await measure('overview', '/console/');
  await measure('action', `/console/actions/${sent[0]}`);
} finally {
  await person.close();
  await close();
  await rm(work, { recursive: true, force: true });
}
