import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineState, PluginStatus } from '@ledger-ops/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort, openFolder } from '../../../testing/children.ts';
import { type Metric, metrics } from '../src/metrics/catalogue.ts';
import { createMetrics } from '../src/metrics/create-metrics.ts';
import { type MetricsEndpoint, serveMetrics } from '../src/metrics/endpoint.ts';
import { createStateReader } from '../src/metrics/state.ts';
import { addTenant, addWallet, ended, type Installation, install, transferBody } from './api.ts';

const deploy = new URL('../../../deploy/', import.meta.url);
const alerts = readFileSync(new URL('prometheus/alerts.yaml', deploy), 'utf8');
const rules = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

test('alerts and dashboards name only metrics that exist', async () => {
  const text = await createMetrics({ version: '1', database: 'sqlite' }).text();
  const known = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
  // Prometheus' own, of a target.
  known.add('up');
  for (const [name, { type }] of Object.entries<Metric>(metrics)) {
    if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) known.add(`${name}_${part}`);
  }
  const dashboards = readdirSync(new URL('grafana/', deploy)).map((file) =>
    readFileSync(new URL(`grafana/${file}`, deploy), 'utf8'),
  );
  expect(dashboards.length).toBeGreaterThan(0);
  for (const page of [alerts, ...dashboards]) {
    const named = [...page.matchAll(/\b(?:ledger_ops|nodejs|process)_\w+|\bup\{/g)].map(([name]) =>
      name.replace('{', ''),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  }
});

const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;
if (!hasPrometheus)
  console.warn(
    'Skipped: Prometheus does not scrape, for there is no program `prometheus` (apt-get install prometheus).',
  );

/** Rules that load alone on this machine may set off. */
const byLoad = new Set(['LedgerOpsServerDown', 'LedgerOpsEventLoopBlocked', 'LedgerOpsDatabaseSlow']);

describe.skipIf(!hasPrometheus)('Prometheus, with waits and windows of the rules made short', () => {
  let here: Installation;
  let provoked: Provoked;
  let prometheus: ChildProcess;
  let folder: Awaited<ReturnType<typeof openFolder>>;
  let url = '';

  beforeAll(async () => {
    [here, provoked, folder] = await Promise.all([
      install({ METRICS_PORT: '0' }),
      openProvoked(),
      openFolder(),
    ]);
    const tenant = await addTenant(here.url, here.administrator, 'one');
    const wallet = await addWallet(here, tenant, 'wallet');
    const body = transferBody('wallet', wallet.walletAddress);
    const { actionId = '' } = await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', body);
    await ended(tenant.api, actionId);
    const short = alerts
      .replaceAll(/for: \d+m/g, 'for: 0s')
      .replaceAll(/\[\d+m\]/g, '[10s]')
      .replaceAll('offset 1h', 'offset 5s');
    writeFileSync(join(folder.path, 'alerts.yaml'), short);
    const targets = [new URL(here.server.metricsUrl ?? '').host, `127.0.0.1:${provoked.endpoint.port}`];
    // JSON is YAML.
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: ['alerts.yaml'],
      scrape_configs: [{ job_name: 'ledger-ops', static_configs: [{ targets }] }],
    };
    writeFileSync(join(folder.path, 'prometheus.yml'), JSON.stringify(config));
    const address = `127.0.0.1:${await freePort()}`;
    url = `http://${address}`;
    prometheus = spawn(
      'prometheus',
      [
        `--config.file=${join(folder.path, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder.path, 'data')}`,
        `--web.listen-address=${address}`,
        '--log.level=error',
      ],
      { stdio: 'ignore' },
    );
  });
  afterAll(async () => {
    const gone = once(prometheus, 'exit');
    prometheus.kill('SIGKILL');
    await gone;
    await provoked.close();
    await here.close();
    await folder.remove();
  });

  /** Values of a query by the named label. */
  async function query(text: string, label: string): Promise<Map<string, number>> {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(text)}`);
    // As Prometheus' API says.
    const { data } = (await response.json()) as {
      data: { result: { metric: Record<string, string>; value: [number, string] }[] };
    };
    return new Map(data.result.map(({ metric, value }) => [metric[label] ?? '', Number(value[1])]));
  }

  const fired = async () =>
    new Set((await query('max_over_time(ALERTS{alertstate="firing"}[10m])', 'alertname')).keys());
  const soon = { timeout: 60_000, interval: 250 };

  test('scrapes a server, and each rule fires by its cause, told to the meters of a second one, and not before', async () => {
    await vi.waitFor(
      async () => expect((await query('ledger_ops_state_read', 'instance')).size).toBe(2),
      soon,
    );
    // Windows are full of what is well.
    await vi.waitFor(
      async () =>
        expect((await query('count_over_time(ledger_ops_state_read[10s]) > 8', 'instance')).size).toBe(2),
      soon,
    );
    expect([...(await fired())].filter((name) => !byLoad.has(name))).toEqual([]);

    // One cause is real besides: the server's ledger has no node any more.
    await here.anvil.stop();
    provoked.break();
    const others = rules.filter((name) => name !== 'LedgerOpsServerDown');
    await vi.waitFor(async () => expect([...(await fired())]).toEqual(expect.arrayContaining(others)), soon);
    const unreached = 'max_over_time(ALERTS{alertname="LedgerOpsLedgerNotReached",alertstate="firing"}[10m])';
    await vi.waitFor(
      async () =>
        expect([...(await query(unreached, 'ledger')).keys()].toSorted()).toEqual(['broken', 'chain']),
      soon,
    );

    await provoked.close();
    await vi.waitFor(async () => expect(await fired()).toEqual(new Set(rules)), soon);
  }, 200_000);
});

/** A `/metrics` whose meters are told what a test wants. */
interface Provoked {
  readonly endpoint: MetricsEndpoint;
  /** From now on everything goes wrong. */
  break(): void;
  close(): Promise<void>;
}

async function openProvoked(): Promise<Provoked> {
  const own = createMetrics({ version: '1', database: 'postgres' });
  const { runtime: meter, store, http, instruments, ledger } = own;
  const status: PluginStatus = {
    ...{ loaded: true, technology: 'x', version: '1', lastError: null, latency: null },
    ...{ restarts: 0, isolation: null },
  };
  let isBroken = false;
  const state = (): EngineState => ({
    pending: isBroken
      ? [
          { ledgerId: 'broken', stage: 'ready', code: 'funds', count: 3, oldest: Date.now() - 3_600_000 },
          { ledgerId: 'broken', stage: 'signed', code: 'late', count: 1, oldest: Date.now() - 3_600_000 },
        ]
      : [],
    ledgers: [{ ledgerId: 'broken', isReached: !isBroken, lanes: isBroken ? 15 : 16 }],
    retracted: isBroken ? [{ ledgerId: 'broken', count: 2 }] : [],
  });
  let answers = 0;
  const readState = createStateReader({
    ...{ instruments, ledger, now: Date.now },
    webhooks: {
      state: async () =>
        isBroken
          ? { pending: 7, oldest: Date.now() - 7_200_000, disabled: 1 }
          : { pending: 0, oldest: null, disabled: 0 },
    },
    runtime: {
      async state() {
        answers += 1;
        // Now and then the database does not answer.
        if (isBroken && answers % 4 === 0) throw new Error('The database does not answer.');
        return state();
      },
      plugins: {
        running: () => [
          { pluginId: 'plugin', status: { ...status, loaded: !isBroken, restarts: isBroken ? 5 : 0 } },
        ],
      },
    },
  });
  const request = { requestId: '', method: 'GET', route: '/livez', ms: 1 };
  const more = { appId: undefined, problem: undefined, error: undefined };
  const timer = setInterval(() => {
    meter.action('broken', isBroken ? 'failed' : 'succeeded');
    meter.called('broken', 'confirm', isBroken ? 'unavailable' : 'ok', 5);
    for (let n = 0; n < 50; n += 1) if (isBroken) meter.replacement('broken', 'bump');
    store.took('transaction', isBroken ? 20_000 : 2, true);
    http({ ...request, ...more, status: isBroken ? 500 : 200 });
    const until = performance.now() + (isBroken ? 700 : 0);
    while (performance.now() < until);
  }, 1_000);
  const endpoint = await serveMetrics({
    ...{ host: '127.0.0.1', port: 0, contentType: own.contentType },
    failed() {},
    async text() {
      await readState();
      return await own.text();
    },
  });
  let closing: Promise<void> | undefined;
  return {
    endpoint,
    break() {
      isBroken = true;
    },
    close() {
      clearInterval(timer);
      closing ??= endpoint.close();
      return closing;
    },
  };
}
