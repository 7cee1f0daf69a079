// Options of operations, as the service is sent them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FakeService, json, openFake, problem } from './fake-service.ts';
import { openShell, type Shell } from './shell.ts';

const actionId = '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12';
const walletPassword = 'correct horse battery staple';
const detached = ['--from', 'alice', '--detach'];
let service: FakeService;
let shell: Shell;
const at = (name: string) => join(shell.home, name);
const bodies = (path: string) =>
  service.asked.filter(({ what }) => what === `POST ${path}`).map(({ body }) => body);
const lastSent = () => bodies('/v1/ledger-ops/send').at(-1);
beforeAll(async () => {
  [service, shell] = await Promise.all([openFake(), openShell()]);
});
beforeEach(() => {
  shell.environment = service.environment;
  service.asked.length = 0;
  const emulated = { result: null, fee: '21000', figures: {}, overrides: [], warnings: ['It is late.'] };
  service.answers = {
    'POST /v1/ledger-ops/send': json({ actionId, id: actionId, intent: null, status: 'PENDING' }, 201),
    'POST /v1/ledger-ops/emulate': json(emulated),
    'GET /v1/technologies': json({ technologies: [] }),
  };
});
afterEach(() => shell.reset());
afterAll(async () => {
  await shell?.close();
  await service?.close();
});

test('meta is JSON or a file, and other wallets come with files of their passwords', async () => {
  const meta = { ledger: { some: { version: '1', native_transaction_content: { fee_payer: 'bank' } } } };
  const content = JSON.stringify(meta);
  await writeFile(at('meta.json'), content);
  await writeFile(at('bank.password'), 'battery staple correct\n');
  const wallets = ['--with', `bank=${at('bank.password')}`];
  for (const given of [content, `@${at('meta.json')}`]) {
    await shell.json(
      ...['call', 'my-token', 'pay', '5', ...detached, ...wallets, '--meta', given],
      ...['--deadline', '2030-11-20T12:30:00+01:00'],
    );
    expect(lastSent()).toMatchObject({
      ...{ walletId: 'alice', walletPassword, deadline: '2030-11-20T11:30:00.000Z' },
      wallets: [{ walletId: 'bank', walletPassword: 'battery staple correct' }],
      glo: { type: 'contract_call', meta, options: { method_name: 'pay', args: ['5'] } },
    });
  }
  await shell.json('deploy', 'coin:1', ...detached, '--meta', content);
  expect(lastSent()).toMatchObject({ glo: { type: 'contract_deploy', meta } });
  expect(lastSent()).not.toHaveProperty('wallets');
});

test('a dry run sends nothing, and no password unless a file of it is named', async () => {
  await writeFile(at('password'), walletPassword);
  const dry = ['call', 'my-token', 'pay', '--from', 'alice', '--dry-run'];
  expect(await shell.run(...dry)).toMatchObject({ code: 0, out: expect.stringMatching(/^fee +21000$/m) });
  await shell.json(...dry, '--password-file', at('password'));
  const [without, as] = bodies('/v1/ledger-ops/emulate');
  expect(without).toEqual({ walletId: 'alice', glo: expect.anything() });
  expect(as).toMatchObject({ walletId: 'alice', walletPassword });
  expect(lastSent()).toBeUndefined();
});

test('a record that is not there is looked for in its own list', async () => {
  for (const [pointer, list] of [
    ['/walletId', 'wallet list'],
    ['/glo/options/recipient/resource', 'wallet list'],
    ['/glo/options/contract_instance/resource', 'contract list'],
    ['/glo/options/contract_source/resource', 'template list'],
    ['/ledgerId', 'ledger list'],
    ['/role', 'role list'],
  ]) {
    service.answers['POST /v1/ledger-ops/send'] = problem(404, 'not-found', [{ pointer, detail: 'is not' }]);
    const { code, err } = await shell.run('send', 'bob', '1', ...detached);
    expect([code, err]).toEqual([1, expect.stringContaining(`\nNext: ledger-ops ${list} shows `)]);
  }
});

