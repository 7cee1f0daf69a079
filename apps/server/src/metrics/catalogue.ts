/** A metric: how it is counted, what its series are told apart by, and what it says. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** One sentence, in plain text. */
  readonly help: string;
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

/** Seconds, of what takes milliseconds when all is well. */
const soon = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
/** Seconds, of what a ledger takes its time for. */
const long = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 15, 30, 60, 120, 300, 900, 3_600];

/**
 * Every metric of the service, by its name; docs/metrics.md is made from it. Series are bounded: ids of ledgers and
 * plugins up to a number, all beyond as `other`; never addresses, ids of callers, or anything that a caller writes.
 */
export const metrics = {
  ledger_ops_info: {
    type: 'gauge',
    labels: ['version', 'database'],
    help: 'Always 1; tells the version and the kind of the database.',
  },
  ledger_ops_actions_total: {
    type: 'counter',
    labels: ['ledger', 'status'],
    help: 'Actions that this server saw accepted, or end as succeeded, failed or cancelled, since it was started.',
  },
  ledger_ops_action_step_seconds: {
    type: 'histogram',
    labels: ['ledger', 'step'],
    help: 'How long actions took: signed (since acceptance), sent (until a node took it, since it was signed), final (since a node took it), ended (since acceptance).',
    buckets: long,
  },
  ledger_ops_fees_total: {
    type: 'counter',
    labels: ['ledger'],
    help: 'Fees of actions that ended, in the smallest unit of the ledger’s currency.',
  },
  ledger_ops_replacements_total: {
    type: 'counter',
    labels: ['ledger', 'kind'],
    help: 'Transactions in the place of what was not mined: bump (a higher fee), noop (an empty one at an action’s sequence), filler (an empty one at a sequence that nobody can send).',
  },
  ledger_ops_plugin_call_seconds: {
    type: 'histogram',
    labels: ['ledger', 'method', 'result'],
    help: 'Calls of ledger plugins, by the method of the adapter contract; result is ok or the code of the error.',
    buckets: soon,
  },
  ledger_ops_database_seconds: {
    type: 'histogram',
    labels: ['what', 'result'],
    help: 'Time of the database: read (a statement outside of transactions), write (one within), transaction (a whole one, its wait included); result is ok or error.',
    buckets: soon,
  },
  ledger_ops_http_request_seconds: {
    type: 'histogram',
    labels: ['method', 'route', 'status'],
    help: 'Requests until their answers were ready; route is the template, none where there is no such path.',
    buckets: soon,
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** Name of a metric. */
export type MetricName = keyof typeof metrics;
