import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { boundedLabel } from '../../src/metrics/bounded-labels.ts';
import { metrics } from '../../src/metrics/catalogue.ts';
import {
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  logIn,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

describe('/metrics of a server with activity', () => {
  let here: Installation;
  let tenant: Tenant;
  let text = '';
  const wallets: { walletId: string; walletAddress: string }[] = [];
  const actions: string[] = [];

  beforeAll(async () => {
    here = await install({ METRICS_PORT: '0' });
    tenant = await addTenant(here.url, here.administrator, 'one');
    const { api } = tenant;
    const [from, to] = [await addWallet(here, tenant, 'from'), await addWallet(here, tenant, 'to')];
    wallets.push(from, to);
    for (const _ of [1, 2]) {
      const body = transferBody('from', to.walletAddress);
      const sent = await api.expect(201, 'POST', '/v1/ledger-ops/send', body);
      actions.push(sent.actionId ?? '');
    }
    for (const id of actions) await ended(api, id);
    await api.call('GET', '/v1/ledger-ops/search/actions/00000000-0000-7000-8000-000000000000');
    await api.call('GET', '/no/such/path');
    // Metrics may be counted after the callers got their responses.
    await vi.waitFor(async () => {
      text = await scrape();
      expect(seriesValue('ledger_ops_action_step_seconds_count{ledger="chain",step="ended"}')).toBe(2);
      expect(text).toContain('ledger_ops_http_request_seconds_count{method="GET",route="none",status="404"}');
    }, 30_000);
  });
  afterAll(() => here.close());

  async function scrape(): Promise<string> {
    const response = await fetch(here.server.metricsUrl ?? '');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    return await response.text();
  }

  /** Value of a series, which is named as on the page; undefined if the page does not contain it. */
  function seriesValue(series: string): number | undefined {
    const line = text.split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  }

  test('the metrics count actions and measure the duration of each step', () => {
    expect(seriesValue('ledger_ops_actions_total{ledger="chain",status="accepted"}')).toBe(2);
    expect(seriesValue('ledger_ops_actions_total{ledger="chain",status="succeeded"}')).toBe(2);
    expect(seriesValue('ledger_ops_actions_total{ledger="chain",status="failed"}')).toBe(0);
    for (const step of ['signed', 'sent', 'final', 'ended']) {
      const series = `ledger="chain",step="${step}"`;
      expect([step, seriesValue(`ledger_ops_action_step_seconds_count{${series}}`)]).toEqual([step, 2]);
      expect(seriesValue(`ledger_ops_action_step_seconds_sum{${series}}`)).toBeLessThan(60);
    }
    // Two transfers of 21,000 gas each, at one wei or more.
    expect(seriesValue('ledger_ops_fees_total{ledger="chain"}')).toBeGreaterThanOrEqual(42_000);
  });

  test('the counters of a ledger are reported as 0 before the first event', () => {
    for (const status of ['failed', 'cancelled'])
      expect(seriesValue(`ledger_ops_actions_total{ledger="chain",status="${status}"}`)).toBe(0);
    for (const kind of ['bump', 'noop', 'filler'])
      expect(seriesValue(`ledger_ops_replacements_total{ledger="chain",kind="${kind}"}`)).toBe(0);
  });

  test('the metrics report pending actions with their stages, reasons and ages', async () => {
    expect(seriesValue('ledger_ops_ledger_reached{ledger="chain"}')).toBe(1);
    expect(seriesValue('ledger_ops_lanes_held{ledger="chain"}')).toBe(16);
    expect(seriesValue('ledger_ops_state_read')).toBe(1);
    const { api } = tenant;
    const [{ walletAddress: to } = { walletAddress: '' }] = wallets;
    await here.anvil.rpc('evm_setAutomine', [false]);
    const first = await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('from', to));
    const second = { ...transferBody('from', to), dependencies: [first.actionId] };
    await api.expect(201, 'POST', '/v1/ledger-ops/send', second);
    let now = '';
    await vi.waitFor(async () => {
      now = await scrape();
      expect(now).toContain(
        'ledger_ops_pending_actions{ledger="chain",stage="blocked",code="dependencies"} 1\n',
      );
      expect(now).toContain(
        'ledger_ops_pending_actions{ledger="chain",stage="signed",code="confirmation"} 1\n',
      );
    }, 30_000);
    for (const stage of ['blocked', 'signed'])
      expect(now).toMatch(
        new RegExp(`ledger_ops_pending_oldest_seconds{ledger="chain",stage="${stage}"} [0-9.]+\n`),
      );
    const { pending } = await api.expect<{ pending: unknown }>(
      200,
      'GET',
      `/v1/ledger-ops/search/actions/${first.actionId}`,
    );
    expect(pending).toMatchObject({ stage: 'signed', code: 'confirmation' });
    await here.anvil.rpc('evm_setAutomine', [true]);
    await here.anvil.rpc('evm_mine', []);
    await ended(api, first.actionId ?? '');
  });

  test('the metrics measure the durations of plugin calls, database work and HTTP requests', () => {
    const confirms = 'ledger_ops_plugin_call_seconds_count{ledger="chain",method="confirm",result="ok"}';
    expect(seriesValue(confirms)).toBeGreaterThan(0);
    const sends = 'ledger="chain",method="eth_sendRawTransaction",result="ok"';
    // On a busy machine, sends may be repeated.
    expect(seriesValue(`ledger_ops_node_request_seconds_count{${sends}}`)).toBeGreaterThanOrEqual(2);
    for (const what of ['read', 'write', 'transaction'])
      expect(seriesValue(`ledger_ops_database_seconds_count{what="${what}",result="ok"}`)).toBeGreaterThan(0);
    const sent = 'method="POST",route="/v1/ledger-ops/send",status="201"';
    expect(seriesValue(`ledger_ops_http_request_seconds_count{${sent}}`)).toBe(2);
    const missing = 'method="GET",route="/v1/ledger-ops/search/actions/{actionId}",status="404"';
    expect(seriesValue(`ledger_ops_http_request_seconds_count{${missing}}`)).toBe(1);
    expect(seriesValue('ledger_ops_http_request_seconds_count{method="GET",route="none",status="404"}')).toBe(
      1,
    );
    expect(seriesValue('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
  });

  test('/metrics contains neither data about callers nor their input', () => {
    const ids = [tenant.projectId, tenant.projectUuid, tenant.appId, tenant.accountId, tenant.serviceId];
    const callerData = [
      ...ids,
      ...actions,
      ...wallets.flatMap(({ walletId, walletAddress }) => [`"${walletId}"`, walletAddress]),
    ];
    for (const one of [...callerData, 'no/such/path', 'password', tenant.apiToken])
      expect(text.includes(one), one).toBe(false);
  });

  test('/metrics contains every metric of the catalog with its description', () => {
    for (const [name, { help, type }] of Object.entries(metrics)) {
      expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
    }
  });

  test('the metrics report the highest share of each storage limit that an organization or a project uses', async () => {
    const { url, administrator, server } = here;
    const limits = `/v1/admin/organizations/${tenant.organizationId}/storage-limits`;
    const admin = await logIn(url, administrator);
    await admin.expect(200, 'PUT', `${limits}/projects`, { most: 2 });
    await admin.expect(200, 'PUT', `${limits}/project-event-bytes`, { most: 1_000 });
    await server.store.transaction((tx) =>
      tx.run('INSERT INTO storage_usage (scope, name, amount) VALUES ($1, $2, $3)', [
        ...[tenant.projectUuid, 'project-event-bytes', 900],
      ]),
    );
    text = await scrape();
    expect(seriesValue('ledger_ops_storage_used_ratio{limit="projects"}')).toBe(0.5);
    expect(seriesValue('ledger_ops_storage_used_ratio{limit="project-event-bytes"}')).toBe(0.9);
  });

  test('/metrics is the only path on its port, and the service’s port does not serve it', async () => {
    const { origin } = new URL(here.server.metricsUrl ?? '');
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:/);
    for (const path of ['/', '/livez', '/metrics/x', '/v1/ledger-ops/send'])
      expect((await fetch(origin + path)).status, path).toBe(404);
    expect((await fetch(`${origin}/metrics`, { method: 'POST', body: 'x' })).status).toBe(404);
    expect((await fetch(`${origin}/metrics`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${here.url}/metrics`)).status).toBe(404);
  });
});

test('a label with more values than allowed reports the further values as "other"', () => {
  const label = boundedLabel(2);
  expect(['a', 'b', 'c', 'a', 'd', 'b'].map(label)).toEqual(['a', 'b', 'other', 'a', 'other', 'b']);
});
