import type { Log } from '../log.ts';
import type { Faults } from '../rows/faults.ts';
import { createReader } from './reader.ts';
import { readSubscriptionState } from './rows.ts';
import { createSubscriptions, type SubscriptionsContext } from './subscriptions.ts';
import { type ContractEventTiming, defaultContractEventTiming } from './timing.ts';
import type { ContractEventState, ContractSubscriptions } from './types.ts';

export interface ContractEventsOptions extends SubscriptionsContext {
  log: Log;
  /** Default: `defaultContractEventTiming`. */
  timing?: Partial<ContractEventTiming>;
  /** For tests that end the process at the worst moments. */
  faults?: Faults;
}

/** Subscriptions to contracts, and the part of the server that reads what these tell. */
export interface RunningContractEvents {
  readonly subscriptions: ContractSubscriptions;
  start(): void;
  stop(): Promise<void>;
  state(): Promise<ContractEventState>;
}

/** Puts it together. Nothing is read until `start`. */
export function createContractEvents(options: ContractEventsOptions): RunningContractEvents {
  const timing = { ...defaultContractEventTiming, ...options.timing };
  const { start, stop } = createReader({ faults: () => undefined, ...options, timing });
  const { store } = options;
  return {
    subscriptions: createSubscriptions(options),
    start,
    stop,
    state: async () => readSubscriptionState(store.read, await store.now()),
  };
}
