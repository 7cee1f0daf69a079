// From nothing to a first transfer, by the command line alone, as its page tells it; then what becomes of actions.
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endAll, freePort } from '../../../testing/children.ts';
import { startedTime } from '../../../testing/machine-time.ts';
import { testCommandsRun } from './commands-run.ts';
import type { Shell } from './shell.ts';
import { openStage, type Stage } from './stage.ts';
import { blocksBelow, makeProgram, type } from './walk-through.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let stage: Stage;
let shell: Shell;
let anvil: Anvil;
const at = (...names: string[]) => stage.at(...names);
const development = ['chain_id=31337', 'development=true', 'polling_interval=20'].flatMap((one) => [
  '--set',
  one,
]);
const byAlice = () => ['--from', 'alice', '--password-file', at('alice.password')];
beforeAll(async () => {
  anvil = await startAnvil({ mining: 'automine' });
  stage = await openStage();
  ({ shell } = stage);
});
afterEach(() => shell?.reset());
afterAll(async () => {
  await stage?.close();
  await endAll();
  await anvil?.stop();
});

test('the page’s own lines lead from nothing to a transfer, in less than three minutes of a processor', async () => {
  const [serve = '', prepare = '', send = ''] = await blocksBelow("A deployment of one's own");
  const folder = join(shell.home, 'pasted');
  await mkdir(folder);
  await makeProgram(folder);
  const started = startedTime();
  const environment = { PORT: String(await freePort()), OUTBOUND_OPEN: '127.0.0.1' };
  const server = type(serve, folder, environment);
  try {
    const address = `http://127.0.0.1:${environment.PORT}/livez`;
    const isUp = () =>
      fetch(address).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isUp, { timeout: 120_000 }).toBe(true);
    const chain = { NODE_URL: anvil.url, CHAIN_ID: '31337' };
    const prepared = await type(prepare, folder, chain).end;
    expect(prepared).toMatchObject({ code: 0 });
    const [alice] = /0x[0-9a-fA-F]{40}(?=\s+balance|\n)(?!.*0x[0-9a-fA-F]{40})/s.exec(prepared.told) ?? [];
    await anvil.rpc('anvil_setBalance', [alice, '0x56BC75E2D63100000']);
    const sent = await type(send, join(folder, 'till'), {
      PATH: `${folder}:${process.env.PATH}`,
      HOME: folder,
    }).end;
    expect(sent).toEqual({ code: 0, told: expect.stringMatching(/SUCCEEDED: /) });
  } finally {
    server.stop();
    await server.end;
  }
  expect(startedTime() - started).toBeLessThan(180);
});

test('init makes a folder for its owner alone, with a key, and touches none that has something in it', async () => {
  for (const name of ['', 'master.key', 'ledger-ops.json']) {
    expect((await stat(at(name))).mode & 0o077, name).toBe(0);
  }
  expect(Buffer.from(await readFile(at('master.key'), 'utf8'), 'base64')).toHaveLength(32);
  const unfinished = await shell.run('init', at('elsewhere'), '--base-url', 'ledger.example');
  expect(unfinished).toMatchObject({ code: 2, err: expect.stringContaining('https://ledger.example') });
  const again = await shell.run('init', at());
  expect(again).toMatchObject({ code: 2, out: '' });
  expect(again.err).toContain('is not empty');
});

