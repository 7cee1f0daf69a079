import type { Admin, StorageState } from '@ledger-ops/auth';
import type {
  ContractEventState,
  EngineState,
  Meter,
  RunningContractEvents,
  RunningWebhooks,
  Runtime,
  WebhookState,
} from '@ledger-ops/runtime';
import { boundedLabel } from './bounded-labels.ts';
import type { Instruments } from './instruments.ts';

/** Milliseconds that a scrape waits for the database's counts before it omits them. */
const patience = 5_000;
/** Maximum number of plugins with their own series; all further plugins share one. */
const mostPlugins = 50;

const ends = ['accepted', 'succeeded', 'failed', 'cancelled'] as const satisfies ActionCount[];
const replacements = ['bump', 'noop', 'filler'] as const satisfies ReplacementCount[];
type ActionCount = Parameters<Meter['action']>[1];
type ReplacementCount = Parameters<Meter['replacement']>[1];

export interface StateReaderOptions {
  readonly runtime: Pick<Runtime, 'state'> & { readonly plugins: Pick<Runtime['plugins'], 'running'> };
  readonly webhooks: Pick<RunningWebhooks, 'state'>;
  readonly contractEvents: Pick<RunningContractEvents, 'state'>;
  readonly storage: Pick<Admin['storage'], 'state'>;
  readonly instruments: Instruments;
  /** Label value of a ledger id. */
  readonly ledger: (ledgerId: string) => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Returns a function that updates all gauges. */
export function createStateReader(options: StateReaderOptions): () => Promise<void> {
  const { runtime, webhooks, contractEvents, storage, instruments, ledger, now } = options;
  const plugin = boundedLabel(mostPlugins);

  function showPending({ pending }: EngineState): void {
    instruments.clear('ledger_ops_pending_actions');
    instruments.clear('ledger_ops_pending_oldest_seconds');
    const oldest = new Map<string, number>();
    for (const { ledgerId, stage, code, count, oldest: acceptedAt } of pending) {
      const labels = { ledger: ledger(ledgerId), stage };
      instruments.increase('ledger_ops_pending_actions', { ...labels, code }, count);
      // Actions that were suspended on request must not raise an alarm.
      if (code === 'suspended') continue;
      const key = JSON.stringify(labels);
      const age = Math.max(0, now() - acceptedAt, oldest.get(key) ?? 0);
      oldest.set(key, age);
      instruments.set('ledger_ops_pending_oldest_seconds', labels, age / 1_000);
    }
  }

  function showLedgers({ ledgers, retracted }: EngineState): void {
    instruments.clear('ledger_ops_ledger_reached');
    instruments.clear('ledger_ops_lanes_held');
    instruments.clear('ledger_ops_actions_retracted');
    const unreached = new Set<string>();
    for (const { ledgerId, isReached, lanes } of ledgers) {
      const labels = { ledger: ledger(ledgerId) };
      // A shared series is 0 if one of its ledgers is not reached.
      if (!isReached) unreached.add(labels.ledger);
      instruments.set('ledger_ops_ledger_reached', labels, unreached.has(labels.ledger) ? 0 : 1);
      instruments.set('ledger_ops_lanes_held', labels, lanes);
      beginCounting(labels);
    }
    for (const { ledgerId, count } of retracted)
      instruments.increase('ledger_ops_actions_retracted', { ledger: ledger(ledgerId) }, count);
  }

  /** Starts the series at zero: otherwise `rate` and `increase` do not count the first events. */
  function beginCounting(labels: { readonly ledger: string }): void {
    for (const status of ends) instruments.add('ledger_ops_actions_total', { ...labels, status }, 0);
    for (const kind of replacements) instruments.add('ledger_ops_replacements_total', { ...labels, kind }, 0);
  }

  function showPlugins(): void {
    instruments.clear('ledger_ops_plugin_up');
    instruments.clear('ledger_ops_plugin_restarts');
    instruments.clear('ledger_ops_plugin_changed');
    const down = new Set<string>();
    const changed = new Set<string>();
    for (const { pluginId, status } of runtime.plugins.running()) {
      const labels = { plugin: plugin(pluginId) };
      if (!status.loaded) down.add(labels.plugin);
      instruments.set('ledger_ops_plugin_up', labels, down.has(labels.plugin) ? 0 : 1);
      if (status.changed !== null) changed.add(labels.plugin);
      instruments.set('ledger_ops_plugin_changed', labels, changed.has(labels.plugin) ? 1 : 0);
      instruments.increase('ledger_ops_plugin_restarts', labels, status.restarts);
    }
  }

  function showWebhooks({ pending, oldest, disabled }: WebhookState): void {
    instruments.set('ledger_ops_webhook_deliveries_pending', {}, pending);
    const age = oldest === null ? 0 : Math.max(0, now() - oldest);
    instruments.set('ledger_ops_webhook_oldest_seconds', {}, age / 1_000);
    instruments.set('ledger_ops_webhooks_disabled', {}, disabled);
  }

  function showSubscriptions(state: ContractEventState): void {
    const [behindBlocks, behindSeconds] = [
      'ledger_ops_contract_events_behind_blocks',
      'ledger_ops_contract_events_behind_seconds',
    ] as const;
    for (const name of ['ledger_ops_contract_subscriptions', behindBlocks, behindSeconds] as const)
      instruments.clear(name);
    const late = new Map<string, { blocks: number; age: number }>();
    for (const { ledgerId, status, count, behind, since } of state) {
      const labels = { ledger: ledger(ledgerId) };
      instruments.increase('ledger_ops_contract_subscriptions', { ...labels, status }, count);
      if (status !== 'active') continue;
      // A shared series reports the largest lag.
      const { blocks, age } = late.get(labels.ledger) ?? { blocks: 0, age: 0 };
      const lateFor = since === null ? 0 : now() - since;
      const most = { blocks: Math.max(blocks, behind), age: Math.max(age, lateFor) };
      late.set(labels.ledger, most);
      instruments.set(behindBlocks, labels, most.blocks);
      instruments.set(behindSeconds, labels, most.age / 1_000);
    }
  }

  function showStorage(state: readonly StorageState[]): void {
    instruments.clear('ledger_ops_storage_used_ratio');
    for (const { limit, ratio } of state) instruments.set('ledger_ops_storage_used_ratio', { limit }, ratio);
  }

  return async () => {
    showPlugins();
    const states = Promise.all([runtime.state(), webhooks.state(), contractEvents.state(), storage.state()]);
    const read = await within(patience, states);
    instruments.set('ledger_ops_state_read', {}, read === undefined ? 0 : 1);
    const [state, deliveries, subscriptions, stored] = read ?? [nothing, nothingToDeliver, [], []];
    showPending(state);
    showLedgers(state);
    showWebhooks(deliveries);
    showSubscriptions(subscriptions);
    showStorage(stored);
  };
}

const nothing: EngineState = { pending: [], ledgers: [], retracted: [] };
const nothingToDeliver: WebhookState = { pending: 0, oldest: null, disabled: 0 };

/** Returns undefined if the work fails or exceeds the time limit. */
async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  try {
    return await Promise.race([work.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
