import type { Log } from '../log.ts';
import type { Faults } from '../rows/faults.ts';
import { Reader } from './reader.ts';
import { readSubscriptionState } from './rows.ts';
import { createSubscriptions, type SubscriptionsContext } from './subscriptions.ts';
import { type ContractEventTiming, defaultContractEventTiming } from './timing.ts';
import type { ContractEventState, ContractSubscriptions } from './types.ts';

export interface ContractEventsOptions extends SubscriptionsContext {
  log: Log;
  /** Overrides of `defaultContractEventTiming`. */
  timing?: Partial<ContractEventTiming>;
  /** Hook for tests that kill the process at critical points. */
  faults?: Faults;
}

export interface RunningContractEvents {
  readonly subscriptions: ContractSubscriptions;
  start(): void;
  stop(): Promise<void>;
  state(): Promise<ContractEventState>;
}

/** Creates the subscriptions and the reader. The reader does nothing before `start`. */
export function createContractEvents(options: ContractEventsOptions): RunningContractEvents {
  const timing = { ...defaultContractEventTiming, ...options.timing };
  const reader = new Reader({ faults: () => undefined, ...options, timing });
  const { store } = options;
  return {
    subscriptions: createSubscriptions(options),
    start: () => reader.start(),
    stop: () => reader.stop(),
    state: async () => readSubscriptionState(store.read, await store.now()),
  };
}