test('a profile is a file for its owner alone, and no answer shows a secret of it', async () => {
  const file = join(shell.home, '.config/ledger-ops/profiles.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { apiToken, applicationToken } = JSON.parse(await readFile(file, 'utf8')).profiles.default;
  const lists = [await shell.run('profile', 'list'), await shell.run('profile', 'list', '--json')];
  for (const { out, code } of lists) {
    expect(code).toBe(0);
    expect(out).toContain('administrator');
    expect(out).not.toContain(apiToken);
    expect(out).not.toContain(applicationToken);
  }
});

test('a ledger is added, and shown', async () => {
  await shell.json('ledger', 'add', 'main', '--technology', 'ethereum', '--node', anvil.url, ...development);
  expect((await shell.run('ledger', 'list')).out).toMatch(/^LEDGER +TECHNOLOGY .*\nmain +/);
  expect(await shell.json('ledger', 'show', 'main')).toMatchObject({
    ledgerId: 'main',
    technology: 'ethereum',
  });
  expect(await shell.json<object[]>('ledger', 'technologies')).not.toEqual([]);
  expect(await shell.run('plugin', 'selection', 'main')).toMatchObject({
    ...{ code: 0, out: expect.stringMatching(/^\S+ +\S+ +serves it$/m), err: '' },
  });
});

test('wallets are made with a password of a new file, of standard input, and of a person', async () => {
  const create = [
    'wallet',
    'create',
    'alice',
    '--ledger',
    'main',
    '--new-password-file',
    at('alice.password'),
  ];
  const { walletAddress = '' } = await shell.json(...create);
  expect((await stat(at('alice.password'))).mode & 0o777).toBe(0o600);
  expect(await shell.run(...create)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--password-file'),
  });
  shell.input = 'correct horse battery staple\n';
  await shell.json('wallet', 'create', 'bob', '--ledger', 'main', '--password-file', '-');
  // Nobody could open a wallet whose password was mistyped.
  shell.typed = ['correct horse battery staple', 'correct horse battery stapel'];
  expect(await shell.run('wallet', 'create', 'dora', '--ledger', 'main')).toMatchObject({ code: 2 });
  shell.typed = ['correct horse battery staple', 'correct horse battery staple'];
  await shell.json('wallet', 'create', 'dora', '--ledger', 'main');
  const listed = await shell.json<Record<string, string>[]>('wallet', 'list', '--ledger', 'main');
  expect(listed.map(({ walletId }) => walletId).toSorted()).toEqual(['alice', 'bob', 'dora']);
  await anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
});

test('a person who is killed behind a new password goes on with it', async () => {
  const file = at('carol.password');
  const create = ['wallet', 'create', 'carol', '--ledger', 'main'];
  // Takes the request, and never answers: the command is killed where the wallet may exist or not.
  const asked = Promise.withResolvers<void>();
  const silent = createServer((socket) => void socket.once('data', () => asked.resolve()));
  try {
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const environment = {
      ...{ LEDGER_OPS_URL: `http://127.0.0.1:${port}`, LEDGER_OPS_APPLICATION_TOKEN: 'app_x' },
      ...{ LEDGER_OPS_CLIENT_ID: 'x', LEDGER_OPS_SERVICE_ACCOUNT: 'x', LEDGER_OPS_API_TOKEN: 'sak_x' },
    };
    const command = shell.start(environment, ...create, '--new-password-file', file);
    await Promise.race([asked.promise, command.code]);
    command.child.kill('SIGKILL');
    expect([await command.code, command.err()]).toEqual([null, '']);
  } finally {
    silent.close();
  }
  expect((await readFile(file, 'utf8')).trim()).toHaveLength(32);
  await shell.json(...create, '--password-file', file);
});

test('a transfer, and what became of it', async () => {
  const sent = await shell.run('send', 'bob', '1000', ...byAlice(), '--tag', 'rent');
  expect(sent).toMatchObject({ code: 0, err: expect.stringMatching(/^Accepted: \S+\n$/) });
  expect(sent.out).toMatch(/^SUCCEEDED: [0-9a-f-]{36}, transaction 0x[0-9a-f]{64}\n$/);
  const [, actionId = ''] = /SUCCEEDED: (\S+),/.exec(sent.out) ?? [];
  expect(await shell.json('wallet', 'show', 'bob')).toMatchObject({ balance: '1000' });
  const [row] = await shell.json<Record<string, string>[]>('action', 'list', '--tag', 'rent');
  expect(row).toMatchObject({ actionId, status: 'SUCCEEDED', walletId: 'alice' });
  expect((await shell.run('action', 'list', '--tag', 'rent')).out).toContain('0.000000000000001 ');
  expect(await shell.json('action', 'show', actionId)).toMatchObject({ actionId });
  expect((await shell.run('action', 'explain', actionId)).out).toContain('bob');
  expect((await shell.run('action', 'watch', actionId)).out).toContain('SUCCEEDED');
});

