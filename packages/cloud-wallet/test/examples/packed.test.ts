import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cloudWalletChecks } from '@ledger-ops/adapter-kit/cloud-wallet';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { childEnvironment, freePort } from '../../../../testing/children.ts';
import {
  filesOf,
  installPacked,
  type PackedFolder,
  runNode,
  unpackFolder,
} from '../../../../testing/packed.ts';
import { transferGlo } from '../served-memory.ts';

const example = fileURLToPath(new URL('../../../../examples/json-ledger-plugin', import.meta.url));

const readmeOf = (name: string) =>
  readFileSync(new URL(`../../../${name}/README.md`, import.meta.url), 'utf8');
/** A file that a README shows. */
const shown = (name: string, file: string) =>
  readmeOf(name).split(`\`\`\`ts\n// ${file}\n`)[1]?.split('```')[0] ?? '';
/** The command of the kit, as its README writes it, on a port that is free and with a report for programs. */
function commandOfReadme(of: RegExp, port: number): string {
  const lines = [...readmeOf('adapter-kit').matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );
  const found = lines.filter((line) => of.test(line));
  expect(found).toHaveLength(1);
  return `${found[0]?.replaceAll('8080', String(port))} --report json`;
}

/** The plugin of an author, from tarballs, in a folder outside the workspace, on the built packages. */
describe('the example plugin, as an author has it', { timeout: 300_000 }, () => {
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
    ['cloud-wallet', 'openapi/cloud-wallet.generated.json'],
  ])('the tarball of %s holds %s, and no tests of ours', (name, needed) => {
    const files = filesOf(join(packed.folder, 'node_modules/@ledger-ops', name));
    expect(files).toContain(needed);
    expect(files.filter((file) => /\.test\.|node_modules|test-results/.test(file))).toEqual([]);
  });

  test('it keeps the contract: the kit passes from the built package', () => {
    const vitest = join(packed.folder, 'node_modules/vitest/vitest.mjs');
    const report = join(packed.folder, 'report.json');
    runNode(plugin, [vitest, 'run', '--reporter=json', `--outputFile=${report}`]);
    const print = `console.log(require(${JSON.stringify(report)}).numPassedTests)`;
    expect(Number(runNode(packed.folder, ['-e', print]))).toBeGreaterThan(40);
  });

  test('it executes a transfer in a child process', () => {
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

  /** As an author types it. */
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

  test('the command of the README proves the module of the README', () => {
    writeFileSync(join(packed.folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(packed.folder, 'notebook.ts'), shown('adapter', 'notebook.ts'));
    writeFileSync(join(packed.folder, 'notebook.harness.ts'), shown('adapter-kit', 'notebook.harness.ts'));
    const { failed, clauses } = shell(commandOfReadme(/harness/, 0));
    expect(failed).toBe(0);
    expect(clauses.filter(({ status }) => status === 'passed').length).toBeGreaterThan(25);
  });

  test('it is served over the cloud wallet protocol, and the command finds that it outlives being killed', async () => {
    const data = mkdtempSync(join(packed.folder, 'served-'));
    const serve = `
      import { existsSync } from 'node:fs';
      import { listen, serveAdapter } from '@ledger-ops/cloud-wallet';
      import plugin from './plugin/src/plugin.js';
      import { createLedger, fund } from './plugin/src/ledger.js';
      const file = ${JSON.stringify(join(data, 'ledger.json'))};
      if (!existsSync(file)) createLedger(file);
      const served = await serveAdapter({ definition: plugin, database: ${JSON.stringify(join(data, 'plugin.db'))},
        ledgers: [{ ledgerId: 'json', technology: 'json-file', properties: {}, nodes: [{ nodeId: 'n', uri: 'file://' + file }] }],
        masterKey: new Uint8Array(32).fill(5), timing: { poll: { first: 20, longest: 1_000 } } });
      const handle = async (request) => {
        const answer = await served.handle(request);
        if (answer.status === 201) fund(file, (await answer.clone().json()).walletAddress, 1_000n);
        return answer;
      };
      await listen(handle, { port: Number(process.argv[2]) });`;
    writeFileSync(join(packed.folder, 'plugin.mjs'), serve);
    const recipient = `02${'6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296'}`;
    const transfer = (amount: string) => ({ glo: transferGlo(amount, recipient, 'json-file') });
    const configuration = {
      ledgerId: 'json',
      funded: 'from-the-start',
      samples: { operation: transfer('3'), other: transfer('4'), refused: transfer('5000') },
    };
    writeFileSync(join(packed.folder, 'conformance.json'), JSON.stringify(configuration));
    const port = await freePort();
    // npx takes longer than the program that it starts, as it does above.
    const line = commandOfReadme(/--start/, port).replace(/^npx @ledger-ops\//, 'node_modules/.bin/');
    const { failed, clauses } = shell(line);
    expect(failed).toBe(0);
    const skipped = cloudWalletChecks.filter(({ name }) =>
      /names (an)?other wallet|several wallets|plugin without checks|emulation of a view|events|a contract tells/.test(
        name,
      ),
    );
    expect(clauses.filter(({ status }) => status === 'skipped').map(({ clause }) => clause)).toEqual(
      skipped.map(({ name }) => name),
    );
  });
});
