// Runs commands on a development server: a contract from its sources to its events, and the deployer's
// commands.
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPostgres } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endAll, freePort, type Run } from '../../../testing/children.ts';
import { isFaultsRun, selectCases } from '../../../testing/faults.ts';
import { followPage, makeProgram, shellBlocks, type } from '../../../testing/pages.ts';
import { operatorCommands, testCommandsRun } from './commands-run.ts';
import { openShell, type Shell } from './shell.ts';
import { whenUp } from './stage.ts';

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
  await whenUp(dev, () => dev.out().includes('Ctrl-C stops the server'));
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

/** Returns a reader's folder, in which the page's `ledger-ops dev` is running. */
async function readerFolder(name: string): Promise<string> {
  const folder = at(name);
  await mkdir(join(folder, 'node_modules/@ledger-ops'), { recursive: true });
  await symlink(at('dev'), join(folder, 'data'));
  const client = fileURLToPath(new URL('../../../packages/client', import.meta.url));
  await symlink(client, join(folder, 'node_modules/@ledger-ops/client'));
  await makeProgram(folder);
  return folder;
}

/** Follows a tutorial on this file's server. */
async function followTutorial(name: string, environment: Record<string, string>, ready: string[] = []) {
  return await followPage(`docs/tutorials/${name}.md`, {
    folder: await readerFolder(name),
    // Programs of the tutorials import the client's sources.
    environment: { NODE_OPTIONS: '--conditions=@ledger-ops/source', ...environment },
    skip: ['ledger-ops dev'],
    ready,
  });
}

test('the commands of “A first transfer” in docs/cli.md work as written', async () => {
  const [start, transfer = ''] = await shellBlocks('docs/cli.md', 'A first transfer');
  expect(start).toBe('ledger-ops dev\n');
  expect(await type(transfer, await readerFolder('pasted'), {}).end).toEqual({
    ...{ code: 0, output: expect.stringMatching(/\nSUCCEEDED: .*\nbalance +1 ETH\n/s) },
  });
});

const tutorials = {
  'token tutorial leads from Solidity to a dashboard of balances': async () => {
    const told = await followTutorial('token', { DASHBOARD: String(await freePort()) }, ['Watching']);
    expect(told).toMatch(/<td>42\n42\n/);
  },
  'workflow tutorial executes dependent steps on two ledgers, and shows a failing step': async () => {
    const told = await followTutorial('workflow', {});
    expect(told).toMatch(/^SUCCEEDED: .*\n\{"AppraisedValue":300,"Color":"blue",.*\}\n1\n/ms);
    expect(told.match(/ SUCCEEDED +(?:alice|carol) /g)).toHaveLength(4);
    expect(told).toMatch(
      /^Canceled \S+\.\nFAILED: .*, on which this action depends, failed\..*\nIt was never sent\.\n/ms,
    );
  },
  'webhooks tutorial stores each event once, even after the receiver was down': async () => {
    const told = await followTutorial('webhooks', { RECEIVER: String(await freePort()) });
    expect(told).toMatch(/action\.succeeded .* DELIVERED +[2-9] +204.*\n.* DELIVERED +1 +204/);
  },
};
test.each(selectCases(Object.entries(tutorials), ([title]) => title.startsWith('webhooks')))(
  'the commands of a tutorial work as written: the %s',
  async (_title, follow) => await follow(),
);

test('creates a template from sources, and registers a contract that is already on a ledger', async () => {
  await writeFile(at('Answer.sol'), answer);
  expect(await shell.json('template', 'add', 'answer:1', at('Answer.sol'))).toMatchObject({
    status: 'COMPILED',
  });
  await writeFile(at('Wrong.sol'), 'contract Wrong {');
  const wrong = await shell.run('template', 'add', 'answer:2', at('Wrong.sol'));
  expect(wrong).toMatchObject({
    code: 3,
    err: expect.stringMatching(/^error: \S*Wrong\.sol:1: .*\n.*does not compile/s),
  });
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
  // The registry knows the ledger of a registered contract, but not the ledger of an address.
  expect(await shell.run('read', contractId, 'value')).toMatchObject({ code: 0, out: '42\n', err: '' });
  expect(await shell.run('read', contractAddress, 'value')).toMatchObject({
    ...{ code: 2, out: '' },
    err: expect.stringMatching(/--from <wallet> or --ledger <ledger>/),
  });
  expect((await shell.run('contract', 'list')).out).toMatch(
    new RegExp(`^${contractId} .*${contractAddress}$`, 'm'),
  );
  const unknown = await shell.run('contract', 'methods', 'nothing');
  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('Next: ledger-ops contract list') });
  const methods = await shell.run('contract', 'methods', contractId);
  expect(methods.out).toMatch(/^set\(uint256\) +call$/m);
  expect(methods.out).toMatch(/^value\(\) +uint256 +read$/m);
  await shell.json('contract', 'change', contractId, '--group', groupId, '--name', 'Deep Thought');
  const record = await shell.json('contract', 'show', contractId, '--group', groupId);
  expect(record).toMatchObject({ name: 'Deep Thought', contractId });
  // Control characters in a string of a contract do not reach the terminal.
  const note = await shell.run('read', contractId, 'note', ...ledger);
  expect(note).toMatchObject({ code: 0, out: 'gone\n' });
});

