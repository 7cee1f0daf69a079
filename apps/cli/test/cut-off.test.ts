// Whoever is cut off while an operation is sent, or waited for, is told what goes on, and how to come back to it.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FakeService, json, openFake, problem } from './fake-service.ts';
import { openShell, type Shell } from './shell.ts';

const actionId = '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12';
const send = ['send', 'bob', '1', '--from', 'alice'];
let service: FakeService;
let shell: Shell;
beforeAll(async () => {
  [service, shell] = await Promise.all([openFake(), openShell()]);
});
beforeEach(() => {
  shell.environment = service.environment;
  service.asked.length = 0;
  service.answers = {
    'POST /v1/ledger-ops/send': json({ actionId, id: actionId, intent: null, status: 'PENDING' }, 201),
    'POST /v1/ledger-ops/search/actions': json([{ actionId, status: 'PENDING' }]),
    'GET /v1/events': problem(403, 'not-permitted'),
  };
});
afterEach(() => shell.reset());
afterAll(async () => {
  await shell?.close();
  await service?.close();
});

test('an interrupted waiting names the action, and how to go on with it', async () => {
  const going = shell.begin(...send);
  await going.says(new RegExp(`^Accepted: ${actionId}\n`));
  const { code, out, err } = await going.stop();
  expect([code, out]).toEqual([130, '']);
  expect(err).toContain(`${actionId} any more; it was accepted, and goes on.`);
  expect(err).toMatch(new RegExp(`\nNext: ledger-ops action watch ${actionId}\n$`));

  const watching = shell.begin('action', 'watch', actionId, '--json');
  await expect.poll(() => service.asked.length).toBeGreaterThan(3);
  const stopped = await watching.stop();
  expect([stopped.code, JSON.parse(stopped.out)]).toEqual([
    130,
    { error: 'Interrupted.', next: `ledger-ops action watch ${actionId}`, actionId },
  ]);
});

test('a waiting that is refused names the action too', async () => {
  service.answers['POST /v1/ledger-ops/search/actions'] = problem(403, 'not-permitted');
  const { code, out, err } = await shell.run(...send, '--json');
  expect([code, JSON.parse(out)]).toMatchObject([
    1,
    { error: 'It is not-permitted.', type: 'urn:ledger-ops:problem:not-permitted', actionId },
  ]);
  expect(err).toMatch(new RegExp(`^Accepted: ${actionId}\n`));
  expect(err).toMatch(new RegExp(`\nNext: ledger-ops action watch ${actionId}\n$`));
});

test.each([
  ['no answer', 5],
  ['half of an answer', 5],
  ['an answer of a proxy', 1],
  ['an interruption', 130],
] as const)('%s to a sending: with its key it can be sent again', async (what, wanted) => {
  const reached = Promise.withResolvers<void>();
  service.answers['POST /v1/ledger-ops/send'] = (response) => {
    reached.resolve();
    if (what === 'no answer') response.destroy();
    if (what === 'half of an answer') {
      response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
      response.write('{', () => response.destroy());
    }
    if (what === 'an answer of a proxy') response.writeHead(502).end('<h1>Bad gateway</h1>');
  };
  const going = shell.begin(...send, '--json');
  await reached.promise;
  const { code, out, err } = await (what === 'an interruption' ? going.stop() : going.end);
  const keys = new Set(service.asked.map(({ key }) => key));
  expect(keys.size).toBe(1);
  const [key] = keys;
  expect([code, JSON.parse(out)]).toMatchObject([wanted, { next: `the same with --key ${key}` }]);
  expect(err).toContain('sent again with its key it happens once');
  expect(out + err).not.toMatch(/correct horse|secret/);
});

test('what the service refused was not accepted, and programs are told where it is wrong', async () => {
  const errors = [{ pointer: '/glo/options/amount', detail: 'is wrong' }];
  service.answers['POST /v1/ledger-ops/send'] = problem(400, 'invalid-request', errors);
  const { code, out, err } = await shell.run(...send, '--json');
  expect([code, JSON.parse(out)]).toEqual([
    1,
    {
      error: 'It is invalid-request. (/glo/options/amount is wrong)',
      next: 'ledger-ops send --help',
      ...{ type: 'urn:ledger-ops:problem:invalid-request', status: 400, requestId: 'r1', errors },
    },
  ]);
  expect(err).not.toContain('--key');
});

test('progress is drawn as wide as the terminal is, and tells of a service that is gone', async () => {
  const words = '\u4e2d\u6587 '.repeat(30);
  const action = json({ actionId, status: 'PENDING', pending: { code: 'x', detail: words } });
  service.answers[`GET /v1/ledger-ops/search/actions/${actionId}`] = action;
  shell.columns = 20;
  const going = shell.begin(...send);
  await going.says(/\u4e2d/);
  service.answers[`GET /v1/ledger-ops/search/actions/${actionId}`] = (response) => response.destroy();
  await going.says(/The service/);
  const { err } = await going.stop();
  const drawn = err.split('\r\u001B[K').find((line) => line.includes('\u4e2d')) ?? '';
  // Each of these is two columns wide.
  expect(drawn.length + drawn.replaceAll(/[^\u4e2d\u6587]/g, '').length).toBeLessThan(20);
  expect(drawn).toMatch(/^\d s {2}.*…$/);
});

test('columns stand below each other whatever is in them', async () => {
  const [address, createdAt] = ['0x1', '2026-11-20T12:30:05Z'];
  const wallet = (walletId: string) => ({ walletId, ledgerId: 'main', walletAddress: address, createdAt });
  const page = { pageContent: ['\u4e2d\u6587\u5e33', 'ab'].map(wallet), pageNumber: 0, totalPages: 1 };
  service.answers['GET /v1/cloud-wallet/wallets'] = json(page);
  const { out } = await shell.run('wallet', 'list');
  expect(out.split('\n').slice(1, 3)).toEqual([
    `\u4e2d\u6587\u5e33  main    ${address}      2026-11-20T12:30:05`,
    `ab      main    ${address}      2026-11-20T12:30:05`,
  ]);
});
