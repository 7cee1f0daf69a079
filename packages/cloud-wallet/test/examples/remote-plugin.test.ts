import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { interfaceVersion } from '@ledger-ops/adapter';
import { type CloudWalletHarness, describeCloudWallet } from '@ledger-ops/adapter-kit/cloud-wallet';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { freePort, sourceArguments } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { startNode } from '../../../../testing/packed.ts';

const example = fileURLToPath(new URL('../../../../examples/remote-plugin/', import.meta.url));
const configuration = `${example}conformance.json`;
const plugin = await startNode(example, ['plugin.mjs', '0']);
afterAll(() => plugin.kill());

describeCloudWallet({
  name: 'the example remote plugin, which uses no packages',
  open: async () => {
    const given: Pick<CloudWalletHarness, 'ledgerId' | 'funded' | 'samples'> = JSON.parse(
      readFileSync(configuration, 'utf8'),
    );
    return { ...given, url: plugin.url, close: async () => undefined };
  },
});

test('the example reports block, fee and transactions of a final transfer', async () => {
  const { samples }: Pick<CloudWalletHarness, 'samples'> = JSON.parse(readFileSync(configuration, 'utf8'));
  const post = async (path: string, body: object) =>
    await fetch(`${plugin.url}/v1/cloud-wallet/${path}`, { method: 'POST', body: JSON.stringify(body) });
  const secret = { walletPassword: 'a secret of the wallet' };
  await post('wallets', { ledgerId: 'toy', walletId: 'reported', pluginParameters: secret });
  const { glo } = samples.operation;
  const sent = await post('transactions', { actionId: 'r', wallet: 'reported', pluginParams: secret, glo });
  const { txId } = (await sent.json()) as { txId: string };
  await vi.waitFor(
    async () => {
      const answer = await fetch(`${plugin.url}/v1/cloud-wallet/transactions?txId=r`);
      expect(await answer.json()).toEqual([
        {
          ...{ status: 'SUCCEEDED', problem: null },
          details: {
            ...{ locator: txId, blockHeight: expect.any(Number), blockTime: expect.any(Number) },
            ...{ fee: '0', transactions: [txId] },
          },
        },
      ]);
    },
    { timeout: 10_000, interval: 20 },
  );
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

test('the command prints each check, with the reason if it was skipped, and exits with 0', async () => {
  const { code, stdout } = await run([plugin.url, ...config]);
  expect(stdout).toMatch(/^pass {2}an action that is sent many times/m);
  expect(stdout).toMatch(/^skip {2}after a crash, .* \(no command restarts the plugin: --start/m);
  expect(stdout).toMatch(/\n23 passed, 0 failed, 19 skipped\n$/);
  expect(code).toBe(0);
});

test("a plugin that loses its actions fails one check, and the command prints the check's requests", async () => {
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
    clause: 'after a crash, the plugin still knows wallets, actions and results, and executes nothing twice',
    problem: expect.any(String),
    lookAt: expect.arrayContaining([expect.stringMatching(/^(GET|POST) \/v1\/cloud-wallet\S*: \d{3}$/)]),
  });
  expect(code).toBe(1);
  // The command has ended the plugin that it started.
  await expect(fetch(`http://127.0.0.1:${port}/v1/cloud-wallet`)).rejects.toThrow();
});

test('the crash check fails with the reason if the plugin cannot be restarted', async () => {
  const { code, stdout } = await run([plugin.url, ...config, '--restart', 'exit 3']);
  expect(stdout).toMatch(/^FAIL {2}after a crash, .*\n {6}The command of --restart exited with 3\./m);
  expect(code).toBe(1);
});

test('the command exits with 1 if no plugin answers, and with 2 for a wrong command line', async () => {
  expect(await run(['http://127.0.0.1:9', ...config])).toMatchObject({ code: 1 });
  const wrongly = (...args: string[]) => run(args);
  expect(await wrongly()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Give one URL or module'),
  });
  expect(await wrongly(plugin.url)).toMatchObject({ code: 2, stderr: expect.stringContaining('--config') });
  expect(await wrongly(plugin.url, ...config, '--start', 'true')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('was not started by --start'),
  });
  const folder = await openFolder();
  onTestFinished(() => folder.remove());
  const broken = join(folder.path, 'broken.json');
  writeFileSync(broken, '{ "ledgerId": ');
  expect(await wrongly(plugin.url, '--config', broken)).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining(`${broken} is not JSON: `) },
  });
});

test('--help lists every sample of the configuration, and the exit codes', async () => {
  const { code, stdout } = await run(['--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('Exit codes');
  for (const name of ['operation', 'other', 'refused', 'view', 'coSigned', 'emitting']) {
    expect(stdout).toContain(`"${name}"`);
  }
});

test('the text and JSON reports both end with the declared capabilities that no sample tests', async () => {
  const declaring = createServer((request, response) => {
    const pluginDescription = {
      ...{ name: 'teller', technology: 'tales', version: '1.0.0', interfaceVersion },
      capabilities: { operations: ['transfer'], checks: false, emulations: true, contractEvents: true },
    };
    const body = request.url === '/v1/cloud-wallet' ? pluginDescription : {};
    response.writeHead(body === pluginDescription ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => declaring.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void declaring.close());
  // A server listening on a port has an address of this form.
  const url = `http://127.0.0.1:${(declaring.address() as AddressInfo).port}`;
  const { stdout } = await run([url, ...config]);
  expect(stdout).toMatch(
    /\nunproved: emulations \(the harness has no sample 'view'\)\nunproved: contractEvents \(the harness has no sample 'emitting'.*\n\d+ passed/,
  );
  const { unproved } = JSON.parse((await run([url, ...config, '--report', 'json'])).stdout);
  expect(unproved).toEqual([
    { subject: 'crashes', reasons: [expect.stringContaining('--start')] },
    { subject: 'effects on the ledger', reasons: ['no command reads the ledger: --state'] },
    { subject: 'emulations', reasons: ["the harness has no sample 'view'"] },
    {
      subject: 'contractEvents',
      reasons: expect.arrayContaining(["the harness has no sample 'emitting'"]),
    },
  ]);
});