test('shows a contract’s events as they happen, and after a pause also the missed ones', async () => {
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
  // The tutorials on this server also have subscriptions.
  expect(await events('list')).toContainEqual(expect.objectContaining({ id, status: 'PAUSED' }));
  await set('44');
  expect(await events('resume', id)).toMatchObject({ id, status: 'ACTIVE' });
  await own.says(/to=44 /);
  const caughtUp = async () =>
    (await shell.json<{ id: string }[]>('contract', 'events', 'list')).find((one) => one.id === id);
  await expect.poll(caughtUp, { timeout: 120_000 }).toMatchObject({ id, blocksBehind: 0 });

  const { code, out } = await own.stop();
  const line = (to: number) =>
    `[\\d-]+ [\\d:]+ UTC\\S*  ${contractId}  Changed  to=${to} why=mood  0x[0-9a-f]{64}\n`;
  expect(out).toMatch(new RegExp(`^${line(43)}${line(44)}$`));
  expect([code, await others.stop()]).toMatchObject([0, { code: 0, out: '' }]);
  await events('remove', id);
  expect(await events('list')).not.toContainEqual(expect.objectContaining({ id }));
  const gone = await shell.run('contract', 'events', 'pause', id);
  expect(gone).toMatchObject({ code: 1, out: '' });
});

test('removes a contract from the registry', async () => {
  const groups = await shell.json<Record<string, string>[]>('contract', 'groups');
  const group = ['--group', groups.find(({ name }) => name === 'Oracles')?.groupId ?? ''];
  await shell.json('contract', 'remove', contractId, ...group);
  expect(await shell.json('contract', 'list', ...group)).toEqual([]);
});

test('a wallet passed with --with and its password file pays the fee for the sender', async () => {
  interface Wallet {
    readonly walletId: string;
    readonly walletPassword: string;
  }
  const passwordOf = async (id: string) => {
    const { wallets }: { wallets: Wallet[] } = JSON.parse(await readFile(at('dev/dev.json'), 'utf8'));
    return wallets.find(({ walletId }) => walletId === id)?.walletPassword ?? '';
  };
  // The Solana ledger starts after the server.
  await expect.poll(() => passwordOf('frank'), { timeout: 120_000 }).not.toBe('');
  for (const id of ['erin', 'frank']) await writeFile(at(`${id}.password`), await passwordOf(id));
  const gina = ['gina', '--ledger', 'dev-solana', '--new-password-file', at('gina.password')];
  await shell.json('wallet', 'create', ...gina);
  const balance = async (id: string) => BigInt((await shell.json('wallet', 'show', id)).balance ?? '');
  const before = await balance('erin');
  const content = { version: '1', native_transaction_content: { feePayer: 'frank' } };
  const send = [
    ...['send', 'gina', '0.005', '--from', 'erin', '--password-file', at('erin.password')],
    ...['--meta', JSON.stringify({ ledger: { solana: content } })],
  ];
  expect(await shell.run(...send)).toMatchObject({
    ...{ code: 1, out: '', err: expect.stringContaining('Next: the same command with --with <wallet>=') },
  });
  await shell.json(...send, '--with', `frank=${at('frank.password')}`);
  expect([before - (await balance('erin')), await balance('gina')]).toEqual([5_000_000n, 5_000_000n]);
});

test.runIf(isFaultsRun)('ledger-ops also runs the server’s deployer commands', async () => {
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
  expect(await operate('end-pending', [], { DATA_DIR })).toMatchObject({ pending: 0 });
  const adopted = await operate('adopt', ['--restored'], { DATA_DIR });
  expect(adopted).toMatchObject({ decision: 'restored', pending: 0 });
  expect(await operate('migrate', [], { DATA_DIR })).toMatchObject({ applied: [] });
  expect(await operate('verify', [], { DATA_DIR })).toMatchObject({ discrepancies: [] });
  const unopened = shell.start({ ...settings, DATA_DIR, OUTBOUND_OPEN: '' }, 'verify');
  expect(await unopened.code).toBe(3);
  expect(unopened.out()).toMatch(/could not be compared.*Set OUTBOUND_OPEN to the server’s value/);
  const postgres = await openPostgres();
  try {
    const DATABASE_URL = await postgres.createDatabase();
    const { tables } = await operate('move', [], { DATA_DIR, DATABASE_URL });
    expect(tables.action.rows).toBeGreaterThan(0);
  } finally {
    await postgres.stop();
  }
});

test('the server exits when the command that started it is stopped', async () => {
  dev.child.kill('SIGTERM');
  expect(await dev.code, dev.err()).toBe(0);
  expect(await shell.run('ledger', 'list')).toMatchObject({ code: 5 });
});

testCommandsRun('development.test.ts', () => shell, isFaultsRun ? [] : operatorCommands);
