// Checks that users see exactly the values that a remote plugin reports about finished actions.
import { actionCsv } from '@ledger-ops/client/text';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Receiver, startReceiver } from '../events/receiver.ts';
import { addTenant, ended, type Installation, install, type Tenant } from '../stage/api.ts';
import { UrlPlugin } from '../stage/url-plugin.ts';

const walletPassword = 'correct horse battery staple';
const plugin = new UrlPlugin();
let here: Installation;
let tenant: Tenant;
let receiver: Receiver;

beforeAll(async () => {
  await plugin.start();
  receiver = await startReceiver();
  here = await install({ PLUGINS_ALLOWED: plugin.url, METRICS_PORT: '0' });
  tenant = await addTenant(here.url, here.administrator, 'one');
  const { api, projectId } = tenant;
  await api.expect(201, 'POST', '/v1/plugins', {
    ...{ name: 'tally', projectId, url: plugin.url, tags: ['tally'] },
  });
  await api.expect(201, 'POST', '/v1/ledgers', {
    ...{ ledgerID: 'counter', name: 'counter', projectId },
    ledgerTechnology: { ledgerTechnologyID: 'tally' },
    properties: [{ type: { name: 'polling_interval' }, value: 50 }],
  });
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId: 'payer', ledgerId: 'counter', pluginParameters: { walletPassword } },
  });
  const types = ['action.succeeded', 'action.failed'];
  const webhook = await api.expect(201, 'POST', '/v1/webhooks', { url: receiver.url, types });
  receiver.secret = webhook.secret ?? '';
});
afterAll(async () => {
  await here?.close();
  await Promise.all([plugin.close(), receiver?.close()]);
});
beforeEach(() => {
  plugin.status = {};
  plugin.isFinal = true;
});

async function send(): Promise<string> {
  const { actionId = '' } = await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', {
    ...{ walletId: 'payer', walletPassword },
    glo: {
      ...{ version: '0.1.0', type: 'transfer' },
      options: {
        recipient: { lookup_service: { type: 'ledger', value: 'tally' }, resource: 't0000000a' },
        amount: '1',
      },
    },
  });
  return actionId;
}

const read = <Body>(path: string) => tenant.api.expect<Body>(200, 'GET', path);
const actions = '/v1/ledger-ops/actions';

/** Returns everything that shows how an action completed. */
async function shown(actionId: string) {
  await ended(tenant.api, actionId);
  const action = await read<Parameters<typeof actionCsv.fee>[0]>(`${actions}/${actionId}`);
  const event = await vi.waitFor(
    () => {
      const found = receiver.received.find(({ data }) => data.actionId === actionId);
      if (found === undefined) throw new Error('The event has not arrived.');
      return found.data;
    },
    { timeout: 30_000, interval: 50 },
  );
  const explained = await read<object>(`${actions}/${actionId}/explain`);
  const { fees } = await read<{ fees: object[] }>(`${actions}/summary?range=15m`);
  const metrics = await (await fetch(here.server.metricsUrl ?? '')).text();
  return {
    action,
    csv: { fee: actionCsv.fee(action), transaction: actionCsv.transaction(action) },
    event,
    explanation: JSON.stringify(explained),
    fees,
    feeMetric: /^ledger_ops_fees_total\{[^}]*counter[^}]*\} (\d+)$/m.exec(metrics)?.[1],
  };
}

test('height, cost and fee are shown as unknown, not as 0, if the plugin does not report them', async () => {
  const seen = await shown(await send());
  expect(seen.action).toMatchObject({
    ...{ status: 'SUCCEEDED', blockHeight: null, blockTime: null, fee: null },
    attempts: [{ executed: true, fee: null, blockHeight: null, maxCost: null, signedAtHeight: null }],
  });
  expect(seen.csv).toEqual({ fee: '', transaction: expect.any(String) });
  expect(seen.event).toMatchObject({ fee: null, blockHeight: null });
  expect(seen.explanation).not.toMatch(/in block|The fee was/);
  expect(seen).toMatchObject({ fees: [], feeMetric: undefined });
  const { followed } = await read<{ followed: object[] }>('/v1/admin/ledger-health');
  expect(followed).toMatchObject([
    { ledgerId: 'counter', height: null, finalHeight: null, newestBlockAt: null },
  ]);
});

