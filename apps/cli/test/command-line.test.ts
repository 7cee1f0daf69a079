import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../testing/children.ts';
import { commands as servers } from '../../server/src/commands/table.ts';
import { commands } from '../src/commands/index.ts';
import { operatorCommands } from '../src/commands/installation.ts';
import { openShell, type Shell } from './shell.ts';

let shell: Shell;
beforeAll(async () => {
  shell = await openShell();
});
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
  }
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
  expect((await shell.run('logout')).code).toBe(0);
  expect((await shell.run('profile', 'list')).out).toMatch(/\n\* +one [^\n]*\n$/);
  await writeFile(join(folder, 'profiles.json'), 'nonsense');
  expect(await shell.run('profile', 'list')).toMatchObject({ code: 2 });
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
