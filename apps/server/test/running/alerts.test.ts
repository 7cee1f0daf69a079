import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemUid } from '@ledger-ops/auth';
import { type Anvil, type RpcProxy, startAnvil, startProxy, tokenTemplate } from '@ledger-ops/devnet';
import { openStore } from '@ledger-ops/store';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../../../testing/children.ts';
import { isFaultsRun } from '../../../../testing/faults.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type Metric, metrics } from '../../src/metrics/catalogue.ts';
import { createMetrics } from '../../src/metrics/create-metrics.ts';
import { startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { startReceiver } from '../events/receiver.ts';
import {
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  logIn,
  masterKey,
  nobody,
  send,
  type Tenant,
  transferBody,
} from '../stage/api.ts';
import { tally, UrlPlugin } from '../stage/url-plugin.ts';
import { startRelay } from './relay.ts';

const deploy = new URL('../../../../deploy/', import.meta.url);
const alerts = readFileSync(new URL('prometheus/alerts.yaml', deploy), 'utf8');
const rules = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

test('alerts and dashboards name only existing metrics', async () => {
  const text = await createMetrics({ version: '1', database: 'sqlite' }).text();
  const known = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
  // Prometheus itself provides the metric `up` of each target.
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

test('every metric is on a dashboard panel', () => {
  const page = readFileSync(new URL('grafana/ledger-ops.json', deploy), 'utf8');
  const shown = new Set([...page.matchAll(/\bledger_ops_\w+/g)].map(([name]) => name));
  const parts = ['', '_bucket', '_sum', '_count'];
  const isShown = (name: string) => parts.some((part) => shown.has(name + part));
  expect(Object.keys(metrics).filter((name) => !isShown(name))).toEqual([]);
});

const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;
if (!hasPrometheus)
  console.warn(
    'Skipped: scraping, because the program `prometheus` is missing (apt-get install prometheus).',
  );

test.skipIf(!hasPrometheus)('the Prometheus configuration and rules of the compose files are valid', () => {
  const path = fileURLToPath(new URL('prometheus/prometheus.yaml', deploy));
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'config', path], { encoding: 'utf8' });
  expect({ status, said: stdout + stderr }).toMatchObject({
    status: 0,
    said: expect.stringContaining(' rules found'),
  });
});

/** Alerts that may fire only because the test machine is busy. */
const byLoad = new Set(['LedgerOpsServerDown', 'LedgerOpsEventLoopBlocked', 'LedgerOpsDatabaseSlow']);

/** A plugin module whose process exits again and again while there is a file `crash` next to it. */
const crashing = `import { existsSync } from 'node:fs';
setInterval(() => {
  if (existsSync(new URL('./crash', import.meta.url))) process.exit(3);
}, 50);
const nothing = async () => undefined;
export default {
  name: 'crashing', technology: 'crashing', version: '1.0.0', interfaceVersion: '0.1.0', keyType: 'secp256k1',
  description: { title: 'Crashing', addresses: { account: { pattern: '^.+$', example: 'a' } } },
  capabilities: { operations: ['transfer'], sequence: 'account', replacement: false, emulation: false, lookup: false, balance: false },
  readInterface: async () => ({ interface: '', methods: [] }),
  open: async () => ({ chain: async () => ({ id: 'crashing:1', genesis: 'genesis' }), onHead: () => () => undefined, close: nothing }),
};`;

// Runs only with the fault tests, because it takes more than a minute. In every run, the test of
// docs/tutorials/prometheus.md fires one alert.
describe.runIf(hasPrometheus && isFaultsRun)('Prometheus with shortened alert rules', () => {
  let here: Installation;
  let tenant: Tenant;
  let postgres: PostgresCluster;
  let databaseUrl = '';
  let relay: Awaited<ReturnType<typeof startRelay>>;
  const remote = new UrlPlugin();
  /** Another chain with manual mining, and the proxy in front of its node. */
  let slow: Anvil;
  let front: RpcProxy;
  let prometheus: ChildProcess;
  let folder: Awaited<ReturnType<typeof openFolder>>;
  let url = '';
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    [postgres, folder, slow] = await Promise.all([
      openPostgres(),
      openFolder(),
      startAnvil({ mining: 'manual', chainId: 31_338 }),
    ]);
    closing.push(
      () => folder.remove(),
      () => postgres.stop(),
      () => slow.stop(),
    );
    front = await startProxy(slow.url);
    closing.push(() => front.close());
    await remote.start();
    closing.push(() => remote.close());
    databaseUrl = await postgres.createDatabase();
    const relayed = new URL(databaseUrl);
    relay = await startRelay(Number(relayed.port));
    closing.push(() => relay.goDown());
    relayed.port = String(relay.port);
    here = await install(
      {
        METRICS_PORT: '0',
        DATABASE_URL: relayed.href,
        PLUGINS_ALLOWED: `file:${folder.path},${remote.url}`,
        MAX_CONNECTIONS_PER_ADDRESS: '200',
      },
      [],
      {
        ...{ tick: 200, lease: 3_000, idleConfirm: 500, balanceAge: 0, historyAgain: 200, probe: 200 },
        ...{
          patience: 1_000,
          patienceBlocks: 1,
          idlePatience: 1_000,
          replaceAgain: 200,
          replaceAgainBlocks: 1,
        },
        ...{ historyResend: 1_000, resendLost: { first: 100, longest: 1_000 } },
      },
      { look: 100, again: { first: 200, longest: 500 }, disable: 5_000 },
    );
    closing.push(() => here.close());
    await here.server.store.transaction((tx) =>
      here.server.registry.createLedger(tx, {
        ...{ ledgerId: 'slow', name: 'slow', technology: 'ethereum', projectUid: null },
        ...{ parentResourceUid: systemUid, nodes: [{ uri: front.url }] },
        properties: { chain_id: slow.chainId, polling_interval: 200, max_in_flight: 100 },
      }),
    );
    tenant = await addTenant(here.url, here.administrator, 'one');
    await addWallet(here, tenant, 'wallet');
    await ended(tenant.api, await send(tenant, 'wallet'));
    const short = alerts
      .replaceAll(/for: \d+m/g, 'for: 0s')
      .replaceAll('[15m]', '[1m]')
      .replaceAll('[5m]', '[10s]')
      .replaceAll('offset 1h', 'offset 5s')
      .replaceAll(/_(oldest|behind)_seconds(\{.*?\})?\) > \d+/g, '_$1_seconds$2) > 3');
    writeFileSync(join(folder.path, 'alerts.yaml'), short);
    const targets = [new URL(here.server.metricsUrl ?? '').host];
    // JSON is valid YAML.
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
    closing.push(async () => {
      const gone = once(prometheus, 'exit');
      prometheus.kill('SIGKILL');
      await gone;
    });
  }, 300_000);
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  /** Runs a query, and returns the values of its series by this label. */
  async function query(text: string, label: string): Promise<Map<string, number>> {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(text)}`);
    // As documented in Prometheus' API.
    const { data } = (await response.json()) as {
      data: { result: { metric: Record<string, string>; value: [number, string] }[] };
    };
    return new Map(data.result.map(({ metric, value }) => [metric[label] ?? '', Number(value[1])]));
  }

  const soon = { timeout: 180_000, interval: 250 };
  const fired = async () =>
    new Set((await query('max_over_time(ALERTS{alertstate="firing"}[10m])', 'alertname')).keys());
  const provoked = new Set<string>();

  async function awaitFired(names: ReadonlySet<string>, cause: () => Promise<void>): Promise<void> {
    await vi.waitFor(async () => {
      await cause();
      const all = await fired();
      expect([...names].filter((name) => !all.has(name))).toEqual([]);
    }, soon);
  }

  /** Provokes a cause, repeatedly if necessary, until the named alerts have fired. No other alert may fire. */
  async function fire(names: readonly string[], cause: () => Promise<void>): Promise<void> {
    const short = new Set(names.map((name) => `LedgerOps${name}`));
    expect([...short].filter((name) => provoked.has(name))).toEqual([]);
    const expected = new Set([...provoked, ...short]);
    await awaitFired(expected, cause);
    const unexpected = [...(await fired())].filter((name) => !expected.has(name) && !byLoad.has(name));
    expect(unexpected).toEqual([]);
    for (const name of short) provoked.add(name);
  }
  const nothing = async () => {};

  async function addSlowWallet(walletId: string): Promise<string> {
    const { walletAddress = '' } = await tenant.api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
      ...{ walletId, ledgerId: 'slow' },
      pluginParameters: { walletPassword: transferBody(walletId, nobody).walletPassword },
    });
    await slow.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
    return walletAddress;
  }

  /** Mines blocks until an action has ended; returns its status. */
  async function endedBy(node: Anvil, actionId: string): Promise<string> {
    return await vi.waitFor(async () => {
      await node.rpc('anvil_mine', ['0x1']);
      const { status = '' } = await tenant.api.expect(200, 'GET', `/v1/ledger-ops/actions/${actionId}`);
      expect(status).not.toBe('PENDING');
      return status;
    }, soon);
  }

  const isRead = () =>
    vi.waitFor(async () => expect((await query('ledger_ops_state_read', 'instance')).size).toBe(1), soon);

  async function loseDatabase(): Promise<void> {
    await relay.goDown();
    await awaitFired(new Set(['LedgerOpsStateNotRead', 'LedgerOpsRequestsFail']), async () => {
      await tenant.api.call('GET', '/v1/ledger-ops/actions');
    });
    await relay.comeUp();
  }

  test('each alert fires when its cause occurs, and not before (npm run test:faults)', async () => {
    await isRead();
    const { api } = tenant;
    const taken = await addSlowWallet('taken');
    const poor = await addSlowWallet('poor');
    const stolen = await addSlowWallet('stolen');
    await addSlowWallet('late');
    const receiver = await startReceiver();
    closing.push(() => receiver.close());
    receiver.answer = () => 500;
    const module = join(folder.path, 'crashing');
    mkdirSync(module);
    writeFileSync(join(module, 'index.mjs'), crashing);
    const { id: pluginId } = await api.expect(201, 'POST', '/v1/plugins', {
      ...{ name: 'crashing', projectId: tenant.projectId, tags: ['crashing'] },
      url: `file:${join(module, 'index.mjs')}`,
    });
    // Waits until the windows of the alerts contain healthy data.
    await vi.waitFor(
      async () =>
        expect((await query('count_over_time(ledger_ops_state_read[10s]) > 8', 'instance')).size).toBe(1),
      soon,
    );
    await fire([], nothing);

    // No receiver accepts deliveries.
    await api.expect(201, 'POST', '/v1/webhooks', { url: receiver.url });
    // The module's process exits.
    writeFileSync(join(module, 'crash'), '');
    // A reorg removes a transaction, and another transaction uses its nonce.
    const before = await slow.rpc<string>('evm_snapshot');
    await endedBy(slow, await send(tenant, 'taken'));
    await slow.rpc('evm_revert', [before]);
    await slow.rpc('anvil_impersonateAccount', [taken]);
    await slow.rpc('eth_sendTransaction', [{ from: taken, to: nobody, value: '0x2', nonce: '0x0' }]);
    await slow.rpc('anvil_mine', ['0x3c']);
    // The key of an exclusive wallet is used outside of this service.
    await slow.rpc('anvil_impersonateAccount', [stolen]);
    await slow.rpc('eth_sendTransaction', [{ from: stolen, to: nobody, value: '0x2' }]);
    await slow.rpc('anvil_mine', ['0x3c']);
    await send(tenant, 'stolen');
    // A contract reverts every call.
    await slow.rpc('anvil_setCode', [nobody, '0x60006000fd']);
    const glo = {
      ...transferBody('late', nobody).glo,
      meta: {
        ledger: { ethereum: { version: '0.1.0', native_transaction_content: { gasLimit: 50_000 } } },
      },
    };
    expect(await endedBy(slow, await send(tenant, 'late', { glo }))).toBe('FAILED');
    await slow.rpc('anvil_setCode', [nobody, '0x']);
    // A wallet is emptied after its action was accepted.
    const held = { walletId: 'poor', reason: 'Until it is empty.' };
    const { suspensionId } = await api.expect(201, 'POST', '/v1/ledger-ops/suspensions', held);
    await send(tenant, 'poor');
    await slow.rpc('anvil_setBalance', [poor, '0x0']);
    await api.expect(204, 'DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
    await fire(
      [
        ...['WebhooksLate', 'WebhookDisabled', 'PluginDown', 'PluginRestarts', 'WalletWithoutFunds'],
        ...['ActionsOld', 'ActionsFail', 'ActionRetracted', 'UnknownTransactions'],
      ],
      nothing,
    );
    await api.expect(204, 'DELETE', `/v1/plugins/${pluginId}`);

    // The base fee rises above the fees of 60 sent actions.
    const operations = Array.from({ length: 60 }, () => ({ ...transferBody('late', nobody) }));
    await api.expect(201, 'POST', '/v1/ledger-ops/batch', { operations });
    await vi.waitFor(async () => {
      const pending = 'ledger_ops_pending_actions{ledger="slow",stage="signed"} >= 60';
      expect((await query(pending, 'ledger')).size).toBe(1);
    }, soon);
    await fire(['Replacements'], async () => {
      await slow.rpc('anvil_setNextBlockBaseFeePerGas', ['0x4a817c800']);
      await slow.rpc('anvil_mine', ['0x1']);
    });

    // A client opens more connections than one address may.
    const many: Socket[] = [];
    closing.push(async () => many.forEach((socket) => void socket.destroy()));
    await fire(['ConnectionsBounded'], async () => {
      for (const socket of many.splice(0)) socket.destroy();
      for (let count = 0; count < 220; count += 1) {
        const socket = connect(Number(new URL(here.url).port), '127.0.0.1');
        socket.on('error', () => socket.destroy());
        many.push(socket);
      }
    });

    // An organization reaches its storage limit.
    const administrator = await logIn(here.url, here.administrator);
    const limits = `/v1/admin/organizations/${tenant.organizationId}/storage-limits`;
    await administrator.expect(200, 'PUT', `${limits}/projects`, { most: 1 });
    await fire(['StorageLimitNear'], nothing);
    await administrator.expect(200, 'PUT', `${limits}/projects`, { most: null });

    // A remote plugin states other ledgers than at its registration, until this is accepted.
    const registration = { name: 'tally', url: remote.url, tags: ['tally'] };
    const { id: remoteId } = await api.expect(201, 'POST', '/v1/plugins', {
      ...registration,
      projectId: tenant.projectId,
    });
    remote.about = { ...tally, ledgers: ['counter'] };
    await fire(['PluginChanged'], nothing);
    await api.expect(200, 'PUT', `/v1/plugins/${remoteId}`, { ...registration, active: true });
    await vi.waitFor(
      async () =>
        expect(
          await query('ALERTS{alertname="LedgerOpsPluginChanged",alertstate="firing"}', 'plugin'),
        ).toEqual(new Map()),
      soon,
    );

    // One computation blocks the event loop.
    const still = new Int32Array(new SharedArrayBuffer(4));
    await fire(['EventLoopBlocked'], async () => void Atomics.wait(still, 0, 0, 650));

    // Another server, unknown to Prometheus, holds the lanes.
    await here.server.store.transaction((tx) =>
      tx.run("UPDATE lane SET owner = 'elsewhere', epoch = epoch + 1, expires_at = $1", [
        Date.now() + 3_600_000,
      ]),
    );
    await fire(['LanesNotHeld'], nothing);
    await here.server.store.transaction((tx) => tx.run('UPDATE lane SET expires_at = 0'));

    // Another database session locks the table that every acceptance writes.
    const other = await openStore({ url: databaseUrl, maxConnections: 1 });
    closing.push(() => other.close());
    await fire(['DatabaseSlow'], async () => {
      const locked = other.transaction(async (tx) => {
        await tx.run('LOCK TABLE action IN EXCLUSIVE MODE');
        await tx.all('SELECT pg_sleep(3)');
      });
      await Promise.all([locked, ...Array.from({ length: 8 }, () => send(tenant, 'wallet'))]);
    });

    // One of two subscribed contracts is deleted.
    const { groupId } = await api.expect(201, 'POST', '/v1/contract-groups', { name: 'tokens' });
    const instances = `/v1/contract-groups/${groupId}/instances`;
    const subscribed = async (digit: string) => {
      const nativeReference = `0x${digit.repeat(40)}`;
      await here.anvil.rpc('anvil_setCode', [nativeReference, '0x00']);
      const { contractId = '' } = await api.expect(201, 'POST', instances, {
        interface: tokenTemplate.interface,
        ledgerReference: { ledgerId: 'chain', nativeReference },
      });
      await api.expect(201, 'POST', '/v1/contract-subscriptions', { contractId });
      return contractId;
    };
    await subscribed('1');
    await api.expect(204, 'DELETE', `${instances}/${await subscribed('2')}`);
    await fire(['ContractSubscriptionStopped'], nothing);

    // The node of one ledger is down, and the node of another ledger returns errors.
    await here.anvil.stop();
    front.setFault((_calls, _forward, response) => {
      response.writeHead(500).end();
      return undefined;
    });
    await fire(['LedgerNotReached', 'NodesFail', 'ContractEventsLate'], nothing);
    const unreached = 'max_over_time(ALERTS{alertname="LedgerOpsLedgerNotReached",alertstate="firing"}[10m])';
    await vi.waitFor(
      async () =>
        expect([...(await query(unreached, 'ledger')).keys()].toSorted()).toEqual(['chain', 'slow']),
      soon,
    );

    // The database is down.
    await loseDatabase();
    await fire(['StateNotRead', 'RequestsFail'], nothing);

    const { port: metricsPort } = new URL(here.server.metricsUrl ?? '');
    await here.close();
    await fire(['ServerDown'], nothing);

    // The next server starts on a database that was restored to an earlier state.
    await other.transaction((tx) => tx.run("UPDATE installation SET set_back = 'It was restored.'"));
    const next = await startServer({
      config: readConfig({
        ...{ PORT: '0', METRICS_PORT: metricsPort, DATA_DIR: join(folder.path, 'next') },
        ...{ DATABASE_URL: databaseUrl, MASTER_KEY: masterKey.toString('base64') },
      }),
      log: createLog('silent'),
      adapters: [],
    });
    closing.push(() => next.close());
    await fire(['DatabaseNotAdopted'], nothing);
    expect(provoked).toEqual(new Set(rules));
  }, 1_200_000);
});
