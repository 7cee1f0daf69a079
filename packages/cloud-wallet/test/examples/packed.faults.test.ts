import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { childEnvironment, freePort } from '../../../../testing/children.ts';
import {
  filesOf,
  installPacked,
  type PackedFolder,
  runNode,
  unpackFolder,
} from '../../../../testing/packed.ts';

const example = fileURLToPath(new URL('../../../../examples/json-ledger-plugin', import.meta.url));

const bitcoinExample = fileURLToPath(new URL('../../../../examples/bitcoin-plugin', import.meta.url));
const remoteExample = fileURLToPath(new URL('../../../../examples/remote-plugin', import.meta.url));

const readmeOf = (name: string) =>
  readFileSync(new URL(`../../../${name}/README.md`, import.meta.url), 'utf8');
/** Returns a file that a README shows. */
const shown = (name: string, file: string) =>
  readmeOf(name).split(`\`\`\`ts\n// ${file}\n`)[1]?.split('```')[0] ?? '';
/** Returns the kit's command in the README that matches `of`, with this port and a report in JSON. */
function commandOfReadme(of: RegExp, port: number): string {
  const lines = [...readmeOf('adapter-kit').matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );
  const found = lines.filter((line) => of.test(line));
  expect(found).toHaveLength(1);
  return `${found[0]?.replaceAll('8080', String(port))} --report json`;
}

/** Installs the example plugin from tarballs, as an author would, in a folder outside the workspace. */
describe('the example plugin, installed from packed tarballs', { timeout: 300_000 }, () => {
  let packed: PackedFolder;
  let plugin: string;
  beforeAll(() => {
    packed = installPacked(['adapter-kit', 'plugin-host', 'cloud-wallet'], inject('runFolder'));
    plugin = join(packed.folder, 'plugin');
    unpackFolder(example, plugin);
  });
  afterAll(() => packed?.remove());

  test.each([
    ['adapter', 'dist/index.js'],
    ['adapter-kit', 'dist/conformance/index.js'],
    ['plugin-host', 'dist/child/child.js'],
    ['adapter-kit', 'dist/command/main.js'],
    ['cloud-wallet', 'dist/openapi.json'],
  ])('the tarball of %s contains %s and no tests', (name, needed) => {
    const files = filesOf(join(packed.folder, 'node_modules/@ledger-ops', name));
    expect(files).toContain(needed);
    expect(files.filter((file) => /\.test\.|node_modules|test-results/.test(file))).toEqual([]);
  });

  test('the example module passes the conformance kit that is installed from its package', () => {
    const vitest = join(packed.folder, 'node_modules/vitest/vitest.mjs');
    const report = join(packed.folder, 'report.json');
    runNode(plugin, [vitest, 'run', '--reporter=json', `--outputFile=${report}`]);
    const print = `console.log(require(${JSON.stringify(report)}).numPassedTests)`;
    expect(Number(runNode(packed.folder, ['-e', print]))).toBeGreaterThan(40);
  });

  test('the Bitcoin example passes its tests with only the packed packages', () => {
    const bitcoin = join(packed.folder, 'bitcoin');
    unpackFolder(bitcoinExample, bitcoin);
    const vitest = join(packed.folder, 'node_modules/vitest/vitest.mjs');
    const report = join(packed.folder, 'bitcoin.json');
    runNode(bitcoin, [vitest, 'run', '--reporter=json', `--outputFile=${report}`]);
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    expect(numFailedTests).toBe(0);
    expect(numPassedTests).toBeGreaterThan(80);
  });

  test('the example module executes a transfer in a child process', () => {
    const data = mkdtempSync(join(packed.folder, 'data-'));
    const script = `
      import { p256 } from '@noble/curves/nist.js';
      import { openProcessAdapter } from '@ledger-ops/plugin-host';
      import { createLedger } from './plugin/src/ledger.js';
      const key = p256.utils.randomSecretKey();
      const address = Buffer.from(p256.getPublicKey(key, true)).toString('hex');
      const other = Buffer.from(p256.getPublicKey(p256.utils.randomSecretKey(), true)).toString('hex');
      const data = ${JSON.stringify(data)};
      createLedger(data + '/ledger.json', { [address]: 100n });
      const adapter = await openProcessAdapter({ specifier: process.cwd() + '/plugin/src/plugin.js',
        allowRead: [data], allowWrite: [data], log: () => undefined });
      const session = await adapter.open(
        { ledgerId: 'l', technology: 'json-file', properties: {}, nodes: [{ nodeId: 'n', uri: 'file://' + data + '/ledger.json' }] },
        { now: Date.now, log() {}, signal: new AbortController().signal });
      const wallet = { address };
      const operation = { type: 'transfer', recipient: other, amount: 7n, native: { technology: 'json-file', content: {} } };
      const { plan } = await session.check({ wallet, operation });
      const [{ attempts: [{ round }] }] = await session.prepare([{ actionId: 'a', wallet, plan, sequence: 0n }]);
      const signatures = round.requests.map(({ digest }) => p256.sign(digest, key, { prehash: false, lowS: true }));
      const [{ result }] = await session.advance([{ state: round.state, signatures }]);
      await session.submit([result]);
      const { outcomes } = await session.confirm({ cursor: null, pending: new Map([[result.txId, { address, sequence: 0n }]]) });
      console.log(outcomes[0].status, await session.balances([address, other]));
      await adapter.close();`;
    writeFileSync(join(packed.folder, 'host.mjs'), script);
    expect(runNode(packed.folder, ['host.mjs'])).toBe('succeeded [ 93n, 7n ]\n');
  });

  /** Runs the command as an author types it, and returns its report. */
  const shell = (line: string): { failed: number; clauses: { clause: string; status: string }[] } =>
    JSON.parse(
      execFileSync('sh', ['-c', line], {
        cwd: packed.folder,
        encoding: 'utf8',
        env: {
          ...childEnvironment(),
          PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
          HOME: packed.folder,
          npm_config_offline: 'true',
        },
      }),
    );

  test('the README’s command checks the module of the README', () => {
    writeFileSync(join(packed.folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(packed.folder, 'notebook.ts'), shown('adapter', 'notebook.ts'));
    writeFileSync(join(packed.folder, 'notebook.harness.ts'), shown('adapter-kit', 'notebook.harness.ts'));
    const { failed, clauses } = shell(commandOfReadme(/harness/, 0));
    expect(failed).toBe(0);
    expect(clauses.filter(({ status }) => status === 'passed').length).toBeGreaterThan(25);
  });

  test('the README’s command detects a remote plugin that loses its actions when it is killed', async () => {
    cpSync(remoteExample, packed.folder, { recursive: true });
    const line = commandOfReadme(/--start/, await freePort());
    // The program is started directly, because npx takes longer than the program itself. The exit code is 1 because a check fails.
    const { failed, clauses } = shell(`${line.replace(/^npx @ledger-ops\//, 'node_modules/.bin/')} || true`);
    expect(failed).toBe(1);
    expect(clauses.filter(({ status }) => status === 'failed')).toMatchObject([
      {
        clause:
          'after a crash, the plugin still knows wallets, actions and results, and executes nothing twice',
      },
    ]);
  });
});
