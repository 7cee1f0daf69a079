import type { Meter } from '@ledger-ops/runtime';
import type { StoreMeter } from '@ledger-ops/store';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { AccessLog } from '../http/access-log.ts';
import type { ConnectionMeter } from '../http/sockets/connections.ts';
import { boundedLabel, other } from './bounded-labels.ts';
import { createInstruments, type Instruments } from './instruments.ts';

/** Maximum number of ledgers with their own series; all further ledgers share one. */
const mostLedgers = 50;
/** Maximum number of node methods with their own series, across all ledgers. */
const mostMethods = 100;
const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);

/** Meters for all parts of the server, and their Prometheus output. */
export interface Metrics {
  readonly runtime: Meter;
  readonly store: StoreMeter;
  readonly http: AccessLog;
  readonly connections: ConnectionMeter;
  readonly instruments: Instruments;
  /** Label value of a ledger id. */
  readonly ledger: (ledgerId: string) => string;
  /** Media type of the output. */
  readonly contentType: string;
  /** Returns all metrics in the Prometheus text format. */
  text(): Promise<string>;
}

/** Creates metrics in a separate registry, including prom-client's process metrics: memory, CPU, event loop. */
export function createMetrics(info: { version: string; database: string }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const instruments = createInstruments(registry);
  instruments.set('ledger_ops_info', info, 1);
  const ledger = boundedLabel(mostLedgers);
  const nodeMethod = boundedLabel(mostMethods);
  return {
    instruments,
    ledger,
    runtime: {
      action: (id, status) => instruments.add('ledger_ops_actions_total', { ledger: ledger(id), status }),
      step: (id, step, milliseconds) =>
        instruments.observe(
          'ledger_ops_action_step_seconds',
          { ledger: ledger(id), step },
          seconds(milliseconds),
        ),
      fee(id, amount) {
        const value = Number(amount);
        if (Number.isFinite(value) && value > 0)
          instruments.add('ledger_ops_fees_total', { ledger: ledger(id) }, value);
      },
      replacement: (id, kind) =>
        instruments.add('ledger_ops_replacements_total', { ledger: ledger(id), kind }),
      unknownTransactions: (id) =>
        instruments.add('ledger_ops_unknown_transactions_total', { ledger: ledger(id) }),
      called: (id, method, result, milliseconds) =>
        instruments.observe(
          'ledger_ops_plugin_call_seconds',
          { ledger: ledger(id), method, result },
          seconds(milliseconds),
        ),
      requested: (id, method, result, milliseconds) =>
        instruments.observe(
          'ledger_ops_node_request_seconds',
          { ledger: ledger(id), method: nodeMethod(method), result },
          seconds(milliseconds),
        ),
    },
    store: {
      took: (what, milliseconds, isDone) =>
        instruments.observe(
          'ledger_ops_database_seconds',
          { what, result: isDone ? 'ok' : 'error' },
          seconds(milliseconds),
        ),
    },
    http: ({ method, route, status, ms }) =>
      instruments.observe(
        'ledger_ops_http_request_seconds',
        { method: knownMethods.has(method) ? method : other, route: route ?? 'none', status },
        seconds(ms),
      ),
    connections: {
      open: (count) => instruments.set('ledger_ops_http_connections', {}, count),
      bounded: (bound, outcome) =>
        instruments.add('ledger_ops_http_connections_bounded_total', { bound, outcome }),
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

/** Never negative: the clock may have been set to an earlier time in between. */
function seconds(milliseconds: number): number {
  return Math.max(0, milliseconds) / 1_000;
}
