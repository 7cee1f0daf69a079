import type { Engine } from '../engine/engine.ts';
import type { ActionCounter } from './action-counts.ts';
import type { ActionSummaries } from './action-summaries.ts';
import type { ChangeRequests } from './change-requests.ts';
import type { EmittedEventsReader } from './emitted-events.ts';
import type { Emulator } from './emulate.ts';
import type { OutsideTransactions } from './outside-transactions.ts';
import type { ActionOverviews } from './overview.ts';
import type { ActionSearch } from './search.ts';
import type { Sender } from './send.ts';
import type { BatchSender } from './send-batch.ts';

/** The classes that implement the operations on actions. */
export interface ActionParts {
  sender: Pick<Sender, 'send'>;
  batchSender: Pick<BatchSender, 'sendBatch'>;
  changeRequests: Pick<ChangeRequests, 'cancel' | 'hurry'>;
  outside: Pick<OutsideTransactions, 'markExecuted' | 'release' | 'unknownTransactions' | 'notCompared'>;
  search: Pick<
    ActionSearch,
    'get' | 'byIds' | 'byIntents' | 'byRequest' | 'byWallet' | 'changes' | 'byTransaction'
  >;
  overviews: Pick<ActionOverviews, 'overview' | 'describe'>;
  emitted: Pick<EmittedEventsReader, 'emittedEvents'>;
  counter: Pick<ActionCounter, 'counts'>;
  summaries: Pick<ActionSummaries, 'summary'>;
  emulator: Pick<Emulator, 'emulate'>;
  engine: Pick<Engine, 'onChange'>;
}

/** All operations on actions. Each is a method of one of the classes in `ActionParts`. */
export type Actions = ActionParts['sender'] &
  ActionParts['batchSender'] &
  ActionParts['changeRequests'] &
  ActionParts['outside'] &
  ActionParts['search'] &
  ActionParts['overviews'] &
  ActionParts['emitted'] &
  ActionParts['counter'] &
  ActionParts['summaries'] &
  ActionParts['emulator'] &
  ActionParts['engine'];

export function joinActions(parts: ActionParts): Actions {
  const {
    sender,
    batchSender,
    changeRequests,
    outside,
    search,
    overviews,
    emitted,
    counter,
    summaries,
    emulator,
    engine,
  } = parts;
  return {
    send: (...given) => sender.send(...given),
    sendBatch: (...given) => batchSender.sendBatch(...given),
    cancel: (...given) => changeRequests.cancel(...given),
    hurry: (...given) => changeRequests.hurry(...given),
    markExecuted: (...given) => outside.markExecuted(...given),
    release: (...given) => outside.release(...given),
    unknownTransactions: (...given) => outside.unknownTransactions(...given),
    notCompared: (...given) => outside.notCompared(...given),
    get: (...given) => search.get(...given),
    byIds: (...given) => search.byIds(...given),
    byIntents: (...given) => search.byIntents(...given),
    byRequest: (...given) => search.byRequest(...given),
    byWallet: (...given) => search.byWallet(...given),
    changes: (...given) => search.changes(...given),
    byTransaction: (...given) => search.byTransaction(...given),
    overview: (...given) => overviews.overview(...given),
    describe: (...given) => overviews.describe(...given),
    emittedEvents: (...given) => emitted.emittedEvents(...given),
    counts: (...given) => counter.counts(...given),
    summary: (...given) => summaries.summary(...given),
    emulate: (...given) => emulator.emulate(...given),
    onChange: (...given) => engine.onChange(...given),
  };
}
