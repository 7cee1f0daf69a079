import type { Tx } from '@ledger-ops/store';
import type { Mutex } from '../../concurrency/mutex.ts';
import type { Leases } from '../../rows/chains/shard-leases.ts';
import type { EngineContext } from '../context.ts';
import type { Accounts } from '../signing/accounts.ts';
import type { Comparisons } from '../signing/comparisons.ts';
import type { UnknownTransactions } from '../signing/unknown-transactions.ts';
import type { Tracker } from '../tracking/tracker.ts';

/** Names of fenced writes. Tests can crash the process before and after each commit. */
export type FencedStep = 'accept' | 'sign' | 'replace' | 'fill' | 'settle' | 'reject' | 'note';

/** State of one chain, shared by the parts that sign for it and the parts that follow its signed transactions. */
export interface ChainContext extends EngineContext {
  readonly chain: string;
  readonly leases: Leases;
  readonly accounts: Accounts;
  readonly unknown: Pick<UnknownTransactions, 'noteTaken' | 'isKnownAhead' | 'isExclusive' | 'hasHistory'>;
  readonly comparisons: Pick<Comparisons, 'hinders' | 'compare' | 'evict'>;
  /** Held while a batch with sequences is signed and stored. Also held while this server gains or loses shards. */
  readonly mutex: Mutex;
  trackers(): Iterable<Tracker>;
  /** Whether this server may currently sign for the accounts of a shard. */
  signs(shard: number): boolean;
  /**
   * Runs a database transaction that fails if another server holds one of the shards. If the outcome of the commit is
   * unknown, memory may differ from the database, so the accounts are loaded again. Exceptions are the steps `reject`,
   * `note` and null: these writes are idempotent, and their callers retry them unchanged.
   * @throws LeaseLost, StoreError, and what `write` throws
   */
  fenced<Result>(
    step: FencedStep | null,
    shards: Iterable<number>,
    write: (tx: Tx) => Promise<Result>,
  ): Promise<Result>;
}