test('a property that is mistyped is said to be so, with those that there are', async () => {
  const ledgerProperties = { properties: { chain_id: {}, key: { writeOnly: true } } };
  service.answers['GET /v1/technologies'] = json({
    ...{ technologies: [{ name: 'some', ledgerProperties }], ledgerProperties: { properties: { tags: {} } } },
  });
  const add = ['ledger', 'add', 'main', '--technology', 'some', '--node', 'https://node.test'];
  const mistyped = await shell.run(...add, '--set', 'chain=3');
  expect(mistyped).toMatchObject({
    code: 2,
    err: expect.stringContaining('it may be mistyped, or a secret'),
  });
  expect(mistyped.err).toContain('Next: one of chain_id, key, tags; else --set-file chain=<file>\n');
  expect(await shell.run(...add, '--set', 'key=3')).toMatchObject({
    ...{ code: 2, err: 'key may be a secret, and is no argument.\nNext: --set-file key=<file>\n' },
  });
});

test('what would be sent as something else is not sent', async () => {
  await writeFile(at('glo.json'), '{"version": "0.1.0", "options": {"amount": 12345678901234567890}}');
  await writeFile(at('list.json'), '[]');
  const wrong = async (...args: string[]) => {
    const { code, err } = await shell.run(...args);
    expect([code, service.asked.filter(({ what }) => what.startsWith('POST'))]).toEqual([2, []]);
    return err;
  };
  expect(await wrong('send', '--glo', at('glo.json'), ...detached)).toContain('write it as a text');
  expect(await wrong('send', '--glo', at('list.json'), ...detached)).toContain('no JSON object');
  expect(await wrong('send', 'bob', '1', '--glo', at('glo.json'), ...detached)).toContain('--glo is a whole');
  expect(await wrong('send', 'bob', ...detached)).toContain('An amount is needed');
  expect(await wrong('send', 'bob', '1', ...detached, '--meta', '{')).toContain('The meta is no JSON.');
  expect(await wrong('send', 'bob', '1', ...detached, '--deadline', '2030-11-20')).toContain('with its zone');
  expect(await wrong('send', 'bob', '1', ...detached, '--with', 'bank')).toContain('wallet=file');
  expect(
    await wrong('send', 'bob', '1', ...detached, '--dry-run', '--with', `bank=${at('glo.json')}`),
  ).toContain('--dry-run goes without --with');
  expect(await wrong('batch', at('list.json'))).toContain('is no batch');
  expect(await wrong('batch', at('nothing.json'))).toContain(
    'cannot be read: there is no such file or folder.',
  );
});

test('passwords of a batch are looked for once a wallet', async () => {
  const glo = { version: '0.1.0', type: 'transfer', options: {} };
  const operations = [
    { walletId: 'alice', glo, wallets: [{ walletId: 'bank' }] },
    { walletId: 'alice', glo, tag: 'again' },
    { walletId: 'carol', walletPassword: 'of the file itself', glo },
  ];
  await writeFile(at('batch.json'), JSON.stringify({ allOrNothing: true, operations }));
  shell.environment = { ...service.environment, LEDGER_OPS_WALLET_PASSWORD: '' };
  shell.typed = ['of alice', 'of the bank'];
  service.answers['POST /v1/ledger-ops/batch'] = problem(422, 'batch-refused', [
    { pointer: '/operations/1/glo', detail: 'is wrong' },
  ]);
  const { code, out } = await shell.run('batch', at('batch.json'), '--json');
  expect([code, JSON.parse(out)]).toMatchObject([1, { errors: [{ pointer: '/operations/1/glo' }] }]);
  expect(bodies('/v1/ledger-ops/batch')).toEqual([
    {
      allOrNothing: true,
      operations: [
        {
          ...{ walletId: 'alice', walletPassword: 'of alice', glo },
          wallets: [{ walletId: 'bank', walletPassword: 'of the bank' }],
        },
        { walletId: 'alice', walletPassword: 'of alice', glo, tag: 'again' },
        { walletId: 'carol', walletPassword: 'of the file itself', glo },
      ],
    },
  ]);
});
