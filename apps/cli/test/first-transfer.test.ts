// Runs the commands of the documentation from an empty folder to a first transfer, and then commands for the
// later states of actions.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endAll } from '../../../testing/children.ts';
import { testCommandsRun } from './commands-run.ts';
import type { Shell } from './shell.ts';
import { openStage, type Stage } from './stage.ts';

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

test('init creates a folder that only its owner can read, with a key, and refuses a folder that is not empty', async () => {
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

test('only the owner can read the profiles file, and no output shows its secrets', async () => {
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

test('adds and shows a ledger', async () => {
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

test('an error about a record or a node states the cause and the next step only once', async () => {
  const add = (id: string, node: string) =>
    shell.run('ledger', 'add', id, '--technology', 'ethereum', '--node', node, ...development);
  const again = await add('main', anvil.url);
  expect(again.err).toMatch(/^[^(]* already exists\.\n.*\nNext: the same command with another id\n$/);
  const silent = await add('silent', 'http://127.0.0.1:9');
  expect(silent.err).toMatch(
    /cannot be reached on port 9.*\nNext: check that the node runs and that its URL/s,
  );
  const refused = await add('refused', 'http://10.0.0.9:9');
  expect(refused.err.match(/private address/g)).toHaveLength(1);
});

test('creates wallets with a password from a new file, standard input, or a prompt', async () => {
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
  // The two entries differ. A mistyped password would make the wallet unusable.
  shell.typed = ['correct horse battery staple', 'correct horse battery stapel'];
  expect(await shell.run('wallet', 'create', 'dora', '--ledger', 'main')).toMatchObject({ code: 2 });
  shell.typed = ['correct horse battery staple', 'correct horse battery staple'];
  await shell.json('wallet', 'create', 'dora', '--ledger', 'main');
  const twice = ['wallet', 'create', 'bob', '--ledger', 'main', '--password-file', at('alice.password')];
  expect((await shell.run(...twice)).err).toMatch(
    /^A wallet with the id bob already exists in this project\.\n/,
  );
  const listed = await shell.json<Record<string, string>[]>('wallet', 'list', '--ledger', 'main');
  expect(listed.map(({ walletId }) => walletId).toSorted()).toEqual(['alice', 'bob', 'dora']);
  await anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
});

test('if wallet create is killed and run again, it uses the same generated password', async () => {
  const file = at('carol.password');
  const create = ['wallet', 'create', 'carol', '--ledger', 'main'];
  // A server that never responds. The command is killed before it knows whether the wallet was created.
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

test('sends a transfer and shows its result', async () => {
  const sent = await shell.run('send', 'bob', '1000 wei', ...byAlice(), '--tag', 'rent');
  expect(sent).toMatchObject({ code: 0, err: expect.stringMatching(/^Accepted: \S+\n$/) });
  expect(sent.out).toMatch(/^SUCCEEDED: [0-9a-f-]{36}, transaction 0x[0-9a-f]{64}\n$/);
  const [, actionId = ''] = /SUCCEEDED: (\S+),/.exec(sent.out) ?? [];
  expect(await shell.json('wallet', 'show', 'bob')).toMatchObject({ balance: '1000' });
  expect((await shell.run('wallet', 'show', 'bob')).out).toContain('balance        0.000000000000001 ETH\n');
  const [row] = await shell.json<Record<string, string>[]>('action', 'list', '--tag', 'rent');
  expect(row).toMatchObject({ actionId, status: 'SUCCEEDED', walletId: 'alice' });
  expect((await shell.run('action', 'list', '--tag', 'rent')).out).toContain('0.000000000000001 ');
  expect(await shell.json('action', 'show', actionId)).toMatchObject({ actionId });
  expect((await shell.run('action', 'explain', actionId)).out).toContain('bob');
  expect((await shell.run('action', 'watch', actionId)).out).toContain('SUCCEEDED');
});

test('reads the password for a transfer from a variable, or prompts for it', async () => {
  shell.environment = { LEDGER_OPS_WALLET_PASSWORD: 'wrong wrong wrong wrong' };
  const wrong = await shell.run('send', 'bob', '1 wei', '--from', 'alice');
  expect(wrong).toMatchObject({ code: 1, out: '' });
  expect(wrong.err).toMatch(/password.*\nNext: /s);
  shell.environment = {};
  const asked = await shell.run('send', 'bob', '1 wei', '--from', 'alice');
  expect(asked).toMatchObject({ code: 2, out: '' });
  expect(asked.err).toContain('LEDGER_OPS_WALLET_PASSWORD');
  shell.typed = [(await readFile(at('alice.password'), 'utf8')).trim()];
  await shell.json('send', `ethereum:0x${'ab'.repeat(20)}`, '1 wei', '--from', 'alice');
  // "till" is not a technology, so "till:carol" is the id of an unknown wallet.
  const unknown = await shell.run('send', 'till:carol', '1 wei', '--from', 'alice');
  expect(unknown.err).toMatch(/till:carol/);
});

test('sends amounts in the ledger’s currency, or in a named unit', async () => {
  const amountOf = async (...amount: string[]) => {
    const { actionId = '' } = await shell.json('send', 'bob', ...amount, ...byAlice(), '--detach');
    return (await shell.json('action', 'show', actionId)).amount;
  };
  expect(await amountOf('0.05')).toBe('50000000000000000');
  expect(await amountOf('0.05 eth')).toBe('50000000000000000');
  expect(await amountOf('20', '--unit', 'gwei')).toBe('20000000000');
  for (const [amount, unit, why] of [
    [
      '1',
      'lamports',
      'The ledger’s currency is ETH, so an amount cannot be in lamports. Its units are: ETH, wei, gwei, smallest.',
    ],
    ['0.5', 'wei', '0.5 is not a whole number of wei.'],
    ['1 ETH', 'wei', 'The amount is in ETH, but --unit is wei.'],
  ] as const) {
    const { code, err } = await shell.run('send', 'bob', amount, '--unit', unit, ...byAlice());
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  }
  const much = await shell.run('send', 'bob', '1000', ...byAlice(), '--json');
  expect(much.err).toMatch(/holds \d+\.\d+ ETH, but this operation can cost up to 1000\.\d+ ETH/);
  expect(JSON.parse(much.out)).toMatchObject({ required: expect.stringMatching(/^1000\d+$/) });
});

test('wallet list shows balances in the currency of the ledger', async () => {
  const { out } = await shell.run('wallet', 'list');
  expect(out).toMatch(/^WALLET +LEDGER +ADDRESS +BALANCE +CREATED\n/);
  expect(out).toMatch(/^bob +main +0x[0-9a-fA-F]{40} +0\.\d+ ETH +2/m);
  const csv = (await shell.run('--csv', 'wallet', 'list', '--ledger', 'main')).out;
  expect(csv).toMatch(/^wallet,ledger,address,balance,unit,created\r\n/);
  expect(csv).toMatch(/^dora,main,0x[0-9a-fA-F]{40},0,ETH,\d{4}-\d\d-\d\dT[\d:.]+Z\r\n/m);
});

test('ledger health reports that all ledgers work', async () => {
  expect(await shell.run('ledger', 'health')).toMatchObject({
    code: 0,
    out: 'No ledger has a known problem.\n',
  });
});

test('tail prints a sentence per event, and open prints the URL of a record’s page', async () => {
  const going = shell.begin('tail', '--wallet', 'alice');
  await going.says(/^Watching the events of the wallet alice[.] /);
  await shell.run('send', 'bob', '0.25', ...byAlice());
  await going.says(/UTC\+01:00 {2}SUCCEEDED +0\.25 ETH from alice to bob {2}[0-9a-f-]{36}\n/);
  expect(await going.stop()).toMatchObject({ code: 0 });
  expect((await shell.run('open', 'wallet', 'alice')).out).toMatch(/^http:.*[/]console[/]wallets[/]alice\n$/);
});

test('search finds wallets by name and address, and actions by transaction id', async () => {
  const { walletAddress = '' } = await shell.json('wallet', 'show', 'alice');
  for (const text of ['alice', walletAddress, walletAddress.slice(0, 10)])
    expect((await shell.run('search', text)).out).toMatch(new RegExp(`\\nwallet +alice +${walletAddress}`));
  const { actionId = '' } = await shell.json('send', 'bob', '0.125', ...byAlice());
  expect((await shell.run('search', actionId)).out).toMatch(
    /\naction +[0-9a-f-]{36} +0\.125 ETH from alice to bob +SUCCEEDED\n/,
  );
  expect(await shell.json('search', actionId)).toMatchObject([{ kind: 'action', id: actionId }]);
  expect(await shell.run('search', 'nowhere')).toMatchObject({
    code: 0,
    out: 'Nothing found for nowhere.\n',
  });
});

test('timeline lists changes as sentences, with names and local times', async () => {
  await shell.run('send', 'bob', '0.0625', ...byAlice());
  const newest = (await shell.run('timeline')).out;
  expect(newest).toMatch(/^WHEN +WHO +WHAT\n/);
  expect(newest).toMatch(/ UTC\+01:00 {2}administrator +sent 0\.0625 ETH from alice to bob\n/);
  const wallets = await shell.run('timeline', '--type', 'wallet', '--order', 'oldest', '--limit', '1');
  expect(wallets.out).toMatch(/ {2}administrator +created the wallet alice on the ledger main\n$/);
  expect((await shell.run('timeline', '--resource', 'dora')).out.split('\n')).toHaveLength(3);
  expect(await shell.json('timeline', '--resource', 'dora')).toMatchObject([
    { action: 'create', resourceId: 'dora' },
  ]);
  expect(await shell.run('timeline', '--from', '2100-01-01T00:00:00Z')).toMatchObject({
    ...{ code: 0, out: 'No matching changes.\n' },
  });
  expect(await shell.run('timeline', '--action', 'create')).toMatchObject({
    ...{ code: 2, err: expect.stringContaining('--action requires --service') },
  });
  expect(await shell.run('timeline', '--from', 'yesterday')).toMatchObject({
    ...{ code: 1, err: expect.stringContaining('--from') },
  });
});

test('a transfer sent with --detach can be followed later', async () => {
  const detached = await shell.json('send', 'bob', '1 wei', ...byAlice(), '--detach');
  expect(detached).toMatchObject({ status: 'PENDING' });
  expect(await shell.json('action', 'watch', detached.actionId ?? '')).toMatchObject({ status: 'SUCCEEDED' });
});

test('simulates an operation with --dry-run, and sends it from a file', async () => {
  const tried = await shell.json('send', 'bob', '1000 wei', '--from', 'alice', '--dry-run');
  expect(tried).toMatchObject({ fee: expect.stringMatching(/^[1-9]\d*$/), warnings: [] });
  const unfunded = await shell.run('send', 'bob', '1000 wei', '--from', 'dora', '--dry-run');
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
  expect(await shell.run('send', 'bob', '1 wei', ...byAlice(), ...past)).toMatchObject({ code: 1, out: '' });
});

test('a batch prints one result per operation, and reads passwords from files or the environment', async () => {
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
  expect(part).toMatchObject({ code: 3, err: expect.stringMatching(/^1 of 2 operations were refused\./) });
  expect(part.out).toMatch(/^good +PENDING +\S+ *\nbad +REFUSED +.*nobody-at-all/m);
  await write(pay('bad', 'nobody-at-all'));
  expect(await shell.run(...batch)).toMatchObject({ code: 1, out: '' });
});

test('counts actions, and filters them by their properties', async () => {
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

test('changes a wallet’s password, and moves its key to another wallet', async () => {
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
  // The user enters the new password.
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

test('speeds up and cancels an action that is still pending', async () => {
  await anvil.rpc('evm_setAutomine', [false]);
  try {
    const send = async () =>
      (await shell.json('send', 'bob', '1 wei', ...byAlice(), '--detach')).actionId ?? '';
    const [first, second] = [await send(), await send()];
    for (const id of [first, second])
      await expect
        .poll(() => shell.json('action', 'show', id), { timeout: 120_000 })
        .toMatchObject({ attempts: [{}] });
    expect(await shell.json('action', 'hurry', first)).toMatchObject({ status: 'PENDING' });
    expect(await shell.json('action', 'cancel', second)).toMatchObject({ actionId: second });
    // The addresses are read first, because a block mined in between would remove the transfers from the pool.
    const addressOf = async (wallet: string) =>
      (await shell.json('wallet', 'show', wallet)).walletAddress?.toLowerCase() ?? '';
    const both = [await addressOf('alice'), await addressOf('bob')].toSorted();
    await expect.poll(recipientsInPool, { timeout: 120_000 }).toEqual(both);
    expect(await shell.run('action', 'hurry', first, '--max-fee', 'much')).toMatchObject({ code: 2 });
    const pending = async () => {
      await anvil.rpc('anvil_mine', []);
      return (await shell.run('action', 'list', '--status', 'PENDING', '--json')).out;
    };
    await expect.poll(pending, { timeout: 120_000 }).toBe('[]\n');
    expect(await shell.run('action', 'watch', first)).toMatchObject({ code: 0 });
    const cancelled = await shell.run('action', 'watch', second);
    expect(cancelled).toMatchObject({ code: 3, err: expect.stringContaining(`action explain ${second}`) });
    const shown = (await shell.run('action', 'show', second)).out;
    expect(shown).toMatch(/^status +CANCELED\noperation +0\.000000000000000001 \S+ to bob$/m);
    expect(await shell.json('action', 'list', '--status', 'canceled')).toMatchObject([{ actionId: second }]);
    expect((await shell.run('action', 'list', '--status', 'canceled', '--csv')).out).toMatch(
      new RegExp(
        `^id,accepted,.*\\r\\n${second},.*,CANCELED,Transfer 0\\.0+1 ETH to bob,transfer,alice,main,`,
      ),
    );
    expect((await shell.run('action', 'list', '--status', 'failed')).out).toMatch(
      new RegExp(`^${second} +CANCELED +alice +0\\.000000000000000001 \\S+ to bob `, 'm'),
    );
  } finally {
    await anvil.rpc('evm_setAutomine', [true]);
  }
});

/** Recipients of the transactions in the node's mempool. */
async function recipientsInPool(): Promise<string[]> {
  const { pending } = await anvil.rpc<{ pending: Record<string, Record<string, { to: string }>> }>(
    'txpool_content',
    [],
  );
  return Object.values(pending)
    .flatMap((each) => Object.values(each).map(({ to }) => to))
    .toSorted();
}

test('follows the events of all actions until interrupted', async () => {
  const watch = shell.begin('action', 'watch', '--json');
  await watch.says(/^Watching /);
  const [, actionId] =
    /SUCCEEDED: (\S+),/.exec((await shell.run('send', 'bob', '1 wei', ...byAlice())).out) ?? [];
  await watch.says(new RegExp(`"action.succeeded".*"${actionId}"`));
  const { code, out, err } = await watch.stop();
  expect([code, err]).toEqual([0, 'Watching all events that you can see. Ctrl-C stops.\n']);
  const events = out.trimEnd().split('\n');
  expect(events.map((line) => JSON.parse(line).type)).toEqual(
    expect.arrayContaining(['action.accepted', 'action.succeeded']),
  );
});

test('changes the settings and nodes of a ledger, and keeps properties that were not given', async () => {
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
  // A ledger that nothing depends on can be removed.
  await shell.json('ledger', 'add', 'short-lived', '--technology', 'ethereum', '--set', 'chain_id=31337');
  await shell.json('ledger', 'remove', 'short-lived');
  expect(await shell.run('ledger', 'show', 'short-lived')).toMatchObject({ code: 1, out: '' });
});

test('actions link to an explorer with its latest URL templates', async () => {
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

test('a property that the technology does not define is accepted only from a file', async () => {
  const add = (technology: string) =>
    shell.run('ledger', 'add', 'odd', '--technology', technology, '--set', 'desk_key=1');
  expect(await add('ethereum')).toMatchObject({
    ...{ code: 2, out: '' },
    err: expect.stringContaining('--set-file desk_key=<file>'),
  });
  expect(await add('oddledger')).toMatchObject({
    ...{ code: 2, out: '' },
    err: expect.stringContaining('--technology ethereum or hyperledger-fabric or solana'),
  });
});

test('an action of a suspended wallet waits until it is resumed', async () => {
  expect(await shell.run('suspend', '--reason', 'nothing is named')).toMatchObject({ code: 2, out: '' });
  const { suspensionId = '' } = await shell.json(
    ...['suspend', '--wallet', 'alice', '--reason', 'books are closed'],
  );
  const { actionId = '' } = await shell.json('send', 'bob', '1 wei', ...byAlice(), '--detach');
  expect(await shell.json('action', 'show', actionId)).toMatchObject({
    ...{ status: 'PENDING', pending: { code: 'suspended' } },
  });
  expect((await shell.run('suspended')).out).toMatch(/alice .*books are closed .* administrator$/m);
  const { suspensionId: ofLedger = '' } = await shell.json(
    'suspend',
    '--ledger',
    'main',
    '--reason',
    'new node',
  );
  const { suspensionId: ofProject = '' } = await shell.json(
    'suspend',
    '--project',
    'administration',
    '--reason',
    'audit',
  );
  const { out: shown } = await shell.run('wallet', 'show', 'alice');
  for (const why of [
    'wallet alice: books are closed',
    'ledger main: new node',
    'project administration: audit',
  ])
    expect(shown).toContain(why);
  expect((await shell.run('ledger', 'show', 'main')).out).toMatch(/^suspended +ledger main: new node$/m);
  for (const one of [ofLedger, ofProject]) await shell.json('resume', one);
  expect((await shell.run('action', 'explain', actionId)).out).toContain('suspended by administrator since');
  const other = await shell.run('resume', '--ledger', 'main');
  expect(other).toMatchObject({ code: 1, err: expect.stringMatching(/^main is not suspended\./) });
  expect(await shell.run('resume', suspensionId, '--wallet', 'alice')).toMatchObject({ code: 2, out: '' });
  expect(await shell.json('resume', '--wallet', 'alice')).toEqual({ suspensionId });
  expect(await shell.json('action', 'watch', actionId)).toMatchObject({ status: 'SUCCEEDED' });
  expect((await shell.run('suspended')).out).toBe('Nothing is suspended.\n');
});

test('suspends, shows and resumes a ledger of another project', async () => {
  await shell.json('org', 'create', 'mills');
  await shell.json('project', 'create', 'mill', '--org', 'mills');
  const add = ['ledger', 'add', 'mill-chain', '--technology', 'ethereum', '--node', anvil.url];
  await shell.json(...add, ...development, '--project', 'mill');
  const { suspensionId } = await shell.json('suspend', '--ledger', 'mill-chain', '--reason', 'new node');
  expect((await shell.run('ledger', 'show', 'mill-chain')).out).toMatch(
    /^suspended +ledger mill-chain: new node$/m,
  );
  expect(await shell.json('resume', '--ledger', 'mill-chain')).toEqual({ suspensionId });
  expect(await shell.run('resume', '--ledger', 'mill-chain')).toMatchObject({
    ...{ code: 1, err: expect.stringMatching(/^mill-chain is not suspended\./) },
  });
  expect(await shell.run('resume', '--ledger', 'unknown')).toMatchObject({
    ...{
      code: 1,
      err: expect.stringMatching(/^The ledger unknown does not exist or is not visible to you\./),
    },
  });
  expect(await shell.json('plugin', 'selection', 'mill-chain')).toMatchObject({ ledgerId: 'mill-chain' });
  const wallet = [
    'wallet',
    'create',
    'miller',
    '--ledger',
    'mill-chain',
    '--new-password-file',
    at('miller'),
  ];
  expect(await shell.run(...wallet)).toMatchObject({
    ...{
      code: 1,
      err: expect.stringContaining('must be a ledger of your project, or one that all projects use'),
    },
  });
  expect((await shell.run('ledger', 'remove', 'mill-chain')).code).toBe(0);
});

test('sets whether a wallet is exclusive, and lists its unknown transactions', async () => {
  expect(await shell.json('wallet', 'show', 'alice')).toMatchObject({ exclusive: true });
  expect((await shell.run('wallet', 'exclusive', 'alice', 'no')).out).toBe('alice is not exclusive.\n');
  expect(await shell.json('wallet', 'exclusive', 'alice', 'yes')).toMatchObject({ exclusive: true });
  expect((await shell.run('wallet', 'exclusive', 'alice', 'maybe')).code).toBe(2);
  expect((await shell.run('wallet', 'unknown', 'alice')).out).toBe('No unknown transactions.\n');
  const { actionId = '' } = await shell.json('send', 'bob', '1 wei', ...byAlice(), '--detach');
  const { locator = '' } = await shell.json('action', 'watch', actionId);
  expect((await shell.run('action', 'executed', actionId, locator)).out).toContain('SUCCEEDED');
  const other = await shell.run('action', 'executed', actionId, `0x${'1'.repeat(64)}`);
  expect(other).toMatchObject({ code: 1, err: expect.stringContaining('already SUCCEEDED') });
});

test('a wallet with unknown transactions is resumed after its matching actions were released', async () => {
  const { walletAddress: from } = await shell.json('wallet', 'show', 'alice');
  const { walletAddress: to } = await shell.json('wallet', 'show', 'bob');
  // The service notices the outside transaction before the action is signed.
  const { suspensionId = '' } = await shell.json('suspend', '--wallet', 'alice', '--reason', 'a test');
  const { actionId = '' } = await shell.json('send', 'bob', '3 wei', ...byAlice(), '--detach');
  await anvil.rpc('anvil_impersonateAccount', [from]);
  const txId = await anvil.rpc<string>('eth_sendTransaction', [{ from, to, value: '0x3' }]);
  expect((await shell.run('resume', suspensionId)).code).toBe(0);
  const isNoticed = async () => (await shell.run('suspended')).out.includes('unknown transactions');
  await vi.waitFor(async () => expect(await isNoticed()).toBe(true), { timeout: 60_000, interval: 100 });

  expect((await shell.run('wallet', 'unknown', 'alice')).out).toContain(`${txId}`);
  const refused = await shell.run('resume', '--wallet', 'alice');
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`${actionId} by the transaction`) });
  expect(refused.err).toContain('--release');
  const other = await shell.run('resume', '--wallet', 'alice', '--release', 'another');
  expect(other).toMatchObject({
    code: 1,
    err: expect.stringContaining('No unknown transaction matches the action another'),
  });
  expect(await shell.run('resume', '--ledger', 'main', '--release', actionId)).toMatchObject({ code: 2 });
  expect((await shell.run('resume', '--wallet', 'alice', '--release', actionId)).out).toBe(
    `Released ${actionId}: it was not executed by ${txId}.\nResumed alice.\n`,
  );
  expect(await shell.json('action', 'watch', actionId)).toMatchObject({ status: 'SUCCEEDED' });
});

test('secrets of a ledger come from files and are never shown', async () => {
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

test('signing out deletes the profile’s credentials', async () => {
  expect(await shell.json('whoami')).toMatchObject({ type: 'SERVICE', application: 'administration' });
  await shell.json('logout');
  expect(await shell.run('ledger', 'list')).toMatchObject({ code: 4 });
});

testCommandsRun('first-transfer.test.ts', () => shell);