test('the password of a transfer comes from a variable, or is asked for', async () => {
  shell.environment = { LEDGER_OPS_WALLET_PASSWORD: 'wrong wrong wrong wrong' };
  const wrong = await shell.run('send', 'bob', '1', '--from', 'alice');
  expect(wrong).toMatchObject({ code: 1, out: '' });
  expect(wrong.err).toMatch(/password.*\nNext: /s);
  shell.environment = {};
  const asked = await shell.run('send', 'bob', '1', '--from', 'alice');
  expect(asked).toMatchObject({ code: 2, out: '' });
  expect(asked.err).toContain('LEDGER_OPS_WALLET_PASSWORD');
  shell.typed = [(await readFile(at('alice.password'), 'utf8')).trim()];
  await shell.json('send', `ethereum:0x${'ab'.repeat(20)}`, '1', '--from', 'alice');
  // Other words before a colon are no technology: it is a wallet, which is not there.
  const unknown = await shell.run('send', 'till:carol', '1', '--from', 'alice');
  expect(unknown.err).toMatch(/till:carol/);
});

test('a transfer that nobody waits for is followed later', async () => {
  const detached = await shell.json('send', 'bob', '1', ...byAlice(), '--detach');
  expect(detached).toMatchObject({ status: 'PENDING' });
  expect(await shell.json('action', 'watch', detached.actionId ?? '')).toMatchObject({ status: 'SUCCEEDED' });
});

test('an operation is tried before it is sent, and sent from a file', async () => {
  const tried = await shell.json('send', 'bob', '1000', '--from', 'alice', '--dry-run');
  expect(tried).toMatchObject({ fee: expect.stringMatching(/^[1-9]\d*$/), warnings: [] });
  const unfunded = await shell.run('send', 'bob', '1000', '--from', 'dora', '--dry-run');
  expect(unfunded).toMatchObject({ code: 1, out: '', err: expect.stringContaining('funds') });
  const meta = { ledger: { ethereum: { version: '1', native_transaction_content: { gasLimit: '50000' } } } };
  const glo = {
    ...{ version: '0.1.0', type: 'transfer', meta },
    options: {
      recipient: { lookup_service: { type: 'service', value: 'service' }, resource: 'bob' },
      amount: '7',
    },
  };
  await writeFile(at('glo.json'), JSON.stringify(glo));
  const deadline = ['--deadline', new Date(Date.now() + 600_000).toISOString()];
  const sent = await shell.json('send', '--glo', at('glo.json'), ...byAlice(), ...deadline);
  expect(sent).toMatchObject({ status: 'SUCCEEDED' });
  const shown = await shell.json('action', 'show', sent.actionId ?? '');
  expect(JSON.stringify(shown)).toContain('50000');
  const past = ['--deadline', '2020-01-01T00:00:00Z'];
  expect(await shell.run('send', 'bob', '1', ...byAlice(), ...past)).toMatchObject({ code: 1, out: '' });
});

test('a batch has an answer of each operation, and takes passwords from elsewhere', async () => {
  const to = (resource: string) => ({ lookup_service: { type: 'service', value: 'service' }, resource });
  const pay = (name: string, recipient: string, dependencies: string[] = []) => ({
    ...{ name, walletId: 'alice', dependencies, tag: 'batched' },
    glo: { version: '0.1.0', type: 'transfer', options: { recipient: to(recipient), amount: '1' } },
  });
  const write = (...operations: object[]) => writeFile(at('batch.json'), JSON.stringify({ operations }));
  const batch = ['batch', at('batch.json'), '--with', `alice=${at('alice.password')}`];
  await write(pay('first', 'bob'), pay('second', 'bob', ['first']));
  const key = ['--key', 'of-this-batch'];
  const told = await shell.json<{ results: { actionId: string }[] }>(...batch, ...key);
  expect(told).toMatchObject({ accepted: 2, refused: 0, results: [{ name: 'first' }, { name: 'second' }] });
  expect(await shell.json(...batch, ...key)).toEqual(told);
  await shell.json('action', 'watch', told.results[1]?.actionId ?? '');

  await write(pay('good', 'bob'), pay('bad', 'nobody-at-all'));
  const part = await shell.run(...batch);
  expect(part).toMatchObject({ code: 3, err: expect.stringMatching(/^1 of 2 operations are refused\./) });
  expect(part.out).toMatch(/^good +PENDING +\S+ *\nbad +REFUSED +.*nobody-at-all/m);
  await write(pay('bad', 'nobody-at-all'));
  expect(await shell.run(...batch)).toMatchObject({ code: 1, out: '' });
});

