// Prometheus' own tests of the alert rules, with the thresholds and waiting times that are deployed.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';

const path = fileURLToPath(new URL('../../../../deploy/prometheus/alerts.yaml', import.meta.url));
/** Names and waiting times in minutes. */
const waits = new Map(
  readFileSync(path, 'utf8')
    .split('- alert: ')
    .slice(1)
    .map((rule) => [/^\w+/.exec(rule)?.[0] ?? '', Number(/\bfor: (\d+)m/.exec(rule)?.[1] ?? 0)]),
);

/** The last minute without the cause of an alert. */
const quiet = 70;
/** Series of each alert, one value per minute: without the cause until minute 70, then with it. */
const causes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ServerDown: { 'up{job="ledger-ops",instance="a"}': '1x70 0x60' },
  DatabaseNotAdopted: { 'ledger_ops_read_only{instance="a"}': '0x70 1x60' },
  LedgerNotReached: { 'ledger_ops_ledger_reached{ledger="main"}': '1x70 0x60' },
  LanesNotHeld: {
    'ledger_ops_lanes_held{ledger="main",instance="a"}': '8x130',
    'ledger_ops_lanes_held{ledger="main",instance="b"}': '8x70 7x60',
  },
  ActionsOld: {
    'ledger_ops_pending_oldest_seconds{ledger="main",stage="signed"}': '900x70 901x60',
    'ledger_ops_pending_oldest_seconds{ledger="main",stage="blocked"}': '9000x130',
  },
  WalletWithoutFunds: { 'ledger_ops_pending_actions{ledger="main",code="funds"}': '0x70 1x60' },
  ActionsFail: {
    'ledger_ops_actions_total{ledger="main",status="failed"}': '0+1x70 71+3x60',
    'ledger_ops_actions_total{ledger="main",status="succeeded"}': '0+9x131',
  },
  ActionRetracted: { 'ledger_ops_actions_retracted{ledger="main"}': '0x70 1x60' },
  UnknownTransactions: { 'ledger_ops_unknown_transactions_total{ledger="main"}': '0x70 1x60' },
  Replacements: { 'ledger_ops_replacements_total{ledger="main"}': '0+3x70 213+4x60' },
  NodesFail: {
    'ledger_ops_plugin_call_seconds_count{ledger="main",result="timeout"}': '0+1x70 71+3x60',
    'ledger_ops_plugin_call_seconds_count{ledger="main",result="ok"}': '0+9x131',
  },
  PluginDown: { 'ledger_ops_plugin_up{plugin="own"}': '1x70 0x60' },
  PluginChanged: { 'ledger_ops_plugin_changed{plugin="own"}': '0x70 1x60' },
  PluginRestarts: { 'ledger_ops_plugin_restarts{plugin="own"}': '3x70 4+1x60' },
  DatabaseSlow: {
    'ledger_ops_database_seconds_bucket{what="transaction",instance="a",le="1"}': '0+100x131',
    'ledger_ops_database_seconds_bucket{what="transaction",instance="a",le="5"}': '0+100x70 7100+110x60',
    'ledger_ops_database_seconds_bucket{what="transaction",instance="a",le="+Inf"}': '0+100x70 7100+110x60',
  },
  WebhooksLate: { ledger_ops_webhook_oldest_seconds: '3600x70 3601x60' },
  ContractEventsLate: { 'ledger_ops_contract_events_behind_seconds{ledger="main"}': '1800x70 1801x60' },
  ContractSubscriptionStopped: {
    'ledger_ops_contract_subscriptions{ledger="main",status="stopped"}': '0x70 1x60',
  },
  WebhookDisabled: { ledger_ops_webhooks_disabled: '0x70 1x60' },
  StorageLimitNear: { 'ledger_ops_storage_used_ratio{limit="projects"}': '0.8x70 0.81x60' },
  StateNotRead: { 'ledger_ops_state_read{instance="a"}': '1x70 0x60' },
  RequestsFail: {
    'ledger_ops_http_request_seconds_count{instance="a",status="503"}': '0+1x70 71+6x60',
    'ledger_ops_http_request_seconds_count{instance="a",status="200"}': '0+94x131',
  },
  ConnectionsBounded: {
    'ledger_ops_http_connections_bounded_total{instance="a",bound="address"}': '0x70 0+1x60',
  },
  EventLoopBlocked: { 'nodejs_eventloop_lag_p99_seconds{job="ledger-ops",instance="a"}': '0.5x70 0.6x60' },
};

test('each alert rule has a test', () => {
  expect(Object.keys(causes).map((name) => `LedgerOps${name}`)).toEqual([...waits.keys()]);
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool)
  console.warn(
    'Skipped: tests of alert rules, because the program `promtool` is missing (apt-get install prometheus).',
  );

test.skipIf(!hasPromtool)(
  'each alert fires only when its cause has lasted for the time of its rule',
  async () => {
    const folder = await openFolder();
    try {
      const file = join(folder.path, 'rules-test.json');
      const expr = 'count by (alertname) (ALERTS{alertstate="firing"})';
      const tests = Object.entries(causes).map(([name, series]) => {
        const wait = waits.get(`LedgerOps${name}`) ?? 0;
        const fired = [{ labels: `{alertname="LedgerOps${name}"}`, value: 1 }];
        return {
          ...{ name, interval: '1m' },
          input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
          promql_expr_test: [
            { expr, eval_time: `${quiet + wait}m`, exp_samples: [] },
            { expr, eval_time: `${quiet + wait + 20}m`, exp_samples: fired },
          ],
        };
      });
      // JSON is also valid YAML.
      writeFileSync(file, JSON.stringify({ rule_files: [path], evaluation_interval: '1m', tests }));
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
      expect({ status, said: stdout + stderr }).toMatchObject({
        status: 0,
        said: expect.stringContaining('SUCCESS'),
      });
    } finally {
      await folder.remove();
    }
  },
);
