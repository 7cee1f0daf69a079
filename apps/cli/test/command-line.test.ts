import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { childEnvironment, freePort, sourceArguments } from '../../../testing/children.ts';
import { commands as servers } from '../../server/src/commands/table.ts';
import packageJson from '../package.json' with { type: 'json' };
import { commands } from '../src/commands/index.ts';
import { operatorCommands } from '../src/commands/installation.ts';
import { commandsRun, testCommandsRun } from './commands-run.ts';
import { openShell, type Shell } from './shell.ts';

let shell: Shell;
beforeAll(async () => {
  shell = await openShell();
});
afterEach(() => shell?.reset());
afterAll(() => shell?.close());

const credentials = {
  ...{ applicationToken: 'app_secret', clientId: 'app', serviceAccount: 'account', apiToken: 'sak_secret' },
};
const environment = (baseUrl: string) => ({
  ...{ LEDGER_OPS_URL: baseUrl, LEDGER_OPS_APPLICATION_TOKEN: 'app_secret', LEDGER_OPS_CLIENT_ID: 'app' },
  ...{ LEDGER_OPS_SERVICE_ACCOUNT: 'account', LEDGER_OPS_API_TOKEN: 'sak_secret' },
});

test.each(commands.map(({ name }) => name))('%s tells what it does', async (name) => {
  const { code, out } = await shell.run(...name.split(' '), '--help');
  expect(code).toBe(0);
  expect(out).toContain(`Usage: ledger-ops ${name}`);
  expect(out).toContain('--json');
});

test('the commands of the server are all there, in its words', () => {
  const { serve: _, ...others } = operatorCommands;
  const known = Object.entries(servers).map(([name, { about }]) => [name, about]);
  expect(Object.entries(others)).toEqual(known);
});

test('a command line that means nothing ends with 2, on standard error', async () => {
  for (const args of [
    ['nonsense'],
    ['wallet', 'create'],
    ['send', 'bob', '1'],
    ['action', 'list', '--status', 'GOOD'],
    ['action', 'list', '--limit', '0', '--nonsense'],
  ]) {
    expect(await shell.run(...args), args.join(' ')).toMatchObject({ code: 2, out: '' });
    const { code, out } = await shell.run(...args, '--json');
    expect([code, JSON.parse(out)]).toEqual([2, { error: expect.any(String), next: expect.any(String) }]);
  }
});

test('an option that is mistyped or misplaced is named, with the command whose help tells more', async () => {
  const typo = await shell.run('wallet', 'create', 'till', '--leger', 'main');
  expect(typo.err).toContain("required option '--ledger <ledger>'");
  expect(typo.err).toContain(
    '(--leger is none of its options)\n(ledger-ops wallet create --help tells more)',
  );
  expect((await shell.run('send', 'bob', '1')).err).not.toContain('none of its options');
  expect((await shell.run('--profile', 'shop', 'whoami')).err).toContain(
    '(--profile stands behind the command)\n(ledger-ops --help tells more)',
  );
  expect((await shell.run('wallet', '--json', 'list')).err).toContain('(--json stands behind the command)');
});

test('it tells its version', async () => {
  expect(await shell.run('--version')).toEqual({ code: 0, out: `${packageJson.version}\n`, err: '' });
});

test('a node of the development server is one of a plugin', async () => {
  expect(await shell.run('dev', '--node', 'http://127.0.0.1:9')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--node needs --plugin.'),
  });
});

test('who is not signed in is told how to, and ends with 4', async () => {
  const { code, err, out } = await shell.run('wallet', 'list', '--profile', 'nowhere', '--json');
  expect([code, err]).toEqual([
    4,
    'There is no profile nowhere.\nNext: ledger-ops login --profile nowhere\n',
  ]);
  expect(JSON.parse(out)).toEqual({
    error: 'There is no profile nowhere.',
    next: 'ledger-ops login --profile nowhere',
  });
});

test('a service that does not answer ends with 5, and nothing shows a secret', async () => {
  shell.environment = environment(`http://127.0.0.1:${await freePort()}`);
  const { code, err, out } = await shell.run('wallet', 'list');
  expect([code, out]).toEqual([5, '']);
  expect(err).toContain('ECONNREFUSED');
  expect(err).not.toContain('secret');
});

