// A development server: a contract on its chain, from the sources to its events; and the operator's commands, over what it keeps.
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgres } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endAll, freePort, type Run } from '../../../testing/children.ts';
import { testCommandsRun } from './commands-run.ts';
import { openShell, type Shell } from './shell.ts';
import { whenUp } from './stage.ts';
import { blocksBelow, makeProgram, type } from './walk-through.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let shell: Shell;
let dev: Run;
let contractId: string;
const at = (...names: string[]) => join(shell.home, ...names);
const byAlice = () => ['--from', 'alice', '--password-file', at('alice.password')];
beforeAll(async () => {
  shell = await openShell();
  const [PORT = '', ANVIL_PORT = '', SOLANA_PORT = ''] = await Promise.all(
    ['server', 'ethereum', 'solana'].map(async () => String(await freePort())),
  );
  const ports = { PORT, ANVIL_PORT, SOLANA_PORT };
  dev = shell.start({ DATA_DIR: at('dev'), ANVIL_BLOCK_TIME: '0.1', ...ports }, 'dev');
  await whenUp(dev, () => dev.out().includes('Ctrl-C ends it'));
  await shell.json('login', '--file', at('dev/dev.json'));
  const { wallets } = JSON.parse(await readFile(at('dev/dev.json'), 'utf8'));
  const alice = wallets.find(({ walletId }: { walletId: string }) => walletId === 'alice');
  await writeFile(at('alice.password'), alice.walletPassword);
});
afterEach(() => shell?.reset());
afterAll(async () => {
  dev?.child.kill('SIGTERM');
  await dev?.code;
  await endAll();
  await shell?.close();
});

const answer = `pragma solidity ^0.8.26;
contract Answer {
  uint public value = 42;
  string public note = "\\x1b[2Jgone";
  event Changed(uint to, string why);
  function set(uint next) public { value = next; emit Changed(next, "\\x1b[2Jmood"); }
}`;
const answerAbi = [
  ...[
    { name: 'value', outputs: [{ type: 'uint256' }] },
    { name: 'note', outputs: [{ type: 'string' }] },
  ].map((one) => ({ type: 'function', inputs: [], stateMutability: 'view', ...one })),
  {
    ...{ type: 'event', name: 'Changed', anonymous: false },
    inputs: ['uint256 to', 'string why'].map((one) => {
      const [type, name] = one.split(' ');
      return { type, name, indexed: false };
    }),
  },
  {
    ...{ type: 'function', name: 'set', inputs: [{ name: 'next', type: 'uint256' }], outputs: [] },
    stateMutability: 'nonpayable',
  },
];

test('its page’s first transfer is made by what the page says to type', async () => {
  const [start, transfer = ''] = await blocksBelow('A first transfer');
  expect(start).toBe('ledger-ops dev\n');
  const folder = at('pasted');
  await mkdir(folder);
  await symlink(at('dev'), join(folder, 'data'));
  await makeProgram(folder);
  expect(await type(transfer, folder, {}).end).toEqual({
    ...{ code: 0, told: expect.stringMatching(/\nSUCCEEDED: .*\nbalance +1000000000000000000\n/s) },
  });
});

test('a template from sources, and a contract that stands on a ledger', async () => {
  await writeFile(at('Answer.sol'), answer);
  expect(await shell.json('template', 'add', 'answer:1', at('Answer.sol'))).toMatchObject({
    status: 'COMPILED',
  });
  await writeFile(at('Wrong.sol'), 'contract Wrong {');
  const wrong = await shell.run('template', 'add', 'answer:2', at('Wrong.sol'));
  expect(wrong).toMatchObject({ code: 3, err: expect.stringMatching(/^error: .*\n.*does not compile/s) });
  expect((await shell.run('template', 'list', '--project', 'dev')).out).toContain('answer');
  const { contractAddress = '' } = await shell.json('deploy', 'answer:1', ...byAlice());
  const { groupId = '' } = await shell.json('contract', 'group', 'Oracles', '--project', 'dev');
  await writeFile(at('abi.json'), JSON.stringify(answerAbi));
  const registered = await shell.json(
    ...['contract', 'register', 'Oracle', '--group', groupId, '--ledger', 'dev-ethereum'],
    ...['--address', contractAddress, '--interface', at('abi.json')],
  );
  contractId = registered.contractId ?? '';
  expect((await shell.run('contract', 'list', '--group', groupId)).out).toContain(contractAddress);
  const ledger = ['--ledger', 'dev-ethereum'];
  expect(await shell.run('read', contractId, 'value', ...ledger)).toMatchObject({ out: '42\n', err: '' });
  expect(await shell.json('read', contractId, 'value', '--from', 'alice')).toEqual({ result: '42' });
  const methods = await shell.run('contract', 'methods', contractId, '--group', groupId);
  expect(methods.out).toMatch(/^set\(uint256\) +call$/m);
  expect(methods.out).toMatch(/^value\(\) +uint256 +read$/m);
  await shell.json('contract', 'change', contractId, '--group', groupId, '--name', 'Deep Thought');
  const record = await shell.json('contract', 'show', contractId, '--group', groupId);
  expect(record).toMatchObject({ name: 'Deep Thought', contractId });
  // Texts of others draw nothing on a terminal.
  const note = await shell.run('read', contractId, 'note', ...ledger);
  expect(note).toMatchObject({ code: 0, out: 'gone\n' });
});