test('actions are counted, and found by what they are', async () => {
  const counts = await shell.json<{ status: Record<string, number> }>('action', 'counts', '--ledger', 'main');
  expect(counts.status.SUCCEEDED).toBeGreaterThan(3);
  expect((await shell.run('action', 'counts')).out).toMatch(/^status +SUCCEEDED +\d+$/m);
  const list = (...args: string[]) => shell.json<object[]>('action', 'list', '--tag', 'rent', ...args);
  expect(await list('--type', 'transfer', '--from', '2020-01-01T00:00:00Z')).toHaveLength(1);
  for (const none of [
    ['--type', 'contract_deploy'],
    ['--to', '2020-01-01T00:00:00Z'],
    ['--pending-for', '0'],
    ['--stage', 'blocked'],
    ['--reason', 'funds'],
    ['--contract', 'token'],
    ['--caller', 'nobody'],
    ['--project', 'nothing'],
  ]) {
    expect(await list(...none), none.join(' ')).toEqual([]);
  }
  expect(await shell.run('action', 'list', '--reason', 'none')).toMatchObject({ code: 1 });
  expect(await shell.run('action', 'list', '--pending-for', 'long')).toMatchObject({ code: 2 });
});

test('a wallet has another password, and its key goes to another wallet', async () => {
  const wallet = (...args: string[]) => shell.run('wallet', ...args);
  const old = ['--password-file', at('carol.password')];
  const changed = await wallet('password', 'carol', ...old, '--new-password-file', at('carol.next'));
  expect(changed).toMatchObject({ code: 0, err: '' });
  expect((await stat(at('carol.next'))).mode & 0o777).toBe(0o600);
  const refused = await wallet('export', 'carol', ...old, '--out-file', at('carol.json'));
  expect(refused).toMatchObject({ code: 1, out: '' });
  const next = ['--password-file', at('carol.next')];
  const exported = await shell.run(
    'wallet',
    'export',
    'carol',
    ...next,
    '--out-file',
    at('carol.json'),
    '--json',
  );
  expect(JSON.parse(exported.out)).toEqual({
    ...{ walletId: 'carol', file: at('carol.json'), format: 'keystore-v3' },
  });
  expect((await stat(at('carol.json'))).mode & 0o777).toBe(0o600);
  // A person chooses the next one.
  shell.typed = ['battery staple correct horse', 'battery staple correct horse'];
  expect(await wallet('password', 'carol', ...next)).toMatchObject({ code: 0 });

  const [carol] = await shell
    .json<Record<string, string>[]>('wallet', 'list')
    .then((all) => all.filter(({ walletId }) => walletId === 'carol'));
  await shell.json('ledger', 'add', 'other', '--technology', 'ethereum', '--node', anvil.url, ...development);
  const keystore = ['--set-file', `keystore=${at('carol.json')}`];
  const opened = [...keystore, '--set-file', `keystorePassword=${at('carol.next')}`];
  const create = ['wallet', 'create', 'carol-again', '--ledger', 'other', '--new-password-file'];
  const secret = await shell.run(...create, at('again.password'), '--set', 'privateKey=0x01');
  expect(secret).toMatchObject({
    ...{ code: 2, out: '' },
    err: expect.stringContaining('Next: --set-file privateKey=<file>'),
  });
  const imported = await shell.json(...create, at('again.password'), ...opened);
  expect(imported.walletAddress).toBe(carol?.walletAddress);
  const twice = ['--set-file', 'keystore=-', '--set-file', 'keystorePassword=-'];
  expect(await shell.run(...create, at('twice.password'), ...twice)).toMatchObject({
    ...{ code: 2, err: expect.stringContaining('standard input') },
  });
  await expect(stat(at('twice.password'))).rejects.toThrow('ENOENT');
});

