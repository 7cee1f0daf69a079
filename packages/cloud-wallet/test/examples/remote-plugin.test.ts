import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { interfaceVersion } from '@ledger-ops/adapter';
import { type CloudWalletHarness, describeCloudWallet } from '@ledger-ops/adapter-kit/cloud-wallet';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { freePort, openFolder, sourceArguments } from '../../../../testing/children.ts';
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
  promisify(execFile)(process.execPath, [...sourceArguments, command, ...args]).then(
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
  const folder = await openFolder();
  onTestFinished(() => folder.remove());
  const broken = join(folder.path, 'broken.json');
  writeFileSync(broken, '{ "ledgerId": ');
  expect(await wrongly(plugin.url, '--config', broken)).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining(`${broken} is not JSON: `) },
  });
});

test('--help names every sample that the configuration takes, and the exit codes', async () => {
  const { code, stdout } = await run(['--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('Exit codes');
  for (const name of ['operation', 'other', 'refused', 'view', 'coSigned', 'telling']) {
    expect(stdout).toContain(`"${name}"`);
  }
});

test('what a plugin declares, and nothing was given to prove, stands at the end of both reports', async () => {
  const declaring = createServer((request, response) => {
    const said = {
      ...{ name: 'teller', technology: 'tales', version: '1.0.0', interfaceVersion },
      capabilities: { operations: ['transfer'], checks: false, emulations: true, contractEvents: true },
    };
    const body = request.url === '/v1/cloud-wallet' ? said : {};
    response.writeHead(body === said ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => declaring.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void declaring.close());
  // A server on a port has an address of this form.
  const url = `http://127.0.0.1:${(declaring.address() as AddressInfo).port}`;
  const { stdout } = await run([url, ...config]);
  expect(stdout).toMatch(
    /\ndeclared, and not proved in full: emulations \(the harness has no sample 'view'\)\ndeclared, and not proved in full: contractEvents \(the harness has no sample 'telling'.*\n\d+ passed/,
  );
  const { unproved } = JSON.parse((await run([url, ...config, '--report', 'json'])).stdout);
  expect(unproved).toEqual([
    { capability: 'emulations', reasons: ["the harness has no sample 'view'"] },
    {
      capability: 'contractEvents',
      reasons: expect.arrayContaining(["the harness has no sample 'telling'"]),
    },
  ]);
});
