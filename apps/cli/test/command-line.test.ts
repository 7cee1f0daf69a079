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
import { topics } from '../src/commands/groups.ts';
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

test.each(commands.map(({ name }) => name))('%s --help prints its description', async (name) => {
  const { code, out } = await shell.run(...name.split(' '), '--help');
  expect(code).toBe(0);
  expect(out).toContain(`Usage: ledger-ops ${name}`);
  expect(out).toContain('--json');
});

test.each(['', ...commands.map(({ name }) => name)])(
  'the help of “%s” contains none of the default texts of the argument parser',
  async (name) => {
    const { out } = await shell.run(...name.split(' ').filter((word) => word !== ''), '--help');
    expect(out).not.toMatch(/display help|default: none/);
    // Examples follow a heading, not an empty line.
    expect(out).not.toMatch(/\n\nledger-ops /);
  },
);

test('the help describes each command with a sentence that starts with a verb', async () => {
  const { out } = await shell.run('--help');
  const listed = [...out.matchAll(/^ {2}([a-z-]+) {2,}(\S+)/gm)].map(([, name, word]) => [name, word]);
  expect(listed.length).toBeGreaterThan(40);
  expect(listed.filter(([, word]) => !/^[A-Z][a-z]+s,?$/.test(word ?? ''))).toEqual([]);
});

test('lists all commands of the server with their descriptions', () => {
  const { serve: _, ...others } = operatorCommands;
  const known = Object.entries(servers).map(([name, { about }]) => [name, about]);
  expect(Object.entries(others)).toEqual(known);
});

test('an invalid command line exits with 2 and a message on standard error', async () => {
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

test('the error for an unknown or misplaced option names the option and a help command', async () => {
  const typo = await shell.run('wallet', 'create', 'till', '--leger', 'main');
  expect(typo.err).toContain("required option '--ledger <ledger>'");
  expect(typo.err).toContain(
    '(The command has no option --leger.)\n(For details: ledger-ops wallet create --help)',
  );
  expect((await shell.run('send', 'bob', '1')).err).not.toContain('has no option');
});

test('suggests quotes if the unit of an amount is a separate argument', async () => {
  const { code, err } = await shell.run('send', 'bob', '0.05', 'ETH', '--from', 'alice');
  expect([code, err]).toEqual([2, expect.stringContaining('(Quote an amount with its unit: "0.05 ETH")')]);
  const other = await shell.run('send', 'bob', '1', '2', '--from', 'alice');
  expect(other.err).toContain('too many arguments');
  expect(other.err).not.toContain('Quote');
});

test('reports an unknown command even if --help follows it', async () => {
  for (const help of ['--help', '-h']) {
    const { code, out, err } = await shell.run('transfer', help);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining("unknown command 'transfer'")]);
  }
});

test('accepts common options in any position, and prints only the members that --json names', async () => {
  for (const args of [
    ['--profile', 'shop', '--json', 'whoami'],
    ['wallet', '--json', '--profile=shop', 'list'],
    ['--json=walletId', 'wallet', 'list', '--profile', 'shop'],
  ]) {
    const { code, out } = await shell.run(...args);
    expect([code, JSON.parse(out).error], args.join(' ')).toEqual([4, 'There is no profile shop.']);
  }
  const folder = join(shell.home, '.config/ledger-ops');
  await mkdir(folder, { recursive: true });
  const profiles = { one: { baseUrl: 'https://one.test', ...credentials } };
  await writeFile(join(folder, 'profiles.json'), JSON.stringify({ current: 'one', profiles }));
  const selected = [{ profile: 'one', baseUrl: 'https://one.test' }];
  const list = ['profile', 'list', '--json', 'profile,baseUrl'];
  expect(JSON.parse((await shell.run(...list)).out)).toEqual(selected);
  const unknown = await shell.run('profile', 'list', '--json=nonsense');
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('There is no member nonsense. The members are: profile, baseUrl, ');
  expect((await shell.run('profile', 'list', '--json=a,,b')).code).toBe(2);
});

test('every list command prints CSV with --csv, and all other commands refuse --csv', async () => {
  const lists = commands.filter(({ name, options }) => / list$/.test(name) || 'limit' in options);
  expect(lists.filter(({ isList }) => isList !== true).map(({ name }) => name)).toEqual([]);
  const folder = join(shell.home, '.config/ledger-ops');
  await mkdir(folder, { recursive: true });
  const profiles = {
    '=1+1': { baseUrl: 'https://one.test', ...credentials, project: 'a, "b"' },
    two: { baseUrl: 'https://two.test', ...credentials },
  };
  await writeFile(join(folder, 'profiles.json'), JSON.stringify({ current: 'two', profiles }));
  expect(await shell.run('profile', 'list', '--csv')).toEqual({
    code: 0,
    out: [
      'current,profile,url,who,application,project',
      `,'=1+1,https://one.test,account,app,"a, ""b"""`,
      '*,two,https://two.test,account,app,',
      '',
    ].join('\r\n'),
    err: '',
  });
  expect(await shell.run('profile', 'list', '--csv', '--json')).toMatchObject({ code: 2 });
  expect(await shell.run('whoami', '--csv')).toMatchObject({ code: 2, out: '' });
});

