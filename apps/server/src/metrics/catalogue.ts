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
  ledger_ops_pending_actions: {
    type: 'gauge',
    labels: ['ledger', 'stage', 'code'],
    help: 'Pending actions on the lanes of this server, by stage (blocked, ready, signed) and by the code of the reason. Of what is not signed no more than 1,000 are counted on each of the 16 lanes of a chain.',
  },
  ledger_ops_pending_oldest_seconds: {
    type: 'gauge',
    labels: ['ledger', 'stage'],
    help: 'How long ago the oldest of these was accepted, without those that are suspended.',
  },
  ledger_ops_ledger_reached: {
    type: 'gauge',
    labels: ['ledger'],
    help: '1 while this server follows the ledger, 0 while it should and cannot.',
  },
  ledger_ops_lanes_held: {
    type: 'gauge',
    labels: ['ledger'],
    help: 'Lanes of the ledger’s chain that this server holds; 16 over all servers.',
  },
  ledger_ops_actions_retracted: {
    type: 'gauge',
    labels: ['ledger'],
    help: 'Actions of the whole installation whose end the ledger took back at some time, each once, whether or not it shows it again; every server tells the same.',
  },
  ledger_ops_plugin_up: {
    type: 'gauge',
    labels: ['plugin'],
    help: '1 while a plugin that was asked for runs, 0 while it does not; built-in ones are left out.',
  },
  ledger_ops_plugin_restarts: {
    type: 'gauge',
    labels: ['plugin'],
    help: 'Times that the process of a plugin was started again, since it was loaded.',
  },
  ledger_ops_webhook_deliveries_pending: {
    type: 'gauge',
    labels: [],
    help: 'Deliveries to webhooks of the whole installation that wait for their first or next try; every server tells the same.',
  },
  ledger_ops_webhook_oldest_seconds: {
    type: 'gauge',
    labels: [],
    help: 'How long ago the oldest of these was made.',
  },
  ledger_ops_webhooks_disabled: {
    type: 'gauge',
    labels: [],
    help: 'Webhooks of the whole installation that were disabled since nothing could be delivered to them.',
  },
  ledger_ops_contract_subscriptions: {
    type: 'gauge',
    labels: ['ledger', 'status'],
    help: 'Subscriptions to contracts of the whole installation, by status (active, paused, stopped); every server tells the same.',
  },
  ledger_ops_contract_events_behind_blocks: {
    type: 'gauge',
    labels: ['ledger'],
    help: 'Most blocks, as deep as the ledger asks, that an active one of them had still to look through when it was read last.',
  },
  ledger_ops_contract_events_behind_seconds: {
    type: 'gauge',
    labels: ['ledger'],
    help: 'How long ago one of them was last at the newest of these blocks, without those that are suspended or archived; 0 where all are.',
  },
  ledger_ops_state_read: {
    type: 'gauge',
    labels: [],
    help: '1 where what is pending could be read for this answer, 0 where the database did not say it in time: then it is left out.',
  },
  ledger_ops_plugin_call_seconds: {
    type: 'histogram',
    labels: ['ledger', 'method', 'result'],
    help: 'Calls of ledger plugins, by the method of the adapter contract; result is ok or the code of the error.',
    buckets: soon,
  },
  ledger_ops_node_request_seconds: {
    type: 'histogram',
    labels: ['ledger', 'method', 'result'],
    help: 'Requests of plugins to nodes, by the method of the ledger’s protocol, where the plugin tells them (those that are built in do; of streams of blocks nothing is told); result is ok, refused (answered with an error), unavailable or timeout. What went out together took the time of all.',
    buckets: soon,
  },
  ledger_ops_database_seconds: {
    type: 'histogram',
    labels: ['what', 'result'],
    help: 'Time of the database: read (a statement outside of transactions), write (one within), transaction (a whole one, its wait included); result is ok or error.',
    buckets: soon,
  },
  ledger_ops_spans_total: {
    type: 'counter',
    labels: ['result'],
    help: 'Spans of traces, where they are recorded: exported (a collector took them), dropped (it did not, or too many waited for it).',
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