test('members that the plugin reports as null are shown as unknown, like absent ones', async () => {
  const nothing = {
    blockHeight: null,
    blockTime: null,
    fee: null,
    transactions: null,
    contractAddress: null,
  };
  plugin.status = { details: { locator: null, ...nothing } };
  expect(await shown(await send())).toMatchObject({
    action: { status: 'SUCCEEDED', blockHeight: null, blockTime: null, fee: null },
    csv: { fee: '' },
    event: { fee: null, blockHeight: null },
    fees: [],
    feeMetric: undefined,
  });
  plugin.status = {};
});

test('height, time, fee and transactions that the plugin reports are shown', async () => {
  const details = {
    ...{ locator: 'tx-2', blockHeight: 7, blockTime: 1_700_000_000_000, fee: '3' },
    transactions: ['tx-1', 'tx-2'],
  };
  plugin.status = { details };
  const seen = await shown(await send());
  const at = { fee: '3', blockHeight: 7 };
  expect(seen.action).toMatchObject({
    ...{ status: 'SUCCEEDED', locator: 'tx-2', blockTime: '2023-11-14T22:13:20.000Z', ...at },
    details: { transactions: ['tx-1', 'tx-2'] },
    attempts: [{ txId: 'tx-2', executed: true, signedAtHeight: null, ...at }],
  });
  expect(seen.csv).toEqual({ fee: '3', transaction: 'tx-2' });
  expect(seen.event).toMatchObject(at);
  expect(seen.explanation).toContain('in block 7. The fee was 3 TLY.');
  expect(seen).toMatchObject({ fees: [{ ledgerId: 'counter', amount: '3' }], feeMetric: '3' });
});

test('a fee of 0 that the plugin reports is shown as 0, even for a failed transaction', async () => {
  const problem = { type: 'about:blank', title: 'refused', status: 422, detail: 'Not today.' };
  plugin.status = { status: 'FAILED', problem, details: { locator: 'tx-3', blockHeight: 0, fee: '0' } };
  const actionId = await send();
  expect((await shown(actionId)).action).toMatchObject({
    ...{ status: 'FAILED', fee: '0', blockHeight: 0 },
    attempts: [{ txId: 'tx-3', executed: true, fee: '0', blockHeight: 0 }],
  });
});

test('while an action is pending, its transaction has the id that the plugin returned', async () => {
  plugin.isFinal = false;
  const actionId = await send();
  await expect
    .poll(() => read<object>(`${actions}/${actionId}`), { timeout: 30_000 })
    .toMatchObject({ status: 'PENDING', attempts: [{ executed: false, maxCost: null, settledAt: null }] });
  plugin.isFinal = true;
  await ended(tenant.api, actionId);
});

test.each([
  ['after the last date of JavaScript', 8_640_000_000_000_001],
  ['in microseconds', 1_700_000_000_000_000],
  ['in the year 10000', 253_402_300_800_000],
])('an action whose block time is %s completes, and can be read and listed', async (_, blockTime) => {
  plugin.status = { details: { locator: `tx-${blockTime}`, blockHeight: 7, blockTime } };
  const actionId = await send();
  expect(await ended(tenant.api, actionId)).toMatchObject({ status: 'SUCCEEDED' });
  expect(JSON.stringify(await read(actions))).toContain(actionId);
  const { action, event } = await shown(actionId);
  expect(action).toMatchObject({ status: 'SUCCEEDED', blockHeight: 7 });
  for (const { blockTime: time } of [action, event] as { blockTime?: string | null }[])
    if (typeof time === 'string') expect(time).toMatch(/^\d{4}-\d\d-\d\dT/);
});

test.each([8_640_000_000_000_001, 253_402_300_800_000])(
  'an action that is stored with the impossible block time %i can be read and listed',
  async (blockTime) => {
    const actionId = await send();
    await ended(tenant.api, actionId);
    const { store } = here.server;
    await store.transaction((tx) =>
      tx.run('UPDATE action SET block_time = $1 WHERE id = $2', [blockTime, actionId]),
    );
    expect(await read(`${actions}/${actionId}`)).toMatchObject({ status: 'SUCCEEDED', blockTime: null });
    const listed = await read<{ actions: object[] }>(actions);
    expect(listed.actions).toContainEqual(expect.objectContaining({ actionId, blockTime: null }));
    await read(`${actions}/${actionId}/explain`);
  },
);
