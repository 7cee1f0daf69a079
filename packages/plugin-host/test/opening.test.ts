import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProcessAdapter } from '@ledger-ops/plugin-host';
import { expect, onTestFinished, test } from 'vitest';
import { members, openModule, problemOf, writeModule } from './modules.ts';

const definition = (change: string) => `export default { ${members} open: async () => ({}), ${change} };`;

test.each([
  ['no default export', 'export const nothing = 1;', 'its default export is not an object'],
  ['a default export without functions', 'export default {};', 'has no function open()'],
  [
    'a plain object without defineAdapter()',
    "export default { name: 'bad', capabilities: { operations: ['transfer'] }, open: () => ({}) };",
    'create it with defineAdapter()',
  ],
  [
    'a definition without an interface version',
    definition('interfaceVersion: undefined'),
    'Create it with defineAdapter()',
  ],
  ['a syntax error', 'export default {', 'importing it failed with SyntaxError'],
  ['an import that throws', "throw new RangeError('no luck today');", 'importing it failed with RangeError'],
  [
    'an import of a missing package',
    "import 'nobody-has-this';",
    '(ERR_MODULE_NOT_FOUND), the package nobody-has-this is not installed',
  ],
  ['an import that ends the process', 'process.exit(7);', 'its process exited with code 7'],
  [
    'an invalid technology name',
    definition("technology: 'E t h'"),
    '/technology: must have 1 to 64 lowercase',
  ],
  ['an unknown key type', definition("keyType: 'rsa'"), '/keyType:'],
  ['no description', definition('description: undefined'), '/description: is required'],
  [
    'an unsupported address pattern',
    definition("description: { title: 'T', addresses: { account: { pattern: '(?=a)', example: 'a' } } }"),
    '/description/addresses/account/pattern: must be a regular expression that RE2 supports',
  ],
  ['missing capabilities', definition('capabilities: undefined'), '/capabilities:'],
  [
    'replacement without sequences',
    definition(
      "capabilities: { operations: ['transfer'], sequence: 'none', replacement: true, emulation: false, lookup: true, balance: false }",
    ),
    "/capabilities/replacement: is only allowed with the sequence 'account'",
  ],
  ['a member that contains a function', definition('capabilities: { a() {} }'), 'not plain data'],
])('the error of a module that fails to open names the module: %s', async (_, source, detail) => {
  const problem = await problemOf(openModule(source, { plugin: 'npm:bad-plugin' }));
  expect(problem).toMatchObject({ code: 'adapter-fault', phase: 'open' });
  expect(problem).toHaveProperty('detail', expect.stringContaining('npm:bad-plugin'));
  expect(problem).toHaveProperty('detail', expect.stringContaining(detail));
});

test.each(['0.2.0', '1.0.0', '0.0.9'])(
  'rejects a plugin for version %s of the interface and names both versions',
  async (version) => {
    const problem = await problemOf(openModule(definition(`interfaceVersion: '${version}'`)));
    expect(problem).toMatchObject({
      code: 'adapter-fault',
      detail: expect.stringMatching(
        `version ${version} of the adapter interface, but this host has 0\\.1\\.0`,
      ),
    });
  },
);

test.each([
  ['never settles', 'await new Promise(() => undefined);'],
  ['is in an endless loop', 'for (;;);'],
])('stops opening a plugin whose import %s', async (_, source) => {
  const problem = await problemOf(openModule(source, { timing: { start: 300 } }));
  expect(problem).toMatchObject({ detail: expect.stringContaining('was not ready within 300 ms') });
});

test('stops opening a plugin whose import allocates memory without limit', async () => {
  const source = 'const all = []; for (;;) all.push(Buffer.alloc(4_000_000, 1));';
  const problem = await problemOf(openModule(source, { memoryLimitMb: 200 }));
  expect(problem).toMatchObject({ detail: expect.stringContaining('more than 200 MB of memory') });
});

test('rejects a missing module file, and rejects a relative path as a mistake of the caller', async () => {
  const log = () => undefined;
  expect(await problemOf(openProcessAdapter({ specifier: '/nowhere/plugin.mjs', log }))).toMatchObject({
    detail: 'There is no module at /nowhere/plugin.mjs.',
  });
  await expect(openProcessAdapter({ specifier: './plugin.mjs', log })).rejects.toThrow(TypeError);
});

test('opens a module by a file URL, with its definition', async () => {
  const { adapter } = await openModule(definition(''));
  expect(adapter).toMatchObject({ name: 'bad', keyType: 'secp256k1', interfaceVersion: '0.1.0' });
  const file = writeModule(definition(''));
  const second = await openProcessAdapter({ specifier: `file://${file}`, log: () => undefined });
  expect(second.health()).toMatchObject({ state: 'up', restarts: 0 });
  await second.close();
  await second.close();
  expect(second.health().state).toBe('closed');
});

test('starts one process per processor at a time, and the deadline of a waiting process begins when it starts', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turns-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [here, go] = [join(folder, 'here'), join(folder, 'go')];
  mkdirSync(here);
  const processors = availableParallelism();
  let begun = 0;
  const isThere = () => readdirSync(here).length >= processors;
  const waiting = `import { existsSync, writeFileSync } from 'node:fs';
    writeFileSync(${JSON.stringify(`${here}/`)} + Math.random(), '');
    while (!existsSync(${JSON.stringify(go)})) await new Promise((done) => setTimeout(done, 10));
    ${definition('')}`;
  const opened = Array.from({ length: processors + 2 }, () =>
    openProcessAdapter({
      specifier: writeModule(waiting),
      allowRead: [folder],
      allowWrite: [folder],
      log: () => undefined,
      onHealth: ({ state }) => {
        if (state === 'starting') begun += 1;
      },
    }),
  );
  await expect.poll(isThere).toBe(true);
  expect(begun).toBeLessThanOrEqual(processors);
  writeFileSync(go, '');
  for (const adapter of await Promise.all(opened)) await adapter.close();
});
