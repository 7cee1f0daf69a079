import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type CloudWalletHarness, describeCloudWallet } from '@ledger-ops/cloud-wallet/conformance';
import { afterAll, expect, test } from 'vitest';
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

const cli = fileURLToPath(new URL('../../src/conformance/cli.ts', import.meta.url));
const run = (args: readonly string[]) =>
  promisify(execFile)(process.execPath, ['--conditions=@ledger-ops/source', cli, ...args]).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );

test('the command prints each clause, why one was skipped, and ends with 0', async () => {
  const { code, stdout } = await run([plugin.url, '--config', configuration]);
  expect(stdout).toMatch(/^pass {2}an action that is sent many times/m);
  expect(stdout).toMatch(/^skip {2}after a crash .* \(the harness has no hook 'crash'\)$/m);
  expect(stdout).toMatch(/\n20 passed, 0 failed, 3 skipped\n$/);
  expect(code).toBe(0);
});

test('the command ends with 1 when a clause is broken, and says which', async () => {
  const { code, stdout } = await run([plugin.url, '--ledger', 'another']);
  expect(stdout).toMatch(/^FAIL {2}the plugin says what it is.*\n.*the ledger another is not served/m);
  expect(code).toBe(1);
});

test('the command ends with 1 when nothing is there, and with 2 when it was called wrongly', async () => {
  expect(await run(['http://127.0.0.1:9', '--ledger', 'a'])).toMatchObject({ code: 1 });
  expect(await run([])).toMatchObject({ code: 2, stderr: expect.stringContaining('One URL is needed') });
  expect(await run([plugin.url])).toMatchObject({ code: 2, stderr: expect.stringContaining('--ledger') });
});