test('what a contract tells is watched, not while it is paused, and all of it afterwards', async () => {
  const events = (...args: string[]) => shell.json('contract', 'events', ...args);
  const set = async (value: string) => await shell.json('call', contractId, 'set', value, ...byAlice());
  const latest = ['contract', 'events', 'add', contractId, '--from-block', 'latest'];
  expect(await shell.run(...latest)).toMatchObject({ code: 2, out: '' });
  const subscription = await events('add', contractId, '--event', 'Changed');
  expect(subscription).toMatchObject({ contractId, events: ['Changed'] });
  const { id = '' } = subscription;
  const own = shell.begin('contract', 'events', 'watch', contractId);
  const others = shell.begin('contract', 'events', 'watch', 'another');
  await Promise.all([own, others].map((one) => one.says(/^Watching the events of /)));
  await set('43');
  await own.says(/to=43 /);
  expect((await shell.run('contract', 'events', 'list')).out).toMatch(/ BEHIND.*\n.* ACTIVE +\d+ +\d+/);

  expect(await events('pause', id)).toMatchObject({ id, status: 'PAUSED' });
  expect(await events('list')).toMatchObject([{ id, status: 'PAUSED' }]);
  await set('44');
  expect(await events('resume', id)).toMatchObject({ id, status: 'ACTIVE' });
  await own.says(/to=44 /);
  const caughtUp = async () => (await shell.json<object[]>('contract', 'events', 'list'))[0];
  await expect.poll(caughtUp, { timeout: 120_000 }).toMatchObject({ id, blocksBehind: 0 });

  const { code, out } = await own.stop();
  const line = (to: number) => `\\S+  ${contractId}  Changed  to=${to} why=mood  0x[0-9a-f]{64}\n`;
  expect(out).toMatch(new RegExp(`^${line(43)}${line(44)}$`));
  expect([code, await others.stop()]).toMatchObject([0, { code: 0, out: '' }]);
  await events('remove', id);
  expect(await events('list')).toEqual([]);
  const gone = await shell.run('contract', 'events', 'pause', id);
  expect(gone).toMatchObject({ code: 1, out: '' });
});

test('a contract is taken out of the registry', async () => {
  const groups = await shell.json<Record<string, string>[]>('contract', 'list', '--project', 'dev');
  const group = ['--group', groups.find(({ name }) => name === 'Oracles')?.groupId ?? ''];
  await shell.json('contract', 'remove', contractId, ...group);
  expect(await shell.json('contract', 'list', ...group)).toEqual([]);
});

test('another wallet pays the fee, which is named with the file of its password', async () => {
  interface Wallet {
    readonly walletId: string;
    readonly walletPassword: string;
  }
  const passwordOf = async (id: string) => {
    const { wallets }: { wallets: Wallet[] } = JSON.parse(await readFile(at('dev/dev.json'), 'utf8'));
    return wallets.find(({ walletId }) => walletId === id)?.walletPassword ?? '';
  };
  // That ledger comes up behind the server.
  await expect.poll(() => passwordOf('frank'), { timeout: 120_000 }).not.toBe('');
  for (const id of ['erin', 'frank']) await writeFile(at(`${id}.password`), await passwordOf(id));
  const gina = ['gina', '--ledger', 'dev-solana', '--new-password-file', at('gina.password')];
  await shell.json('wallet', 'create', ...gina);
  const balance = async (id: string) => BigInt((await shell.json('wallet', 'show', id)).balance ?? '');
  const before = await balance('erin');
  const content = { version: '1', native_transaction_content: { feePayer: 'frank' } };
  const send = [
    ...['send', 'gina', '5000000', '--from', 'erin', '--password-file', at('erin.password')],
    ...['--meta', JSON.stringify({ ledger: { solana: content } })],
  ];
  expect(await shell.run(...send)).toMatchObject({
    ...{ code: 1, out: '', err: expect.stringContaining('Next: the same with --with <wallet>=') },
  });
  await shell.json(...send, '--with', `frank=${at('frank.password')}`);
  expect([before - (await balance('erin')), await balance('gina')]).toEqual([5_000_000n, 5_000_000n]);
});

test('the operator’s commands, of the same program', async () => {
  const settings = { MASTER_KEY_FILE: at('dev/dev-master.key'), OUTBOUND_OPEN: '127.0.0.0/8' };
  const operate = async (name: string, args: string[], environment: Record<string, string>) => {
    const one = shell.start({ ...settings, ...environment }, name, ...args, '--json');
    expect(await one.code, one.out() + one.err()).toBe(0);
    return JSON.parse(one.out());
  };
  const [backup, own, DATA_DIR] = [at('backup'), { DATA_DIR: at('dev') }, at('restored')];
  const states = (await operate('doctor', [], own)).findings.map(({ state }: { state: string }) => state);
  expect(states).toContain('ok');
  expect(states).not.toContain('wrong');
  expect(await operate('backup', [backup], own)).toMatchObject({ folder: backup });
  expect(await operate('restore', [backup], { DATA_DIR })).toMatchObject({ folder: DATA_DIR });
  expect(await operate('end-pending', [], { DATA_DIR })).toEqual({ pending: 0 });
  expect(await operate('migrate', [], { DATA_DIR })).toMatchObject({ applied: [] });
  expect(await operate('verify', [], { DATA_DIR })).toMatchObject({ discrepancies: [] });
  const postgres = await openPostgres();
  try {
    const DATABASE_URL = await postgres.createDatabase();
    const { tables } = await operate('move', [], { DATA_DIR, DATABASE_URL });
    expect(tables.action.rows).toBeGreaterThan(0);
  } finally {
    await postgres.stop();
  }
});

test('it ends with the command that started it', async () => {
  dev.child.kill('SIGTERM');
  expect(await dev.code, dev.err()).toBe(0);
  expect(await shell.run('ledger', 'list')).toMatchObject({ code: 5 });
});

testCommandsRun('development.test.ts', () => shell);
