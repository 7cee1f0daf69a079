import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { endAll, freePort, run } from '../../../../testing/children.ts';
import { selectCases } from '../../../../testing/faults.ts';
import { openFolder } from '../../../../testing/folder.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(async () => {
  await endAll();
  await folder.remove();
});

const main = new URL('../../src/main.ts', import.meta.url);
/** Linux shows in /proc how a process was started. */
const isLinux = process.platform === 'linux';
const MASTER_KEY = Buffer.alloc(32, 3).toString('base64');

describe('the entry point', () => {
  test('a server with an invalid configuration prints one line and exits with 2', async () => {
    const { code, err } = run(main, { MASTER_KEY, PORT: 'x' });
    expect(await code).toBe(2);
    expect(err()).toBe('PORT must be a whole number from 0 to 65535, not "x".\n');
  });

  test.each([
    ['a wrong setting', "new ConfigError('PORT is wrong.')", 2, 'PORT is wrong.\n'],
    ['a database that stays unavailable', "new StartError('No database.')", 1, 'No database.\n'],
  ])(
    'a process that stops because of %s prints one line, and its exit code differs from that of other failures',
    async (_, error, exit, line) => {
      const at = (file: string) => JSON.stringify(new URL(`../../src/${file}.ts`, import.meta.url).href);
      const script = join(folder.path, 'program.ts');
      writeFileSync(
        script,
        `import { runProcess } from ${at('run-process')};
import { ConfigError, StartError } from ${at('settings/config-error')};
void [ConfigError, StartError];
runProcess(async () => { throw ${error}; });`,
      );
      const { code, err } = run(pathToFileURL(script), {});
      expect([await code, err()]).toEqual([exit, line]);
    },
  );

  test('a server process creates an administrator, restarts itself with memory limits, and stops cleanly on SIGTERM', async () => {
    const port = await freePort();
    const DATA_DIR = folder.path;
    const { child, code, out } = run(main, { MASTER_KEY, PORT: String(port), DATA_DIR });
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
      timeout: 60_000,
    });
    if (isLinux) {
      const partsOf = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8').split('\0');
      expect(partsOf('cmdline')).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^--max-semi-space-size=/),
          expect.stringMatching(/^--heap-growing-percent=/),
        ]),
      );
      expect(partsOf('environ')).toEqual(
        expect.arrayContaining([expect.stringMatching(/^MALLOC_MMAP_THRESHOLD_=/), 'MALLOC_ARENA_MAX=2']),
      );
    }
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
    await vi.waitFor(() => expect(out()).toContain('secrets in the environment'), 30_000);
    child.kill('SIGTERM');
    expect(await code).toBe(0);
    expect(existsSync(join(DATA_DIR, 'administrator.json.new'))).toBe(false);
    expect(out()).toContain('"listening"');
    expect(out()).toContain('MASTER_KEY_FILE');
    for (const secret of [MASTER_KEY, apiToken]) expect(out()).not.toContain(secret);
    expect(out()).not.toContain(applicationToken);
    const other = Buffer.alloc(32, 4).toString('base64');
    const wrong = run(main, { MASTER_KEY: other, PORT: String(port), DATA_DIR });
    expect(await wrong.code).toBe(2);
    // The error is one line that names the setting.
    expect(wrong.err()).toMatch(/^MASTER_KEY: .* cannot be decrypted with this master key. .*\n$/);
  }, 300_000);

  test.each([
    [['SIGINT'], 0],
    [['SIGTERM', 'SIGINT'], 1],
  ] as const)(
    'a server that gets %j exits with %i without waiting for proxies',
    async (signals, expected) => {
      const port = await freePort();
      const settings = { MASTER_KEY, PORT: String(port), DATA_DIR: folder.path, SHUTDOWN_DELAY_MS: '300000' };
      const { child, code } = run(main, settings);
      const status = async () => (await fetch(`http://127.0.0.1:${port}/readyz/server`)).status;
      await vi.waitFor(async () => expect(await status()).toBe(200), { timeout: 60_000 });
      const [first, second] = signals;
      child.kill(first);
      if (second !== undefined) {
        // After SIGTERM, readiness is 503, but the server keeps serving for SHUTDOWN_DELAY_MS so that proxies can stop
        // using it.
        await vi.waitFor(async () => expect(await status()).toBe(503), { timeout: 60_000 });
        child.kill(second);
      }
      expect(await code).toBe(expected);
    },
    120_000,
  );

  test.runIf(isLinux)(
    'a server keeps the memory settings that it was started with',
    async () => {
      const port = await freePort();
      const settings = {
        MASTER_KEY,
        PORT: String(port),
        DATA_DIR: folder.path,
        MALLOC_MMAP_THRESHOLD_: '1048576',
      };
      const { child } = run(main, settings);
      const isUp = async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      await vi.waitFor(isUp, { timeout: 60_000 });
      expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).not.toContain('--heap-growing-percent');
    },
    60_000,
  );

  // With 0 requests, the first lines that cannot be written are those logged at exit. With 100 requests, the server
  // logs them in more than one write.
  test.each(selectCases([0, 100], (requests) => requests === 100))(
    'a server whose stdout and stderr are closed answers %i requests and exits with code 0 on SIGTERM',
    async (requests) => {
      const port = await freePort();
      const settings = { MASTER_KEY, PORT: String(port), DATA_DIR: folder.path, LOG_LEVEL: 'debug' };
      const { child, code } = run(main, settings);
      const ready = () => fetch(`http://127.0.0.1:${port}/readyz`);
      await vi.waitFor(async () => expect((await ready()).status).toBe(200), { timeout: 60_000 });
      child.stdout?.destroy();
      child.stderr?.destroy();
      for (let count = 0; count < requests; count += 1) expect((await ready()).status).toBe(200);
      child.kill('SIGTERM');
      expect(await code).toBe(0);
    },
    300_000,
  );
});
