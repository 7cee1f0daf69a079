// Tests how the options of operations are sent to the service.
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

test('accepts meta as JSON or from a file, and passwords of other wallets from files', async () => {
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

test('a dry run sends no operation, and sends a password only with --password-file', async () => {
  await writeFile(at('password'), walletPassword);
  service.answers['GET /v1/cloud-wallet/wallets/alice'] = problem(404, 'not-found');
  const dry = ['call', 'my-token', 'pay', '--from', 'alice', '--dry-run'];
  expect(await shell.run(...dry)).toMatchObject({ code: 0, out: expect.stringMatching(/^fee +21000$/m) });
  await shell.json(...dry, '--password-file', at('password'));
  const [without, as] = bodies('/v1/ledger-ops/emulate');
  expect(without).toEqual({ walletId: 'alice', glo: expect.anything() });
  expect(as).toMatchObject({ walletId: 'alice', walletPassword });
  expect(lastSent()).toBeUndefined();
});

test('a dry run omits the password for ledgers that simulate without signatures', async () => {
  await writeFile(at('password'), walletPassword);
  service.answers['GET /v1/cloud-wallet/wallets/alice'] = problem(404, 'not-found');
  const refused = problem(422, 'unsupported-operation', [{ pointer: '/walletPassword', detail: 'is not' }]);
  const simulated = service.answers['POST /v1/ledger-ops/emulate'];
  service.answers['POST /v1/ledger-ops/emulate'] = (response, request) => {
    const body = bodies('/v1/ledger-ops/emulate').at(-1);
    return (Object.hasOwn(body ?? {}, 'walletPassword') ? refused : simulated)?.(response, request);
  };
  const dry = ['call', 'my-token', 'pay', '--from', 'alice', '--dry-run', '--password-file', at('password')];
  expect(await shell.run(...dry)).toMatchObject({ code: 0, out: expect.stringMatching(/^fee +21000$/m) });
});

test('suggests the list command for a missing record', async () => {
  for (const [pointer, list] of [
    ['/walletId', 'wallet list'],
    ['/glo/options/recipient/resource', 'wallet list'],
    ['/glo/options/contract_instance/resource', 'contract list'],
    ['/glo/options/contract_source/resource', 'template list'],
    ['/ledgerId', 'ledger list'],
    ['/role', 'role list'],
  ]) {
    service.answers['POST /v1/ledger-ops/send'] = problem(404, 'not-found', [{ pointer, detail: 'is not' }]);
    const { code, err } = await shell.run('send', 'bob', '1 smallest', ...detached);
    expect([code, err]).toEqual([1, expect.stringContaining(`\nNext: \`ledger-ops ${list}\` shows `)]);
  }
});

const onlySome = json({ technologies: [{ name: 'some' }], ledgerProperties: {} });

test('the error for an invalid value contains the option or argument, and a command that helps', async () => {
  service.answers['GET /v1/technologies'] = onlySome;
  const invalid = async (pointer: string, ...args: string[]) => {
    const detail = `${pointer}: is not usable`;
    const [path, send] = ['POST /v1/ledger-ops/send', 'POST /v1/admin/ledgers'];
    const body = { type: 'urn:ledger-ops:problem:no-plugin', title: 'No', status: 422, detail };
    const refusal = json({ ...body, errors: [{ pointer, detail: 'is not usable' }] }, 422);
    Object.assign(service.answers, { [path]: refusal, [send]: refusal });
    const { err } = await shell.run(...args);
    return [err.split(':')[0], /^Next: (.*)$/m.exec(err)?.[1]];
  };
  const next = 'ledger-ops ledger technologies';
  const send = ['send', 'bob', '1 smallest', ...detached];
  expect(await invalid('/walletId', ...send)).toEqual(['--from', next]);
  expect(await invalid('/glo/options/amount', ...send)).toEqual(['<amount>', next]);
  expect(await invalid('/glo/options/recipient/resource', ...send)).toEqual(['<to>', next]);
  expect(await invalid('/dependencies/0', ...send)).toEqual(['--after', next]);
  const call = ['call', 'token', 'mint', 'bob', '[1]', ...detached];
  const methods = '`ledger-ops contract methods <contract>` shows the arguments of its methods';
  expect(await invalid('/glo/options/args', ...call)).toEqual(['<args>', methods]);
  expect(await invalid('/glo/options/args/1', ...call)).toEqual(['argument 2', methods]);
  expect(await invalid('/glo/options/args/1/0/amount', ...call)).toEqual([
    'argument 2, item 1, amount',
    methods,
  ]);
  expect(await invalid('/unknown', ...send)).toEqual(['/unknown', next]);
  const add = ['ledger', 'add', 'main', '--technology', 'some', '--node', 'https://node.test'];
  expect(await invalid('/technology', ...add)).toEqual(['--technology', next]);
  expect(await invalid('/ledgerId', ...add)).toEqual(['<ledgerId>', next]);
  expect(await invalid('/nodes/0/uri', ...add)).toEqual(['--node', next]);
  expect(await invalid('/properties/chain_id', ...add)).toEqual(['--set chain_id', next]);
});

test('suggests existing names for a mistyped property', async () => {
  const ledgerProperties = { properties: { chain_id: {}, key: { writeOnly: true } } };
  service.answers['GET /v1/technologies'] = json({
    ...{ technologies: [{ name: 'some', ledgerProperties }], ledgerProperties: { properties: { tags: {} } } },
  });
  const add = ['ledger', 'add', 'main', '--technology', 'some', '--node', 'https://node.test'];
  const mistyped = await shell.run(...add, '--set', 'chain=3');
  expect(mistyped).toMatchObject({
    code: 2,
    err: expect.stringContaining('some has no property chain. It may be mistyped, or a secret'),
  });
  expect(mistyped.err).toContain('Next: one of chain_id, key, tags, or --set-file chain=<file>\n');
  expect(await shell.run(...add, '--set', 'key=3')).toMatchObject({
    ...{
      code: 2,
      err: 'key may be a secret, so it cannot be passed on the command line.\nNext: --set-file key=<file>\n',
    },
  });
});

test('rejects an unknown technology before it checks the properties', async () => {
  const named = (name: string) => ({ name, ledgerProperties: { properties: { chain_id: {} } } });
  const technologies = [named('ethereum'), named('solana')];
  service.answers['GET /v1/technologies'] = json({ technologies, ledgerProperties: {} });
  const add = (technology: string) =>
    shell.run(
      ...['ledger', 'add', 'main', '--technology', technology, '--node', 'https://node.test'],
      ...['--set', 'chain_id=1'],
    );
  const shortened = await add('eth');
  expect(shortened).toMatchObject({ code: 2, out: '' });
  expect(shortened.err).toMatch(
    /technology eth\.\nNext: --technology ethereum; to list all: ledger-ops ledger technologies/,
  );
  expect((await add('Ethereum')).err).toContain('Next: --technology ethereum;');
  expect((await add('bitcoin')).err).toContain('Next: --technology ethereum or solana;');
  const plain = ['ledger', 'add', 'main', '--technology', 'solanna', '--node', 'https://node.test'];
  expect((await shell.run(...plain)).err).toContain('Next: --technology solana;');
  expect((await shell.run('read', 'Sol:address', 'total')).err).toContain('Next: solana:address');
  expect(service.asked.map(({ what }) => what)).not.toContain('POST /v1/admin/ledgers');
});

test('suggests --from and --ledger if the ledger of a read is unknown, but not for other errors', async () => {
  const read = (...options: string[]) => shell.run('read', 'my-token', 'total', ...options);
  const missing = [{ pointer: '/walletId', detail: 'is required' }];
  for (const refused of [problem(404, 'not-found'), problem(400, 'invalid-request', missing)]) {
    service.answers['POST /v1/ledger-ops/emulate'] = refused;
    const unplaced = await read();
    expect(unplaced).toMatchObject({ code: 2, out: '' });
    expect(unplaced.err).toContain('my-token is not a registered contract that you can see');
    expect(unplaced.err).toContain('add --from <wallet> or --ledger <ledger>');
    for (const option of ['--from', '--ledger']) {
      expect((await read(option, 'gone')).err).not.toContain('registered contract');
    }
  }
  service.answers['POST /v1/ledger-ops/emulate'] = problem(422, 'execution-failed');
  expect((await read()).err).toContain('It is execution-failed.');
});

test('suggests OUTBOUND_OPEN for a node with a private address', async () => {
  service.answers['GET /v1/technologies'] = onlySome;
  const refusal = (host: string) =>
    json(
      {
        ...{ type: 'urn:ledger-ops:problem:address-not-opened', title: 'Not opened', status: 422 },
        detail: `Node ${host}: ${host} has a private address that this server does not allow. Its deployer can add the address to OUTBOUND_OPEN.`,
      },
      422,
    );
  const advised = async (host: string) => {
    service.answers['POST /v1/admin/ledgers'] = refusal(host);
    const add = ['ledger', 'add', 'main', '--technology', 'some', '--node', `http://${host}:8545`];
    return (await shell.run(...add)).err.split('\n').find((line) => line.startsWith('Next: '));
  };
  expect(await advised('10.0.0.1')).toMatch(/OUTBOUND_OPEN=10\.0\.0\.1 ledger-ops serve \(commas/);
  expect(await advised('[fd00::1]')).toMatch(/OUTBOUND_OPEN=fd00::1 ledger-ops serve \(commas/);
  expect(await advised('localhost')).toMatch(/OUTBOUND_OPEN=127\.0\.0\.1,::1 ledger-ops serve \(commas/);
  expect(await advised('node.internal')).toMatch(
    /OUTBOUND_OPEN=<its address or network> ledger-ops serve \(commas/,
  );
});

test('rejects values that JSON would change or the service would misread', async () => {
  await writeFile(at('glo.json'), '{"version": "0.1.0", "options": {"amount": 12345678901234567890}}');
  await writeFile(at('list.json'), '[]');
  const wrong = async (...args: string[]) => {
    const { code, err } = await shell.run(...args);
    expect([code, service.asked.filter(({ what }) => what.startsWith('POST'))]).toEqual([2, []]);
    return err;
  };
  expect(await wrong('send', '--glo', at('glo.json'), ...detached)).toContain('Write it as a string');
  expect(await wrong('send', '--glo', at('list.json'), ...detached)).toContain('must be a JSON object');
  expect(await wrong('send', 'bob', '1 smallest', '--glo', at('glo.json'), ...detached)).toContain(
    '--glo is a complete',
  );
  expect(await wrong('send', 'bob', ...detached)).toContain('An amount is required');
  expect(await wrong('send', 'bob', '1 smallest', ...detached, '--meta', '{')).toContain(
    '--meta is not valid JSON.',
  );
  expect(await wrong('send', 'bob', '1 smallest', ...detached, '--deadline', '2030-11-20')).toContain(
    'with a time zone',
  );
  expect(await wrong('send', 'bob', '1 smallest', ...detached, '--with', 'bank')).toContain('wallet=file');
  expect(
    await wrong('send', 'bob', '1 smallest', ...detached, '--dry-run', '--with', `bank=${at('glo.json')}`),
  ).toContain('--dry-run cannot be combined with --with');
  expect(await wrong('batch', at('list.json'))).toContain('is not a valid batch');
  expect(await wrong('batch', at('nothing.json'))).toContain(
    'cannot be read: there is no such file or folder.',
  );
});

test('reads the password of each wallet in a batch once', async () => {
  const glo = { version: '0.1.0', type: 'transfer', options: {} };
  const operations = [
    { walletId: 'alice', glo, wallets: [{ walletId: 'bank' }] },
    { walletId: 'alice', glo, tag: 'again' },
    { walletId: 'carol', walletPassword: 'from the batch file', glo },
  ];
  await writeFile(at('batch.json'), JSON.stringify({ allOrNothing: true, operations }));
  shell.environment = { ...service.environment, LEDGER_OPS_WALLET_PASSWORD: '' };
  shell.typed = ['of alice', 'password of bank'];
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
          wallets: [{ walletId: 'bank', walletPassword: 'password of bank' }],
        },
        { walletId: 'alice', walletPassword: 'of alice', glo, tag: 'again' },
        { walletId: 'carol', walletPassword: 'from the batch file', glo },
      ],
    },
  ]);
});

test('watching an action whose result a reorg removed prints RETRACTED instead of its status', async () => {
  const retracted = { at: '2026-11-20T12:31:05Z', detail: 'Block 7 was removed.' };
  const action = { actionId, status: 'SUCCEEDED', locator: '0x01', contractAddress: null, retracted };
  service.answers['POST /v1/ledger-ops/search/actions'] = json([action]);
  expect(await shell.run('action', 'watch', actionId)).toMatchObject({
    ...{ code: 3, out: '' },
    err: `RETRACTED: ${actionId}. Block 7 was removed.\nNext: ledger-ops action explain ${actionId}\n`,
  });
});
