import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type CloudWalletHarness, describeCloudWallet } from '@ledger-ops/adapter-kit/cloud-wallet';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../../../testing/children.ts';
import { startNode } from '../../../../testing/packed.ts';

const example = fileURLToPath(new URL('../../../../examples/remote-plugin/', import.meta.url));
const configuration = `${example}conformance.json`;
const plugin = await startNode(example, ['plugin.mjs', '0']);
afterAll(() => plugin.kill());

describeCloudWallet({
  name: 'the remote plugin of the examples, written from the protocol alone',
  open: async () => {
    const given: Pick<CloudWalletHarness, 'ledgerId' | 'funded' | 'samples'> = JSON.parse(
      readFileSync(configuration, 'utf8'),
    );
    return { ...given, url: plugin.url, close: async () => undefined };
  },
});

const command = fileURLToPath(new URL('../../../adapter-kit/src/command/main.ts', import.meta.url));
const run = (args: readonly string[]) =>
  promisify(execFile)(process.execPath, ['--conditions=@ledger-ops/source', command, ...args]).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
const config = ['--config', configuration];

test('the command prints each clause, why one was skipped, and ends with 0', async () => {
  const { code, stdout } = await run([plugin.url, ...config]);
  expect(stdout).toMatch(/^pass {2}an action that is sent many times/m);
  expect(stdout).toMatch(/^skip {2}after a crash .* \(nothing says how to restart the plugin: --start/m);
  expect(stdout).toMatch(/\n21 passed, 0 failed, 11 skipped\n$/);
  expect(code).toBe(0);
});

test('a plugin that forgets when it ends breaks one clause: 1, with its name and the requests to look at', async () => {
  const port = await freePort();
  const start = `exec ${process.execPath} ${example}plugin.mjs ${port}`;
  const { code, stdout } = await run([
    `http://127.0.0.1:${port}`,
    ...config,
    '--start',
    start,
    '--report',
    'json',
  ]);
  const report: { failed: number; clauses: { clause: string; status: string; lookAt?: string[] }[] } =
    JSON.parse(stdout);
  expect(report.failed).toBe(1);
  const [failed] = report.clauses.filter(({ status }) => status === 'failed');
  expect(failed).toMatchObject({
    clause: 'after a crash wallets, actions and their ends are known, and nothing is executed twice',
    problem: expect.any(String),
    lookAt: expect.arrayContaining([expect.stringMatching(/^(GET|POST) \/v1\/cloud-wallet\S*: \d{3}$/)]),
  });
  expect(code).toBe(1);
  // Nothing that was started is left running.
  await expect(fetch(`http://127.0.0.1:${port}/v1/cloud-wallet`)).rejects.toThrow();
});

test('a plugin that cannot be restarted as it was said breaks the clause, with the reason', async () => {
  const { code, stdout } = await run([plugin.url, ...config, '--restart', 'exit 3']);
  expect(stdout).toMatch(/^FAIL {2}after a crash .*\n {6}The command of --restart ended with 3\./m);
  expect(code).toBe(1);
});

test('the command ends with 1 when nothing is there, and with 2 when it was called wrongly', async () => {
  expect(await run(['http://127.0.0.1:9', ...config])).toMatchObject({ code: 1 });
  const wrongly = (...args: string[]) => run(args);
  expect(await wrongly()).toMatchObject({ code: 2, stderr: expect.stringContaining('One URL or module') });
  expect(await wrongly(plugin.url)).toMatchObject({ code: 2, stderr: expect.stringContaining('--config') });
  expect(await wrongly(plugin.url, ...config, '--start', 'true')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--start did not start'),
  });
  expect(await wrongly('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('Exit codes') });
});
