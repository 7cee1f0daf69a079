import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openFolder } from '../../../testing/folder.ts';
import { readArguments } from '../src/arguments.ts';
import { CallError } from '../src/caller.ts';
import { fundWallet } from '../src/plugin/fund.ts';
import { namingOptions, propertiesOf, readProperties } from '../src/plugin/given-properties.ts';
import { nextTry } from '../src/plugin/next-try.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(() => folder.remove());
const at = (name: string) => join(folder.path, name);
const write = (name: string, text: string) => {
  writeFileSync(at(name), text);
  return at(name);
};

const files = ['--property-file', '--node-property-file'] as const;
test.each([
  [['--twice'], "Unknown option '--twice'"],
  [['--node', 'x'], '--node needs --plugin.'],
  [['--property', 'a=1'], '--property needs --plugin.'],
  [['--fund', 'true'], '--fund needs --plugin.'],
  [['--plugin', 'x', '--property', 'secret'], '--property must be name=value.'],
  [['--plugin', 'x', '--node', 'u', '--node-property-file', '=f'], '--node-property-file must be name=file.'],
  [['--plugin', 'x', '--property', 'a=1', '--property', 'a=2'], '--property a is given twice.'],
  [['--plugin', 'x', '--node-property', 'a=1'], '--node-property a needs --node.'],
  [['--plugin', 'x', '--amount', '1.5'], '--amount must be a whole number'],
  [['--plugin', 'x', '--amount', '-1'], '--amount'],
  [['--plugin', 'x', '--fund', ' '], '--fund needs a command.'],
  ...files.map((option): [string[], string] => [
    ['--plugin', 'x', option, 'a=/nowhere'],
    `${option} a: /nowhere cannot be read (ENOENT).`,
  ]),
  [['--plugin', 'x', '--property-file', 'a=/'], '--property-file a: / is not a regular file.'],
])('the command line %j is refused: %s', (args, words) => {
  expect(() => readArguments(args)).toThrow(words);
});

test('reads property files of up to 1 MiB without the trailing line feed', () => {
  const read = (file: string) => readProperties('--property', [], [`a=${file}`]).given.get('a')?.text;
  expect(read(write('good', 'one\ntwo\r\n'))).toBe('one\ntwo');
  expect(() => read(write('large', 'x'.repeat((1 << 20) + 1)))).toThrow('large is larger than 1 MiB.');
});

test('parses values as the schema requires, and accepts secrets and unknown properties only from files', () => {
  const schema = {
    properties: { text: { type: 'string' }, count: { type: 'integer' }, key: { writeOnly: true }, list: {} },
    required: ['text', 'count', 'list'],
  };
  const read = (values: string[], fromFiles: string[] = []) =>
    propertiesOf(readProperties('--property', values, fromFiles), 'ledgerProperties', schema, {
      properties: { confirmations: { type: 'integer' } },
    });
  const three = ['text=12', 'count=12', 'list=["a"]'];
  expect(read([...three, 'confirmations=3'], [`key=${write('key', '12')}`])).toEqual({
    ...{ text: '12', count: 12, list: ['a'], confirmations: 3, key: '12' },
  });
  expect(() => read([...three, 'key=geheim'])).toThrow(
    /^--property key is a secret, so it cannot be passed on the command line\. Use --property-file key=<file>\.$/,
  );
  expect(() => read([...three, 'kye=geheim'])).toThrow(
    /^--property kye: the plugin declares no such property\. Known properties: confirmations, count, key, list, text\. /,
  );
  expect(() => read([...three, 'constructor=geheim'])).toThrow(
    '--property constructor: the plugin declares no such property',
  );
  expect(() => read(['text=1', 'count=2'])).toThrow('or pass --property list=<value>.');
});

test('if an example from the plugin’s description is rejected, the error contains the option that replaces the example', async () => {
  const errors = [
    { pointer: '/properties/a', detail: 'must be a number' },
    { pointer: '/properties/b', detail: 'must be text' },
    { pointer: '/uri', detail: 'must be a URL' },
  ];
  const node = readProperties('--node-property', ['a=x']);
  await expect(
    namingOptions({ node }, async () => {
      throw new CallError('POST /v1', 400, { detail: 'no', errors });
    }),
  ).rejects.toThrow(
    "--node-property a: must be a number\nThe example of b in the plugin's description: must be text. To replace it: --node-property b=<value>\n--node: must be a URL",
  );
});

test('kills the --fund command and its child processes after its time limit and when the server stops', async () => {
  const never = new Promise(() => undefined);
  const command = `echo $WALLET_ADDRESS > ${at('address')}; sleep 600 & echo $! > ${at('child')}; wait`;
  await expect(fundWallet(command, 'a1', never, 500)).rejects.toThrow(
    'The command of --fund took longer than 0.5 seconds; the operation was not sent.',
  );
  expect(readFileSync(at('address'), 'utf8')).toBe('a1\n');
  const isAlive = () => {
    const pid = readFileSync(at('child'), 'utf8').trim();
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' });
    return stdout !== '' && !stdout.startsWith('Z');
  };
  await vi.waitFor(() => expect(isAlive()).toBe(false), { timeout: 30_000 });
  await expect(fundWallet('sleep 600', 'a1', Promise.resolve())).rejects.toThrow('--fund was stopped');
  await expect(fundWallet('no-such-program-here 2>&-', 'a1', never)).rejects.toThrow('--fund ended with 127');
});

test('pressing Enter or changing a file starts another attempt, but a signal does not', async () => {
  const terminal = new PassThrough();
  const signal = Promise.withResolvers<string>();
  const unchanged = (over: Promise<unknown>) => over.then(() => false);
  const entered = nextTry(unchanged, terminal, signal.promise);
  terminal.write('\n');
  expect(await entered).toBe(true);
  expect(await nextTry(async () => true, terminal, signal.promise)).toBe(true);
  expect(terminal.listenerCount('data')).toBe(0);
  const stopped = nextTry(unchanged, terminal, signal.promise);
  signal.resolve('SIGINT');
  expect(await stopped).toBe(false);
});
