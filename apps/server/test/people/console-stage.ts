import { execFileSync } from 'node:child_process';
import { existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../../../../testing/chromium.ts';
import { addTenant, type Installation, install, type Tenant } from '../stage/api.ts';

const folder = fileURLToPath(new URL('../../../console/', import.meta.url));

/** Builds the console unless an existing build is newer than its sources. */
export function buildConsole(): void {
  if (isBuilt()) return;
  const vite = join(folder, 'node_modules/vite/bin/vite.js');
  // With the NODE_ENV of tests, the build would contain React's development version.
  const env = { ...process.env, NODE_ENV: 'production' };
  const made = `dist.${process.pid}`;
  try {
    execFileSync(process.execPath, [vite, 'build', '--logLevel', 'warn', '--outDir', made], {
      cwd: folder,
      stdio: 'inherit',
      env,
    });
    // Another test may have built the console in the meantime, and may be reading it.
    if (isBuilt()) return;
    rmSync(join(folder, 'dist'), { recursive: true, force: true });
    // Moving the folder is atomic, so no test reads an incomplete build.
    renameSync(join(folder, made), join(folder, 'dist'));
  } catch (error) {
    if (!isBuilt()) throw error;
  } finally {
    rmSync(join(folder, made), { recursive: true, force: true });
  }
}

function isBuilt(): boolean {
  const built = join(folder, 'dist/index.html');
  const newest = Math.max(
    ...globSync(['src/**', 'public/*', '*.{html,json,ts}'], { cwd: folder }).map(
      (name) => statSync(join(folder, name)).mtimeMs,
    ),
  );
  return existsSync(built) && statSync(built).mtimeMs >= newest;
}

/** A project of an installation, and a browser. */
export interface ConsoleStage {
  readonly installation: Installation;
  readonly tenant: Tenant;
  readonly browser: Browser;
  /** A page in its own context, in which nobody is signed in. */
  openPage(): Promise<Page>;
  /**
   * Invites by mail, into the tenant's organization or another one. Returns the links of the mail: `init` sets a first
   * password, `answer` is for people who have an account.
   */
  invite(email: string, role: string, into?: Tenant): Promise<{ init: string; answer: string }>;
}

/** The first project of an installation. */
export interface FirstConsoleStage extends ConsoleStage {
  /** A project of another organization in the same installation, in the same browser. */
  addProject(name: string): Promise<ConsoleStage>;
  close(): Promise<void>;
}

/** @param environment settings in addition to those of every test */
export async function openConsoleStage(environment: Record<string, string> = {}): Promise<FirstConsoleStage> {
  buildConsole();
  const installation = await install(environment);
  const browser = await openChromium();
  const stageOf = async (name: string) => {
    const tenant = await addTenant(installation.url, installation.administrator, name);
    return consoleStage(installation, browser, tenant);
  };
  return {
    ...(await stageOf('mill')),
    addProject: stageOf,
    async close() {
      await browser.close();
      await installation.close();
    },
  };
}

function consoleStage(installation: Installation, browser: Browser, tenant: Tenant): ConsoleStage {
  return {
    installation,
    tenant,
    browser,
    async openPage() {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        // Colors in a transition have no measurable contrast.
        reducedMotion: 'reduce',
      });
      context.setDefaultTimeout(60_000);
      return await context.newPage();
    },
    async invite(email, role, into = tenant) {
      const mails = join(installation.folder, 'mail');
      const before = new Set(await readdir(mails).catch(() => []));
      await into.api.expect(201, 'POST', '/v1/admin/invitations', {
        organizationId: into.organizationId,
        email,
        roles: [{ resourceId: into.organizationUuid, role }],
      });
      const mail = await mailTo(mails, email, before);
      const [answer = '', init = ''] = [...mail.matchAll(/https?:\S+#\/\S+/g)]
        .map(([link]) => link)
        .sort((a, b) => Number(a.includes('init-user')) - Number(b.includes('init-user')));
      return { init, answer };
    },
  };
}

/** Navigates like a link of the console, without reloading. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const ignore = __TSR_ROUTER__.subscribe('onRendered', () => {
      ignore();
      resolve();
    });
    __TSR_ROUTER__.history.push(${JSON.stringify(`/console${path}`)});
  })`);
}

/** Waits for a mail to this address that is not in `before`, and returns its text. */
async function mailTo(mails: string, email: string, before: ReadonlySet<string>): Promise<string> {
  const end = Date.now() + 60_000;
  for (;;) {
    const names = (await readdir(mails).catch(() => [])).filter((name) => /^[^.].*[.]eml$/.test(name));
    for (const name of names.filter((one) => !before.has(one))) {
      const text = await readFile(join(mails, name), 'utf8');
      if (!text.includes(email)) continue;
      return text
        .replaceAll(/=\r?\n/g, '')
        .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    }
    if (Date.now() > end) throw new Error(`No mail to ${email} arrived within 60 s.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const password = 'seven violet kettles hum';

/** Sets the first password on the page to which the mail's link leads, and signs in. */
export async function enter(page: Page, link: string, name: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByLabel(/I accept the terms/).check();
  await page.getByRole('button', { name: /Set the password/ }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'attached' });
}
