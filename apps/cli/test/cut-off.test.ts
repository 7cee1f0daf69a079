// An interrupted command prints which operations continue, and how to follow them.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FakeService, json, openFake, problem } from './fake-service.ts';
import { openShell, type Shell } from './shell.ts';

const actionId = '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12';
const send = ['send', 'bob', '1 smallest', '--from', 'alice'];
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

test('an interrupted wait prints the action’s id and how to continue', async () => {
  const going = shell.begin(...send);
  await going.says(new RegExp(`^Accepted: ${actionId}\n`));
  const { code, out, err } = await going.stop();
  expect([code, out]).toEqual([130, '']);
  expect(err).toContain(`${actionId}; it was accepted and continues.`);
  expect(err).toMatch(new RegExp(`\nNext: ledger-ops action watch ${actionId}\n$`));

  const watching = shell.begin('action', 'watch', actionId, '--json');
  await expect.poll(() => service.asked.length).toBeGreaterThan(3);
  const stopped = await watching.stop();
  expect([stopped.code, JSON.parse(stopped.out)]).toEqual([
    130,
    { error: 'Interrupted.', next: `ledger-ops action watch ${actionId}`, actionId },
  ]);
});

test('if the service refuses to let the user follow the action, prints the action’s id', async () => {
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
  ['no response', 5],
  ['a truncated response', 5],
  ['an error of a proxy', 1],
  ['an interruption', 130],
] as const)(
  'after %s, prints the idempotency key with which the operation can be sent again',
  async (what, wanted) => {
    const reached = Promise.withResolvers<void>();
    service.answers['POST /v1/ledger-ops/send'] = (response) => {
      reached.resolve();
      if (what === 'no response') response.destroy();
      if (what === 'a truncated response') {
        response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
        response.write('{', () => response.destroy());
      }
      if (what === 'an error of a proxy') response.writeHead(502).end('<h1>Bad gateway</h1>');
    };
    const going = shell.begin(...send, '--json');
    await reached.promise;
    const { code, out, err } = await (what === 'an interruption' ? going.stop() : going.end);
    const keys = new Set(service.asked.map(({ key }) => key));
    expect(keys.size).toBe(1);
    const [key] = keys;
    expect([code, JSON.parse(out)]).toMatchObject([wanted, { next: `the same command with --key ${key}` }]);
    expect(err).toContain('Send it again with the same key: it is executed only once.');
    expect(out + err).not.toMatch(/correct horse|secret/);
  },
);

test('watching an unknown action says that there is none, not that it continues', async () => {
  service.answers['POST /v1/ledger-ops/search/actions'] = json([]);
  const { code, err } = await shell.run('action', 'watch', actionId);
  expect([code, err]).toEqual([
    1,
    `The action ${actionId} does not exist or is not visible to you.\nNext: \`ledger-ops action list\` shows the ids that you can access\n`,
  ]);
});

test('if the user may not see the action that was sent, prints its id', async () => {
  service.answers['POST /v1/ledger-ops/search/actions'] = json([]);
  const { code, out } = await shell.run(...send, '--json');
  expect([code, JSON.parse(out)]).toMatchObject([
    1,
    { actionId, next: `ledger-ops action watch ${actionId}` },
  ]);
});

test.each([
  ['GET /v1/cloud-wallet/wallets/none', ['wallet', 'show', 'none'], '`ledger-ops wallet list`'],
  ['GET /v1/ledger-ops/actions/none', ['action', 'show', 'none'], '`ledger-ops action list`'],
  ['GET /v1/admin/accounts/none/tokens', ['token', 'list', 'none'], '`ledger-ops account list`'],
  ['POST /v1/ledger-ops/send', send, '`ledger-ops wallet list`'],
  // `node list` needs a ledger, so the advice cannot name the whole command.
  ['PUT /v1/admin/nodes/none', ['node', 'change', 'none', '--url', 'http://x'], 'use the list command'],
])(
  'if the server answers %s with 404, the error names the command that lists such records',
  async (what, args, next) => {
    service.answers[what] = problem(404, 'not-found');
    service.answers['GET /v1/admin/nodes/none'] = problem(404, 'not-found');
    const { code, err } = await shell.run(...args);
    expect(code).toBe(1);
    expect(err).toContain(`\nNext: ${next} `);
  },
);

test('if a changing request gets no response, the error says that the change may have been made, and how to find out', async () => {
  service.answers['POST /v1/webhooks'] = (response) => response.destroy();
  const { code, err } = await shell.run(
    ...['webhook', 'add', 'https://shop.example/hook', '--out-file', `${shell.home}/secret`],
  );
  expect(code).toBe(5);
  expect(err).toContain('POST /v1/webhooks may have been executed.');
  expect(err).toMatch(/\nNext: use the list command for the record to find out whether it was executed/);
});

test('reports that a refused operation was not accepted, with the JSON pointer in the JSON output', async () => {
  const errors = [{ pointer: '/glo/options/amount', detail: 'is wrong' }];
  service.answers['POST /v1/ledger-ops/send'] = problem(400, 'invalid-request', errors);
  const { code, out, err } = await shell.run(...send, '--json');
  expect([code, JSON.parse(out)]).toEqual([
    1,
    {
      error: 'It is invalid-request. (<amount> is wrong)',
      next: 'ledger-ops send --help',
      ...{ type: 'urn:ledger-ops:problem:invalid-request', status: 400, requestId: 'r1', errors },
    },
  ]);
  expect(err).not.toContain('--key');
});

test('the progress line fits the terminal’s width, and reports an unreachable service', async () => {
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
  // These Chinese characters are two columns wide.
  expect(drawn.length + drawn.replaceAll(/[^\u4e2d\u6587]/g, '').length).toBeLessThan(20);
  expect(drawn).toMatch(/^\d s {2}.*…$/);
});

test('columns are aligned even with wide characters', async () => {
  const [address, createdAt] = ['0x1', '2026-11-20T12:30:05Z'];
  const wallet = (walletId: string) => ({ walletId, ledgerId: 'main', walletAddress: address, createdAt });
  const page = { pageContent: ['\u4e2d\u6587\u5e33', 'ab'].map(wallet), pageNumber: 0, totalPages: 1 };
  service.answers['GET /v1/cloud-wallet/wallets'] = json(page);
  service.answers['GET /v1/admin/ledgers/main'] = problem(403, 'not-permitted');
  for (const one of page.pageContent)
    service.answers[`GET /v1/cloud-wallet/wallets/${encodeURIComponent(one.walletId)}`] = json({
      ...one,
      balance: '7',
    });
  const { out } = await shell.run('wallet', 'list');
  expect(out.split('\n').slice(1, 3)).toEqual([
    `\u4e2d\u6587\u5e33  main    ${address}      7        2026-11-20 13:30:05 UTC+01:00`,
    `ab      main    ${address}      7        2026-11-20 13:30:05 UTC+01:00`,
  ]);
});