test('an action is made quicker, and taken back, while the ledger has not done it', async () => {
  await anvil.rpc('evm_setAutomine', [false]);
  try {
    const send = async () => (await shell.json('send', 'bob', '1', ...byAlice(), '--detach')).actionId ?? '';
    const [first, second] = [await send(), await send()];
    for (const id of [first, second])
      await expect
        .poll(() => shell.json('action', 'show', id), { timeout: 120_000 })
        .toMatchObject({ attempts: [{}] });
    expect(await shell.json('action', 'hurry', first)).toMatchObject({ status: 'PENDING' });
    expect(await shell.json('action', 'cancel', second)).toMatchObject({ actionId: second });
    // It is asked for, and sent afterwards: a block that is made before has the transfer in it.
    const addressOf = async (wallet: string) =>
      (await shell.json('wallet', 'show', wallet)).walletAddress?.toLowerCase() ?? '';
    const both = [await addressOf('alice'), await addressOf('bob')].toSorted();
    await expect.poll(recipientsInPool, { timeout: 120_000 }).toEqual(both);
    expect(await shell.run('action', 'hurry', first, '--max-fee', 'much')).toMatchObject({ code: 1 });
    const pending = async () => {
      await anvil.rpc('anvil_mine', []);
      return (await shell.run('action', 'list', '--status', 'PENDING', '--json')).out;
    };
    await expect.poll(pending, { timeout: 120_000 }).toBe('[]\n');
    expect(await shell.run('action', 'watch', first)).toMatchObject({ code: 0 });
    const cancelled = await shell.run('action', 'watch', second);
    expect(cancelled).toMatchObject({ code: 3, err: expect.stringContaining(`action explain ${second}`) });
  } finally {
    await anvil.rpc('evm_setAutomine', [true]);
  }
});

/** Of the transactions that wait on the node. */
async function recipientsInPool(): Promise<string[]> {
  const { pending } = await anvil.rpc<{ pending: Record<string, Record<string, { to: string }>> }>(
    'txpool_content',
    [],
  );
  return Object.values(pending)
    .flatMap((each) => Object.values(each).map(({ to }) => to))
    .toSorted();
}

test('the events of all actions are followed until it is stopped', async () => {
  const watch = shell.begin('action', 'watch', '--json');
  await watch.says(/^Watching /);
  const [, actionId] =
    /SUCCEEDED: (\S+),/.exec((await shell.run('send', 'bob', '1', ...byAlice())).out) ?? [];
  await watch.says(new RegExp(`"action.succeeded".*"${actionId}"`));
  const { code, out, err } = await watch.stop();
  expect([code, err]).toEqual([0, 'Watching all events that you may see, until it is stopped.\n']);
  const events = out.trimEnd().split('\n');
  expect(events.map((line) => JSON.parse(line).type)).toEqual(
    expect.arrayContaining(['action.accepted', 'action.succeeded']),
  );
});

test('a ledger is changed, has other nodes, and keeps what was not named', async () => {
  const changed = await shell.json<{ name: string; properties: object }>(
    ...['ledger', 'change', 'main', '--name', 'Main chain', '--set', 'polling_interval=25'],
  );
  expect(changed).toMatchObject({
    name: 'Main chain',
    properties: { polling_interval: 25, development: true, chain_id: 31337 },
  });
  await shell.json('node', 'add', 'main', anvil.url, '--id', 'second');
  expect((await shell.run('node', 'list', 'main')).out).toMatch(/^second +/m);
  await shell.json('node', 'change', 'second', '--default');
  await shell.json('node', 'remove', 'second');
  expect(await shell.json<object[]>('node', 'list', 'main')).toHaveLength(1);
  // Nothing stands on this one.
  await shell.json('ledger', 'add', 'short-lived', '--technology', 'ethereum', '--set', 'chain_id=31337');
  await shell.json('ledger', 'remove', 'short-lived');
  expect(await shell.run('ledger', 'show', 'short-lived')).toMatchObject({ code: 1, out: '' });
});

