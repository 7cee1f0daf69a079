/** A metric: its type, labels and description. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** One sentence of plain text. */
  readonly help: string;
  /** Upper bounds of histogram buckets. */
  readonly buckets?: readonly number[];
}

/** Buckets in seconds for operations that normally take milliseconds. */
const soon = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
/** Buckets in seconds for operations that wait for a ledger. */
const long = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 15, 30, 60, 120, 300, 900, 3_600];

/**
 * All metrics of the service by name; docs/metrics.md is generated from this table. The number of series is limited:
 * ledger and plugin ids beyond the limit become `other`. Labels never contain addresses, caller ids or caller input.
 */
export const metrics = {
  ledger_ops_info: {
    type: 'gauge',
    labels: ['version', 'database'],
    help: 'Always 1; its labels are the version and the kind of database.',
  },
  ledger_ops_read_only: {
    type: 'gauge',
    labels: [],
    help: '1 while this server is read-only, because its database was copied, moved, or restored to an earlier state and no administrator has run `adopt`; otherwise 0.',
  },
  ledger_ops_actions_total: {
    type: 'counter',
    labels: ['ledger', 'status'],
    help: 'Actions that this server accepted since it started, and actions that succeeded, failed or were canceled on it.',
  },
  ledger_ops_action_step_seconds: {
    type: 'histogram',
    labels: ['ledger', 'step'],
    help: 'How long actions took: signed (since acceptance), sent (from signing until a node accepted it), final (since a node accepted it), ended (since acceptance).',
    buckets: long,
  },
  ledger_ops_fees_total: {
    type: 'counter',
    labels: ['ledger'],
    help: 'Known fees of final actions, in the smallest unit of the ledger’s currency.',
  },
  ledger_ops_replacements_total: {
    type: 'counter',
    labels: ['ledger', 'kind'],
    help: 'Transactions that replaced unmined ones: bump (a higher fee), noop (an empty one with an action’s nonce), filler (an empty one for a nonce that cannot be used otherwise).',
  },
  ledger_ops_unknown_transactions_total: {
    type: 'counter',
    labels: ['ledger'],
    help: 'Exclusive wallets that this server suspended because of unknown transactions (on the ledger, but not in the database).',
  },
  ledger_ops_pending_actions: {
    type: 'gauge',
    labels: ['ledger', 'stage', 'code'],
    help: 'Pending actions on the lanes of this server, by stage (blocked, ready, signed) and by pending reason. At most 1,000 unsigned actions are counted on each of the 16 lanes of a chain.',
  },
  ledger_ops_pending_oldest_seconds: {
    type: 'gauge',
    labels: ['ledger', 'stage'],
    help: 'Age of the oldest pending action on the lanes of this server, excluding suspended ones.',
  },
  ledger_ops_ledger_reached: {
    type: 'gauge',
    labels: ['ledger'],
    help: '1 while this server follows the ledger, 0 while it cannot although it must.',
  },
  ledger_ops_lanes_held: {
    type: 'gauge',
    labels: ['ledger'],
    help: 'Lanes of the ledger’s chain that this server processes; each chain has 16, shared by all servers.',
  },
  ledger_ops_actions_retracted: {
    type: 'gauge',
    labels: ['ledger'],
    help: 'Actions of the whole installation whose result was removed by a reorg, each counted once, even if the result was restored. Every server reports the same.',
  },
  ledger_ops_plugin_up: {
    type: 'gauge',
    labels: ['plugin'],
    help: '1 while a plugin that this server uses is running and, if it is remote, responds; otherwise 0. Built-in plugins are not included.',
  },
  ledger_ops_plugin_changed: {
    type: 'gauge',
    labels: ['plugin'],
    help: '1 while a plugin that this server uses states other ledgers than its registration, otherwise 0. Built-in plugins are not included.',
  },
  ledger_ops_plugin_restarts: {
    type: 'gauge',
    labels: ['plugin'],
    help: 'Restarts of a plugin’s process since the plugin was loaded.',
  },
  ledger_ops_webhook_deliveries_pending: {
    type: 'gauge',
    labels: [],
    help: 'Webhook deliveries of the whole installation that are waiting for their first or next attempt; every server reports the same.',
  },
  ledger_ops_webhook_oldest_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the oldest of these webhook deliveries.',
  },
  ledger_ops_webhooks_disabled: {
    type: 'gauge',
    labels: [],
    help: 'Webhooks of the whole installation that were disabled because deliveries failed.',
  },
  ledger_ops_contract_subscriptions: {
    type: 'gauge',
    labels: ['ledger', 'status'],
    help: 'Contract subscriptions of the whole installation, by status (active, paused, stopped); every server reports the same.',
  },
  ledger_ops_contract_events_behind_blocks: {
    type: 'gauge',
    labels: ['ledger'],
    help: 'The largest number of confirmed blocks that an active subscription still had to read when it was last read.',
  },
  ledger_ops_contract_events_behind_seconds: {
    type: 'gauge',
    labels: ['ledger'],
    help: 'How long the most delayed active subscription has been behind the newest confirmed block, excluding suspended and archived ones; 0 if all are up to date.',
  },
  ledger_ops_storage_used_ratio: {
    type: 'gauge',
    labels: ['limit'],
    help: 'Usage divided by limit, by the name of the storage limit: the highest value among the organizations, projects and contract subscriptions of the installation. At 1, nothing more is stored. Every server reports the same.',
  },
  ledger_ops_state_read: {
    type: 'gauge',
    labels: [],
    help: '1 if the pending actions could be read for this response, 0 if the database did not respond in time and they are omitted.',
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
    help: 'Requests of plugins to nodes, by the method of the ledger’s protocol, if the plugin reports them (built-in plugins do, except for block streams); result is ok, refused (the node returned an error), unavailable or timeout. Each request in a batch counts with the duration of the batch.',
    buckets: soon,
  },
  ledger_ops_database_seconds: {
    type: 'histogram',
    labels: ['what', 'result'],
    help: 'Duration of database work: read (a statement outside transactions), write (a statement in a transaction), transaction (a whole transaction, including waiting); result is ok or error.',
    buckets: soon,
  },
  ledger_ops_spans_total: {
    type: 'counter',
    labels: ['result'],
    help: 'Trace spans, if traces are recorded: exported (the collector accepted them), dropped (the collector refused them, or too many were waiting).',
  },
  ledger_ops_http_request_seconds: {
    type: 'histogram',
    labels: ['method', 'route', 'status'],
    help: 'Time from request to response; route is the path template, or none if the path does not exist.',
    buckets: soon,
  },
  ledger_ops_http_connections: {
    type: 'gauge',
    labels: [],
    help: 'Open client connections of this server.',
  },
  ledger_ops_http_connections_bounded_total: {
    type: 'counter',
    labels: ['bound', 'outcome'],
    help: 'New connections that reached a limit, address (MAX_CONNECTIONS_PER_ADDRESS) or total (MAX_CONNECTIONS): refused, or evicted (an idle or slow connection was closed in favor of the new one).',
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;