test('the help groups all commands by task, and omits internal ones', async () => {
  const { code, out } = await shell.run();
  expect(code).toBe(0);
  for (const heading of Object.keys(topics)) expect(out).toContain(`\n${heading}\n`);
  const words = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
  expect(Object.values(topics).flat().toSorted()).toEqual(words.toSorted());
  expect(out).toMatch(/^ {2}completion /m);
  expect(out).not.toMatch(/^ {2}complete /m);
});

test('ledger-ops --version prints the version of the program', async () => {
  expect(await shell.run('--version')).toEqual({ code: 0, out: `${packageJson.version}\n`, err: '' });
});

test.each([
  ['--node', 'http://127.0.0.1:9'],
  ['--property', 'a=b'],
  ['--node-property-file', 'a=b'],
  ['--amount', '5'],
  ['--fund', 'true'],
])('dev rejects %s without a plugin', async (option, value) => {
  expect(await shell.run('dev', option, value)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${option} needs --plugin.`),
  });
});

test('if nobody is signed in, suggests the sign-in command and exits with 4', async () => {
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

test('init in the current folder suggests to start the server there', async () => {
  const folder = join(shell.home, 'here');
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  const { out } = await shell.run('init', '.');
  cwd.mockRestore();
  expect(out).toBe(
    `${folder}: ledger-ops.json, master.key (keep a copy elsewhere). Next: ledger-ops serve\n`,
  );
});

test.each([
  ['ledger.example', 'The URL of the service must be an absolute URL, such as https://ledger.example.'],
  ['http://ledger.example', 'Use --allow-unencrypted to send tokens and passwords without encryption.'],
  [
    'https://ledger.example/console/',
    '--url must be the URL of the service, not of its console.\nNext: ledger-ops login --url https://ledger.example --client-id desk\n',
  ],
])('login with the URL %s reports the URL before it prompts for a secret', async (url, message) => {
  shell.typed = [];
  expect(await shell.run('login', '--url', url, '--client-id', 'desk')).toMatchObject({
    code: 2,
    err: expect.stringContaining(message),
  });
});

test('if nobody ever signed in, names both ways to sign in', async () => {
  const fresh = await openShell();
  const ran = await fresh.run('wallet', 'list');
  await fresh.close();
  expect(ran).toMatchObject({
    code: 4,
    err: 'You are not signed in.\nNext: ledger-ops login --file <file>, or ledger-ops login --url <url> --client-id <application>\n',
  });
});

test.each(['tail', 'action watch', 'contract events watch'])(
  '%s exits with 5 if the service is unreachable when it starts',
  async (name) => {
    shell.environment = environment(`http://127.0.0.1:${await freePort()}`);
    expect(await shell.run(...name.split(' '))).toMatchObject({
      code: 5,
      err: expect.stringContaining('The service does not answer (ECONNREFUSED).'),
    });
  },
);

test('a command exits with 5 if the service is unreachable, and shows no secret', async () => {
  shell.environment = environment(`http://127.0.0.1:${await freePort()}`);
  const { code, err, out } = await shell.run('wallet', 'list');
  expect([code, out]).toEqual([5, '']);
  expect(err).toMatch(
    /^The service does not answer \(ECONNREFUSED\)\.\nPOST http:\/\/127\.0\.0\.1:\d+\/v1\/auth\/token: no response after 5 tries \(ECONNREFUSED\)\. Check that the service is running/,
  );
  expect(err).not.toContain('secret');
});

test('reports which credential was refused at sign-in, and how to fix it', async () => {
  const body = { error: 'invalid_client', error_description: 'It is wrong.', reason: 'account' };
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  shell.environment = environment(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  for (const [reason, next] of [
    ['application', 'to create one: ledger-ops token app app'],
    ['account', 'to create one: ledger-ops token account <account>'],
    ['role', 'ledger-ops role grant <account> <role> <project>'],
  ] as const) {
    body.reason = reason;
    const { code, err } = await shell.run('wallet', 'list');
    expect([code, err]).toEqual([
      4,
      expect.stringMatching(/^It is wrong\. \(POST http:.*, API token of account\)\n/),
    ]);
    expect(err).toContain(next);
    expect(err).not.toContain('secret');
  }
  await new Promise((resolve) => server.close(resolve));
});

test('reports that a service has no TLS if the URL begins with https', async () => {
  const server = createServer((_request, response) => response.end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  shell.environment = environment(`https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  const { code, err } = await shell.run('wallet', 'list');
  expect([code, err]).toEqual([
    5,
    expect.stringContaining('does not speak TLS.\nNext: the same command with http://'),
  ]);
  await new Promise((resolve) => server.close(resolve));
});

test('environment variables replace a profile only if all are set, and secrets are never sent unencrypted', async () => {
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

test('profiles are selected and deleted', async () => {
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
  // XDG_CONFIG_HOME is a file instead of a folder.
  shell.environment = { XDG_CONFIG_HOME: join(folder, 'profiles.json') };
  expect(await shell.run('profile', 'use', 'one')).toMatchObject({ code: 2, out: '' });
  shell.environment = {};
  expect((await shell.run('logout')).code).toBe(0);
  expect((await shell.run('profile', 'list')).out).toMatch(/\n\* +one [^\n]*\n$/);
  await writeFile(join(folder, 'profiles.json'), 'nonsense');
  expect(await shell.run('profile', 'list')).toMatchObject({ code: 2 });
});

test('if the service does not answer, signing out reports that the tokens stay valid', async () => {
  const folder = join(shell.home, '.config/ledger-ops');
  await mkdir(folder, { recursive: true });
  const person = { accessToken: 'secret', accessUntil: 0, refreshToken: 'rft_secret' };
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const grace = { baseUrl, applicationToken: 'app_secret', clientId: 'desk', person };
  const file = join(folder, 'profiles.json');
  await writeFile(file, JSON.stringify({ current: 'grace', profiles: { grace } }));
  const { code, out, err } = await shell.run('logout');
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('they stay valid until they expire');
  expect(err).not.toContain('secret');
  expect(await shell.json('profile', 'list')).toEqual([]);
});

test('login rejects a file without credentials', async () => {
  const file = join(shell.home, 'wrong.json');
  await writeFile(file, '{"baseUrl": "https://one.test"}');
  expect(await shell.run('login', '--file', file)).toMatchObject({
    code: 2,
    err: expect.stringContaining('has no credentials'),
  });
  expect(await shell.run('login', '--url', 'https://one.test')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--client-id'),
  });
});

test('refuses to check a file that is not a plugin', async () => {
  expect(await shell.run('plugin', 'check', join(shell.home, 'nothing.js'))).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('Next: ledger-ops plugin check --help'),
  });
});

test('a plugin is checked against the adapter interface without signing in', async () => {
  const example = new URL('../../../packages/adapter-kit/test/readme/notebook.harness.ts', import.meta.url);
  const kept = await shell.json<Record<string, number>>('plugin', 'check', fileURLToPath(example));
  expect(kept).toMatchObject({ failed: 0 });
  expect(kept.passed).toBeGreaterThan(25);
});

describe('completion', () => {
  test('completion scripts and words can be printed as JSON', async () => {
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
      ['list', 'show', 'create', 'exclusive', 'unknown', 'export', 'password'],
    ],
    [['wal'], ['wallet']],
    [['--profile', 'one', 'wallet', 'cr'], ['create']],
    [['wallet', 'create', '--l'], ['--ledger']],
    [
      ['action', 'list', '--status', ''],
      ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELED'],
    ],
    [['completion', 'z'], ['zsh']],
    [['send', 'bo'], []],
    [
      ['nonsense', '--'],
      ['--profile', '--json'],
    ],
  ])('completes the command line %j to %j', async (begun, expected) => {
    expect(await words(...begun)).toEqual(expected);
  });

  test('every command can be completed', async () => {
    for (const { name } of commands.filter(({ isInternal }) => !isInternal)) {
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
  // The program `script` provides a terminal.
  const isThere = (name: string) => spawnSync(name, ['--version']).status === 0;
  for (const [name, { args, setUp }] of Object.entries(shells)) {
    const missing = [name, 'script'].filter((one) => !isThere(one));
    const title = missing.length === 0 ? '' : ` (skipped: there is no ${missing.join(' and no ')} here)`;
    test.skipIf(missing.length > 0)(
      `${name} completes commands typed in a terminal${title}`,
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
          // The shell itself completes file names.
          terminal.stdin.write('ledger-ops login --file cred\t\r');
          await said('credentials.json has no credentials');
        } finally {
          terminal.kill('SIGKILL');
          await ended;
        }
      },
    );
  }
});

test('every command is run by a test that checks its effect', async () => {
  for (const file of Object.keys(commandsRun)) {
    const source = await readFile(new URL(file, import.meta.url), 'utf8');
    expect(source, file).toContain(`testCommandsRun('${file}'`);
  }
  const run = new Set<string>(Object.values(commandsRun).flat());
  expect(commands.map(({ name }) => name).filter((name) => !run.has(name))).toEqual([]);
});

testCommandsRun('command-line.test.ts', () => shell);