test('an explorer is where actions lead to, with the links that were given last', async () => {
  const at = (path: string) => `https://explorer.example/${path}`;
  const link = ['--transaction-url', at('tx/{locator}')];
  const { explorerId } = await shell.json('explorer', 'add', 'main', ...link, '--id', 'scan');
  expect(explorerId).toBe('scan');
  expect((await shell.run('explorer', 'list')).out).toMatch(/^scan +main +main +\S+$/m);
  const one = ['action', 'list', '--status', 'SUCCEEDED', '--limit', '1'];
  const [action] = await shell.json<{ actionId: string; locator: string }[]>(...one);
  expect(await shell.json('action', 'show', action?.actionId ?? '')).toMatchObject({
    explorerUrl: at(`tx/${action?.locator}`),
  });
  await shell.json('explorer', 'change', 'scan', '--address-url', at('address/{address}'));
  await shell.json('explorer', 'change', 'scan', '--name', 'Scan');
  expect(await shell.json('explorer', 'show', 'scan')).toMatchObject({
    name: 'Scan',
    implementations: [
      {
        type: 'external-explorer',
        properties: { transaction_url: at('tx/{locator}'), address_url: at('address/{address}') },
      },
    ],
  });
  for (const args of [
    ['add', 'main'],
    ['change', 'scan'],
  ])
    expect(await shell.run('explorer', ...args)).toMatchObject({ code: 2, out: '' });
  await shell.json('explorer', 'remove', 'scan');
  expect(await shell.run('explorer', 'show', 'scan')).toMatchObject({ code: 1, out: '' });
});

test('properties that nobody describes come from files alone', async () => {
  const add = (technology: string) =>
    shell.run('ledger', 'add', 'odd', '--technology', technology, '--set', 'desk_key=1');
  for (const technology of ['oddledger', 'ethereum'])
    expect(await add(technology)).toMatchObject({
      ...{ code: 2, out: '' },
      err: expect.stringContaining('--set-file desk_key=<file>'),
    });
});

test('a wallet is suspended, and its action waits until it is resumed', async () => {
  expect(await shell.run('suspend', '--reason', 'nothing is named')).toMatchObject({ code: 2, out: '' });
  const { suspensionId = '' } = await shell.json(
    ...['suspend', '--wallet', 'alice', '--reason', 'books are closed'],
  );
  const { actionId = '' } = await shell.json('send', 'bob', '1', ...byAlice(), '--detach');
  expect(await shell.json('action', 'show', actionId)).toMatchObject({
    ...{ status: 'PENDING', pending: { code: 'suspended' } },
  });
  expect((await shell.run('suspended')).out).toMatch(/alice .*books are closed/);
  await shell.json('resume', suspensionId);
  expect(await shell.json('action', 'watch', actionId)).toMatchObject({ status: 'SUCCEEDED' });
  expect((await shell.run('suspended')).out).toBe('Nothing is suspended.\n');
});

test('secrets of a ledger come from files, and are shown by nothing', async () => {
  const add = ['ledger', 'add', 'consortium', '--technology', 'hyperledger-fabric'];
  expect(await shell.run(...add, '--set', 'ca_registrar_secret=adminpw')).toMatchObject({
    ...{ code: 2, out: '' },
    err: expect.stringContaining('Next: --set-file ca_registrar_secret=<file>'),
  });
  shell.input = 'adminpw\n';
  const added = await shell.run(...add, '--set-file', 'ca_registrar_secret=-', '--json');
  const shown = await shell.run('ledger', 'show', 'consortium');
  expect([added.code, shown.code]).toEqual([0, 0]);
  expect(shown.out).toContain('ca_registrar_secret');
  expect(added.out + shown.out).not.toContain('adminpw');
});

test('who signs out is forgotten', async () => {
  expect(await shell.json('whoami')).toMatchObject({ type: 'SERVICE', application: 'administration' });
  await shell.json('logout');
  expect(await shell.run('ledger', 'list')).toMatchObject({ code: 4 });
});

testCommandsRun('first-transfer.test.ts', () => shell);
