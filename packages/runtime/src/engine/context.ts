import type { Store } from '@ledger-ops/store';
import type { GrantVault } from '../keys/vault.ts';
import type { Log } from '../log.ts';
import type { Meter } from '../meter.ts';
import type { Compared, DependentAccount } from '../rows/actions/dependents.ts';
import type { Settled } from '../rows/actions/settle.ts';
import type { SmallActionBytes } from '../rows/actions/small-action-bytes.ts';
import type { SuspendedBy } from '../rows/actions/suspensions.ts';
import type { Faults } from '../rows/faults.ts';
import type { Timing } from '../timing.ts';
import type { Traces } from '../traces/traces.ts';
import type { UnservedPlugins } from './chains/unserved-plugins.ts';
import type { Promotions } from './promotions.ts';

/** Dependencies shared by all parts of an engine. Each part declares which of them it uses. */
export interface EngineContext {
  readonly store: Store;
  readonly vault: GrantVault;
  readonly log: Log;
  readonly meter: Meter;
  readonly traces: Traces;
  /** The current time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly timing: Timing;
  readonly faults: Faults;
  /** Whether the action is suspended, according to this server's cache. The database is authoritative. */
  readonly isSuspended: (action: SuspendedBy) => boolean;
  /** Plugins with unfinished actions that do not run on this server, as of the last attempt to open them. */
  readonly unserved: UnservedPlugins;
  /** Number of bytes that each organization stores in small actions. */
  readonly actionBytes: SmallActionBytes;
  /** Notifies all servers that actions changed. */
  readonly announce: (actionIds: readonly string[]) => void;
  /**
   * Whether the database certainly contains all transactions signed before this server started. False if the database
   * may have been restored to an earlier state.
   */
  readonly isCurrent: boolean;
  readonly promotions: Pick<Promotions, 'remember'>;
  /** See `DependentAccounts`. */
  readonly dependents: {
    compareOf(failing: readonly string[]): Promise<Compared>;
    compareAll(accounts: readonly DependentAccount[]): Promise<Compared>;
  };
  /** Notifies the servers that sign for the chain that actions may be ready. */
  readonly wake: (chain: string) => void;
  /** Announces completed actions after the commit, and wakes the workers that sign for actions that depend on them. */
  readonly settled: (settled: Settled) => void;
}

/** Dependencies of the parts that use only a ledger and not the database. */
export type LedgerContext = Pick<EngineContext, 'log' | 'meter' | 'traces' | 'now' | 'timing' | 'faults'>;
