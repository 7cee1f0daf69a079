import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { endAll, type Run, run } from '../../../testing/children.ts';
import { openFolder } from '../../../testing/folder.ts';

vi.setConfig({ testTimeout: 60_000 });

let folder: { path: string; remove(): Promise<void> };
const at = (...names: string[]) => join(folder.path, ...names);
const source = new URL('../src/require-node.ts', import.meta.url);

const cli = `{ name: 'ledger-ops', package: '@ledger-ops/cli', url: import.meta.url, version: '20.20.2' }`;

/** Writes a program in its own folder, to be run by an old Node. */
async function writeProgram(name: string, program = cli): Promise<URL> {
  await mkdir(at(name, 'node_modules/node/bin'), { recursive: true });
  const file = at(name, 'main.mjs');
  await writeFile(
    file,
    `import { requireNode } from ${JSON.stringify(source.href)};
if (requireNode(${program})) console.log('started');
`,
  );
  return pathToFileURL(file);
}

/** Installs an npm package `node` with a shell script in place of Node. */
async function installNode(name: string, version: string, script: string): Promise<void> {
  await writeFile(at(name, 'node_modules/node/package.json'), JSON.stringify({ name: 'node', version }));
  await writeFile(at(name, 'node_modules/node/bin/node'), `#!/bin/sh\n${script}\n`);
  await chmod(at(name, 'node_modules/node/bin/node'), 0o755);
}

async function ended(program: Run) {
  return { code: await program.code, out: program.out(), err: program.err() };
}

beforeAll(async () => {
  folder = await openFolder();
});
afterAll(async () => {
  await endAll();
  await folder.remove();
});

test('an older Node prints the required version and how to get it, without argument values', async () => {
  const main = await writeProgram('alone');
  const { code, out, err } = await ended(run(main, {}, ['serve', '--help', 'x=secret']));
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/^ledger-ops requires Node 24 or newer; this is Node 20\.20\.2 \(.+\)\.\n/);
  expect(err).toContain('Next: npx -p node@24 -p @ledger-ops/cli ledger-ops serve --help\n');
  expect(err).not.toContain('secret');
});

test('an older Node runs the program with the Node that npm installed next to it', async () => {
  const main = await writeProgram('bundled');
  await installNode('bundled', '24.1.0', 'shift $(($# - 2)); echo "with $*"; exit 7');
  expect(await ended(run(main, {}, ['verify', '--json']))).toEqual({
    ...{ code: 7, err: '' },
    out: 'with verify --json\n',
  });
});

test('does not use an installed Node that is too old itself', async () => {
  const main = await writeProgram('old');
  await installNode('old', '22.0.0', 'echo wrong');
  expect(await ended(run(main, {}))).toMatchObject({ code: 2, out: '' });
});

test('an older Node forwards signals to the program that runs with a newer Node', async () => {
  const main = await writeProgram('signals');
  const waits =
    "process.on('SIGTERM', () => { console.log('stopped'); process.exit(0); }); setInterval(() => {}, 60_000); console.log('ready');";
  await installNode('signals', '24.1.0', `exec '${process.execPath}' -e "${waits}"`);
  const program = run(main, {});
  await vi.waitFor(() => expect(program.out()).toBe('ready\n'), 30_000);
  program.child.kill('SIGTERM');
  expect(await ended(program)).toMatchObject({ code: 0, out: 'ready\nstopped\n' });
});

test('an older Node prints how to start a program that npm does not install as a command', async () => {
  const main = await writeProgram(
    'server',
    `{ name: 'The server', url: import.meta.url, version: '20.20.2' }`,
  );
  const { code, err } = await ended(run(main, {}, ['serve']));
  expect(code).toBe(2);
  expect(err).toMatch(/^The server requires Node 24 or newer; this is Node 20\.20\.2 \(.+\)\.\n/);
  expect(err).toContain(`Next: npx -p node@24 node ${at('server', 'main.mjs')} serve\n`);
});

/**
 * Code that runs before the program: it makes this Node report an old version and load only the program's first
 * modules.
 */
const asOldNode = `
import { registerHooks } from 'node:module';
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.0.0' } });
registerHooks({
  load(url, context, next) {
    if (!/^node:|\\/(main|require-node)\\.ts$/.test(url)) throw new Error(\`\${url} was loaded\`);
    return next(url, context);
  },
});`;

for (const main of [
  'apps/cli/src/main.ts',
  'apps/dev/src/main.ts',
  'apps/server/src/main.ts',
  'packages/adapter-kit/src/command/main.ts',
  'packages/create-plugin/src/main.ts',
]) {
  test(`${main} loads nothing before it knows that this Node can run it`, async () => {
    const old = `data:text/javascript,${encodeURIComponent(asOldNode)}`;
    const args = ['--conditions=@ledger-ops/source', `--import=${old}`];
    const program = run(new URL(`../../../${main}`, import.meta.url), {}, ['serve', '--help'], args);
    expect(await ended(program)).toMatchObject({
      ...{ code: 2, out: '' },
      err: expect.stringContaining('requires Node 24 or newer; this is Node 18.0.0'),
    });
  });
}
