import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { childEnvironment } from './child-environment.ts';
import { freePort, openFolder } from './harness.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
const children = new Set<ChildProcess>();
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await folder.remove();
});

interface Run {
  child: ChildProcess;
  out(): string;
  err(): string;
  code: Promise<number | null>;
}

function run(entry: string, environment: Record<string, string>, args: string[] = []): Run {
  const path = new URL(`../src/${entry}`, import.meta.url).pathname;
  const child = spawn(process.execPath, ['--conditions=@ledger-ops/source', path, ...args], {
    env: { ...childEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  const code = new Promise<number | null>((resolve) =>
    child.once('close', (value) => {
      children.delete(child);
      resolve(value);
    }),
  );
  return { child, out: () => out, err: () => err, code };
}

const MASTER_KEY = Buffer.alloc(32, 3).toString('base64');

describe('the deployer’s entry', () => {
  test('ends with 2 and one line when the configuration is wrong', async () => {
    const { code, err } = run('main.ts', { MASTER_KEY, PORT: 'x' });
    expect(await code).toBe(2);
    expect(err()).toBe('PORT must be a whole number from 0 to 65535, not "x".\n');
  });

  test('makes an administrator, serves, and ends with 0 at SIGTERM', async () => {
    const port = await freePort();
    const DATA_DIR = folder.path;
    const { child, code, out } = run('main.ts', { MASTER_KEY, PORT: String(port), DATA_DIR });
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
      timeout: 60_000,
    });
    const file = join(DATA_DIR, 'administrator.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { applicationToken, apiToken, clientId, serviceAccount } = JSON.parse(readFileSync(file, 'utf8'));
    const token = await fetch(`${url}/v1/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        service_account: serviceAccount,
        client_secret: apiToken,
      }),
    });
    expect(token.status).toBe(200);
    child.kill('SIGTERM');
    expect(await code).toBe(0);
    expect(existsSync(join(DATA_DIR, 'administrator.json.new'))).toBe(false);
    expect(out()).toContain('"listening"');
    expect(out()).not.toContain(apiToken);
    expect(out()).not.toContain(applicationToken);
  }, 120_000);
});