test('a service without TLS is said to be one where https was asked for', async () => {
  const server = createServer((_request, response) => response.end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  shell.environment = environment(`https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  const { code, err } = await shell.run('wallet', 'list');
  expect([code, err]).toEqual([5, expect.stringContaining('speaks no TLS.\nNext: the same with http://')]);
  await new Promise((resolve) => server.close(resolve));
});

test('variables are a profile only together, and secrets go nowhere in the clear', async () => {
  const { LEDGER_OPS_API_TOKEN: _, ...incomplete } = environment('https://ledger.test');
  shell.environment = incomplete;
  expect(await shell.run('wallet', 'list')).toMatchObject({
    code: 2,
    err: expect.stringContaining('LEDGER_OPS_API_TOKEN'),
  });
  shell.environment = environment('http://ledger.test');
  expect(await shell.run('wallet', 'list')).toMatchObject({
    code: 2,
    err: expect.stringContaining('https:'),
  });
  shell.environment = {};
});

test('profiles are chosen, and forgotten', async () => {
  const folder = join(shell.home, '.config/ledger-ops');
  await mkdir(folder, { recursive: true });
  const profile = { baseUrl: 'https://one.test', ...credentials };
  const profiles = { one: profile, two: { ...profile, baseUrl: 'https://two.test' } };
  await writeFile(join(folder, 'profiles.json'), JSON.stringify({ current: 'one', profiles }));
  expect((await shell.run('profile', 'use', 'two')).code).toBe(0);
  expect((await shell.run('profile', 'list')).out).toMatch(/\n +one .*\n\* +two /);
  expect((await shell.run('profile', 'use', 'three')).code).toBe(2);
  expect(await shell.run('wallet', 'list', '--profile', 'constructor')).toMatchObject({
    ...{ code: 4, err: expect.stringContaining('There is no profile constructor.') },
  });
  // A file in the place of the folder.
  shell.environment = { XDG_CONFIG_HOME: join(folder, 'profiles.json') };
  expect(await shell.run('profile', 'use', 'one')).toMatchObject({ code: 2, out: '' });
  shell.environment = {};
  expect((await shell.run('logout')).code).toBe(0);
  expect((await shell.run('profile', 'list')).out).toMatch(/\n\* +one [^\n]*\n$/);
  await writeFile(join(folder, 'profiles.json'), 'nonsense');
  expect(await shell.run('profile', 'list')).toMatchObject({ code: 2 });
});

test('who signs out where the service does not answer is told what is left', async () => {
  const folder = join(shell.home, '.config/ledger-ops');
  await mkdir(folder, { recursive: true });
  const person = { accessToken: 'secret', accessUntil: 0, refreshToken: 'rft_secret' };
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const grace = { baseUrl, applicationToken: 'app_secret', clientId: 'desk', person };
  const file = join(folder, 'profiles.json');
  await writeFile(file, JSON.stringify({ current: 'grace', profiles: { grace } }));
  const { code, out, err } = await shell.run('logout');
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('takes them until they expire');
  expect(err).not.toContain('secret');
  expect(await shell.json('profile', 'list')).toEqual([]);
});

test('a file without credentials is not taken', async () => {
  const file = join(shell.home, 'wrong.json');
  await writeFile(file, '{"baseUrl": "https://one.test"}');
  expect(await shell.run('login', '--file', file)).toMatchObject({
    code: 2,
    err: expect.stringContaining('holds no credentials'),
  });
  expect(await shell.run('login', '--url', 'https://one.test')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--client-id'),
  });
});

test('a plugin that is none cannot be checked', async () => {
  expect(await shell.run('plugin', 'check', join(shell.home, 'nothing.js'))).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('Next: ledger-ops plugin check --help'),
  });
});

test('a plugin is held to the contract by somebody who is not signed in', async () => {
  const example = new URL('../../../packages/adapter-kit/test/readme/notebook.harness.ts', import.meta.url);
  const kept = await shell.json<Record<string, number>>('plugin', 'check', fileURLToPath(example));
  expect(kept).toMatchObject({ failed: 0 });
  expect(kept.passed).toBeGreaterThan(25);
});

describe('completion', () => {
  test('its scripts and its words are those of a program too', async () => {
    await shell.json('completion', 'bash');
    expect((await shell.run('complete', '--json', '--', 'wal')).out).toContain('wallet');
  });

  const words = async (...begun: string[]) =>
    (await shell.run('complete', '--', ...begun)).out
      .split('\n')
      .flatMap((line) => line.split('\t')[0] || []);

  test.each([
    [
      ['wallet', ''],
      ['list', 'show', 'create', 'export', 'password'],
    ],
    [['wal'], ['wallet']],
    [['--profile', 'one', 'wallet', 'cr'], ['create']],
    [['wallet', 'create', '--l'], ['--ledger']],
    [
      ['action', 'list', '--status', ''],
      ['PENDING', 'SUCCEEDED', 'FAILED'],
    ],
    [['completion', 'z'], ['zsh']],
    [['send', 'bo'], []],
    [
      ['nonsense', '--'],
      ['--profile', '--json'],
    ],
  ])('%j may go on with %j', async (begun, expected) => {
    expect(await words(...begun)).toEqual(expected);
  });

  test('every command can be typed by it', async () => {
    for (const { name } of commands) {
      for (const [index, word] of name.split(' ').entries()) {
        expect(await words(...name.split(' ').slice(0, index), word)).toContain(word);
      }
    }
  });

  const shells = {
    bash: { args: '--norc --noprofile -i', setUp: 'eval "$(ledger-ops completion bash)"' },
    zsh: {
      args: '-f -i',
      setUp: 'autoload -Uz compinit; compinit -u -D; eval "$(ledger-ops completion zsh)"',
    },
    fish: { args: '--no-config -i', setUp: 'ledger-ops completion fish | source' },
  };
  // `script` gives them a terminal.
  const isThere = (name: string) => spawnSync(name, ['--version']).status === 0;
  for (const [name, { args, setUp }] of Object.entries(shells)) {
    const missing = [name, 'script'].filter((one) => !isThere(one));
    const title = missing.length === 0 ? '' : ` (skipped: there is no ${missing.join(' and no ')} here)`;
    test.skipIf(missing.length > 0)(
      `${name} completes what a person types${title}`,
      { timeout: 400_000 },
      async () => {
        const program = join(shell.home, 'ledger-ops');
        const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
        const line = [process.execPath, ...sourceArguments, main].map((word) => `'${word}'`).join(' ');
        await writeFile(program, `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o700 });
        await writeFile(join(shell.home, 'credentials.json'), '{}');
        const { PATH, ...rest } = childEnvironment();
        const env = {
          ...rest,
          PATH: `${shell.home}:${PATH}`,
          HOME: shell.home,
          TERM: 'xterm',
          SHELL: '/bin/sh',
        };
        const terminal = spawn('script', ['-qfc', `${name} ${args}`, '/dev/null'], { env, cwd: shell.home });
        const ended = once(terminal, 'close');
        let out = '';
        terminal.stdout.on('data', (chunk) => {
          out += chunk;
        });
        const said = (words: string) =>
          vi.waitFor(() => expect(stripVTControlCharacters(out)).toContain(words), {
            timeout: 120_000,
            interval: 50,
          });
        try {
          terminal.stdin.write(`${setUp}; echo rea"dy"\r`);
          await said('ready');
          terminal.stdin.write('ledger-ops wal\tcr\t--help\r');
          await said('Usage: ledger-ops wallet create');
          // Nothing is known of a file's name: the shell's own files.
          terminal.stdin.write('ledger-ops login --file cred\t\r');
          await said('credentials.json holds no credentials');
        } finally {
          terminal.kill('SIGKILL');
          await ended;
        }
      },
    );
  }
});

test('every command is run by a test that sees that it did something', async () => {
  for (const file of Object.keys(commandsRun)) {
    const source = await readFile(new URL(file, import.meta.url), 'utf8');
    expect(source, file).toContain(`testCommandsRun('${file}'`);
  }
  const run = new Set<string>(Object.values(commandsRun).flat());
  expect(commands.map(({ name }) => name).filter((name) => !run.has(name))).toEqual([]);
});

testCommandsRun('command-line.test.ts', () => shell);
