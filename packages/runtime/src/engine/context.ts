import type { Store } from '@ledger-ops/store';
import type { Vault } from '../keys/types.ts';
import type { Log } from '../log.ts';
import type { Meter } from '../meter.ts';
import type { Settled } from '../rows/actions/settle.ts';
import type { SuspendedBy } from '../rows/actions/suspensions.ts';
import type { Faults } from '../rows/faults.ts';
import type { Timing } from '../timing.ts';
import type { Traces } from '../traces/traces.ts';

/** The surroundings that all parts of an engine share; each names those that it uses. */
export interface EngineContext {
  readonly store: Store;
  readonly vault: Vault;
  readonly log: Log;
  readonly meter: Meter;
  readonly traces: Traces;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timing: Timing;
  readonly faults: Faults;
  /** Whether this server knows that an action is not to be signed now; the rows decide. */
  readonly isSuspended: (action: SuspendedBy) => boolean;
  /** Tells everyone, on all servers, that actions changed. */
  readonly announce: (actionIds: readonly string[]) => void;
  /** Tells whoever signs for a chain, on all servers, that something there may have become ready. */
  readonly wake: (chain: string) => void;
  /** Tells everyone of ends that are durable, and of what may go on by them. */
  readonly settled: (settled: Settled) => void;
}

/** The surroundings of parts that work with a ledger alone, and leave rows to others. */
export type LedgerContext = Pick<EngineContext, 'log' | 'meter' | 'traces' | 'now' | 'timing' | 'faults'>;
