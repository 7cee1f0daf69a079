import type { Tx } from '@ledger-ops/store';
import type { Mutex } from '../../concurrency/mutex.ts';
import type { Leases } from '../../rows/chains/shard-leases.ts';
import type { EngineContext } from '../context.ts';
import type { Accounts } from '../signing/accounts.ts';
import type { Tracker } from '../tracking/types.ts';

/** Writes that are fenced: a test may end the process on both sides of each. */
export type FencedStep = 'accept' | 'sign' | 'replace' | 'fill' | 'settle' | 'reject' | 'note';

/** Shared by everything that signs for one chain, or follows what is signed there. */
export interface ChainContext extends EngineContext {
  readonly chain: string;
  readonly leases: Leases;
  readonly accounts: Accounts;
  /** One batch of the chain's sequences is signed and stored at a time, and none while its lanes change hands. */
  readonly mutex: Mutex;
  trackers(): Iterable<Tracker>;
  /** Whether this server signs for the accounts of a shard now. */
  signs(shard: number): boolean;
  /**
   * Runs a transaction that fails when one of the shards is another server's. When it ends without an answer, what is in
   * memory may differ from the rows, and is read again; not after `reject`, `note` and null, which are tried again as
   * they are, and change nothing the second time.
   * @throws LeaseLost, StoreError, and what `write` throws
   */
  fenced<Result>(
    step: FencedStep | null,
    shards: Iterable<number>,
    write: (tx: Tx) => Promise<Result>,
  ): Promise<Result>;
}
