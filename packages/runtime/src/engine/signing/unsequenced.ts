import type { WalletIdentity } from '@ledger-ops/adapter';
import { StoreError } from '@ledger-ops/store';
import { Batcher } from '../../concurrency/batcher.ts';
import { createRunner, type Runner } from '../../concurrency/runner.ts';
import { createTally } from '../../concurrency/tally.ts';
import { keyTypeOf } from '../../keys/plugin-key.ts';
import { bytesOf, linesOf, type ReadyRow, readReady, walletOf } from '../../rows/actions/ready.ts';
import { readClaimed, readOvertaken } from '../../rows/attempts/claims.ts';
import { type Grant, openGrant } from '../../rows/attempts/signing-grant.ts';
import { LeaseLost } from '../../rows/chains/shard-leases.ts';
import { failure, type Settlement } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Tracker } from '../tracking/tracker.ts';
import { type Account, capacityOf, type Reservation, reserve } from './accounts.ts';
import { Claims } from './claims.ts';
import { brokenContract, type NotSigned, refusedBy } from './not-signed.ts';
import { prepareActions } from './prepare.ts';
import { RetrySchedule } from './retry-schedule.ts';
import { commitSigned, type SignedAction, signActions, storeSigned } from './signer.ts';

/** Maximum number of actions of one ledger that are prepared concurrently. */
const preparedAtOnce = 256;
/** Maximum total size of the actions in memory, including those being prepared, in units of `unitBytes`. */
const memoryLimit = 1_024;
/** Number of bytes per unit. `memoryLimit` is therefore 64 MiB. */
const unitBytes = 65_536;
/**
 * Maximum share of these limits for one account, so that accounts whose preparations hang leave capacity for others.
 */
const accountShare = 1 / 4;
/** Maximum number of signed actions stored in one transaction. */
const storedAtOnce = 128;

/** Returns the size of an action in memory: one unit, or more if its contents are long. */
const sizeOf = (row: ReadyRow) => Math.max(1, Math.ceil(bytesOf(row) / unitBytes));

/** An action to prepare and sign. */
export interface Taken {
  row: ReadyRow;
  wallet: WalletIdentity;
  /** Whether the plan can be signed without an estimate. */
  isEstimated: boolean;
  /**
   * Set while the action is still being stored. Resolves to whether it was stored; if not, the signed transaction is
   * discarded. Never rejects.
   */
  stored?: Promise<boolean>;
}

/**
 * Signs actions of one ledger whose transactions have no sequences: many at once and in any order. An action that waits
 * or fails does not affect the others.
 *
 * An action in memory (`#inMemory`) is in one of these states: waiting (`#waiting`), being prepared (`#preparing`), and
 * being stored as signed (`#signed`) or failed (`#failed`). Other actions are in the table, or deferred (`#retries`).
 */
export class Unsequenced {
  readonly #context: ChainContext;
  readonly #tracker: Tracker;
  readonly #reader: Runner;
  readonly #retries: RetrySchedule;
  readonly #signed: Batcher<SignedAction>;
  readonly #failed: Batcher<Settlement>;
  /** Sizes of the actions in memory, by id. */
  readonly #inMemory = new Map<string, number>();
  /** Sum of the sizes in `#inMemory`. */
  #memoryUsed = 0;
  readonly #waiting: Taken[] = [];
  readonly #inMemoryByAccount = createTally();
  readonly #preparingByAccount = createTally();
  /**
   * Accounts that reached their share of actions in memory. No more of their actions are added until most of these are
   * done.
   */
  readonly #atShare = new Set<string>();
  /** Accounts that have as many transactions in flight as the ledger allows. */
  readonly #withoutCapacity = new Set<string>();
  readonly #grants = new Set<Grant>();
  readonly #claims: Claims;
  /** Ids of signed actions that were not stored because other actions hold some of their claims. */
  readonly #outclaimed = new Set<string>();
  #preparing = 0;
  /** Whether the table may contain ready actions that are not in memory. */
  #mayHaveMore = false;
  #isStopped = false;

  constructor(
    context: ChainContext,
    tracker: Tracker,
    fail: (settlements: readonly Settlement[]) => Promise<void>,
  ) {
    this.#context = context;
    this.#tracker = tracker;
    this.#claims = new Claims(context);
    this.#reader = createRunner({
      run: () => this.#read(),
      failed: (error) => this.#readFailed(error),
      retryAfter: context.timing.storeAgain,
    });
    this.#retries = new RetrySchedule(context, () => this.wake());
    this.#signed = new Batcher<SignedAction>({
      limit: storedAtOnce,
      write: (batch) => this.#commit(batch),
      separate: isConstraint,
    });
    this.#failed = new Batcher<Settlement>({ limit: storedAtOnce, write: fail, separate: isConstraint });
  }

  /** Takes a newly accepted action without reading the table. Returns false if there is no capacity for it now. */
  take(action: Taken): boolean {
    const { id, address } = action.row;
    if (this.#isStopped || this.#inMemory.has(id) || this.#atShare.has(address)) return false;
    const size = sizeOf(action.row);
    const isFull = this.#inMemory.size > 0 && this.#memoryUsed + size > memoryLimit;
    if (isFull || this.#withoutCapacity.has(address)) {
      this.#mayHaveMore = true;
      return false;
    }
    this.#inMemory.set(id, size);
    this.#memoryUsed += size;
    if (this.#inMemoryByAccount.add(address, size) >= memoryLimit * accountShare) this.#atShare.add(address);
    this.#waiting.push(action);
    this.#pump();
    return true;
  }

  /** Called when ready actions may be in the table. */
  wake(): void {
    this.#reader.wake();
  }

  /**
   * Called when an action needs another transaction: reads it from the table again after `delay`
   * milliseconds.
   */
  again(actionId: string, address: string, delay: number): void {
    if (delay > 0) this.#retries.hold(actionId, address, delay);
    else this.#retries.forget(actionId);
  }

  /** Called when a transaction of the account completes: waiting actions may now be signed. */
  capacityFreed(address: string): void {
    const wasFull = this.#withoutCapacity.delete(address);
    if (this.#retries.hasten(address) || wasFull) this.wake();
  }

  /** Resolves when nothing is being written. Adapter responses that arrive later are discarded. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#retries.stop();
    // This does not wait for a hanging adapter. Its late responses cannot be signed, because the signers are destroyed.
    for (const { signer } of this.#grants) signer.destroy();
    await this.#reader.stop();
    await this.#signed.idle();
    await this.#failed.idle();
  }

  #pump(): void {
    while (!this.#isStopped && this.#preparing < preparedAtOnce) {
      const next = this.#waiting.findIndex(
        ({ row }) => this.#preparingByAccount.of(row.address) < preparedAtOnce * accountShare,
      );
      const [action] = next < 0 ? [] : this.#waiting.splice(next, 1);
      if (action === undefined) break;
      this.#preparing += 1;
      this.#preparingByAccount.add(action.row.address);
      void this.#handle(action).finally(() => {
        this.#preparing -= 1;
        this.#done(action.row);
        this.#pump();
      });
    }
    if (this.#mayHaveMore && this.#preparing < preparedAtOnce) this.wake();
  }

  #done({ id, address }: ReadyRow): void {
    this.#preparingByAccount.remove(address);
    const size = this.#inMemory.get(id) ?? 0;
    this.#inMemory.delete(id);
    this.#memoryUsed -= size;
    const isMostlyDone = this.#inMemoryByAccount.remove(address, size) <= (memoryLimit * accountShare) / 4;
    // Some actions of the account may be in the table but not in memory, because its share was used up.
    if (isMostlyDone && this.#atShare.delete(address)) this.#mayHaveMore = true;
  }

  async #read(): Promise<boolean> {
    if (!this.#tracker.canSign) return false;
    this.#mayHaveMore = false;
    // Capacity can become free even if no transaction completes: an action with a reservation may have failed, or
    // belong to another server now.
    for (const address of this.#withoutCapacity) {
      const account = this.#context.accounts.loaded(address);
      if (account === undefined || capacityOf(account, this.#tracker.open) > 0)
        this.#withoutCapacity.delete(address);
    }
    const limit = memoryLimit - this.#memoryUsed;
    if (limit <= 0) {
      this.#mayHaveMore = true;
      return false;
    }
    const { rows, more } = await readReady(this.#context.store, {
      chain: this.#context.chain,
      shards: this.#context.leases.held(),
      withoutIds: [...this.#inMemory.keys(), ...this.#retries.notDue()],
      withoutAddresses: [...this.#withoutCapacity, ...this.#atShare],
      lines: { only: linesOf(this.#tracker) },
      ...{ limit, mostBytes: limit * unitBytes },
    });
    for (const row of rows) this.take({ row, wallet: walletOf(row), isEstimated: row.steps > 0 });
    this.#mayHaveMore ||= more;
    return false;
  }

  #readFailed(error: unknown): void {
    this.#context.log('error', 'ready.failed', {
      chain: this.#context.chain,
      detail: error instanceof Error ? error.message : 'unknown',
    });
  }

  /** Prepares, signs and stores one action, or defers or fails it. Never rejects. */
  async #handle(action: Taken): Promise<void> {
    const { row } = action;
    const account = this.#context.accounts.get(row.address, row.shard);
    if (capacityOf(account, this.#tracker.open) <= 0) {
      this.#withoutCapacity.add(row.address);
      return;
    }
    const reservation = reserve(account, BigInt(row.cost));
    try {
      for (let tries = 0; tries < mostClaimTries; tries += 1) {
        const made = await this.#make(action, account, reservation);
        if (action.stored !== undefined && !(await action.stored)) return;
        if (this.#isStopped) return;
        if (made.status === 'wait') {
          this.#retries.defer(row, made);
          return;
        }
        await (made.status === 'signed'
          ? this.#signed.add(made.action)
          : this.#failed.add(failure(row.id, false, made.problem.toDocument())));
        if (!this.#outclaimed.delete(row.id)) {
          this.#retries.forget(row.id);
          return;
        }
        // The signed bytes were discarded and never sent.
        if (made.status === 'signed') await this.#claims.lose(made.action);
      }
      this.#retries.defer(row, outclaimed);
    } catch (error) {
      // The shard was lost, or the outcome of the commit is unknown. The action is read from the table again.
      if (!(error instanceof LeaseLost)) {
        this.#context.log('warn', 'sign.failed', {
          chain: this.#context.chain,
          detail: error instanceof Error ? error.message : 'unknown',
        });
      }
      if (isConstraint(error))
        this.#retries.defer(row, {
          code: 'plugin-fault',
          reason: 'The transaction cannot be stored: another transaction may have the same id.',
        });
      else this.#retries.hold(row.id, row.address, this.#context.timing.storeAgain);
    } finally {
      reservation.release();
      this.#claims.release(account, row.id);
      if (this.#withoutCapacity.has(row.address) && capacityOf(account, this.#tracker.open) > 0) this.wake();
    }
  }

  /** Prepares and signs an action. @throws StoreError */
  async #make(
    { row, wallet, isEstimated }: Taken,
    account: Account,
    reservation: Reservation,
  ): Promise<{ status: 'signed'; action: SignedAction } | NotSigned> {
    const grant = openGrant(this.#context.vault, row, keyTypeOf(row.key_type));
    if (grant !== null) this.#grants.add(grant);
    try {
      const item = { row, wallet, account, tracker: this.#tracker, grant, isEstimated, reservation };
      const [prepared] = await prepareActions(this.#context, this.#tracker, [item]);
      if (prepared?.status !== 'prepared') return prepared ?? unanswered;
      return await this.#claims.sign(prepared.action, async (one) => {
        const made = await signActions(this.#context, [one]);
        const [action] = made.signed;
        return action === undefined ? (made.failed.get(row.id) ?? unanswered) : { status: 'signed', action };
      });
    } finally {
      if (grant !== null) this.#grants.delete(grant);
      grant?.signer.destroy();
    }
  }

  /** Stores the actions of a batch, except those whose claims another action holds. */
  #commit(batch: readonly SignedAction[]): Promise<void> {
    const isNeeding = batch.some(({ attempts }) => attempts.some(({ needs }) => needs !== undefined));
    // Replacements are stored under the same mutex, so none of the transactions that these actions need is replaced at
    // the same time.
    return isNeeding ? this.#context.mutex.run(() => this.#store(batch)) : this.#store(batch);
  }

  async #store(batch: readonly SignedAction[]): Promise<void> {
    const { chain } = this.#context;
    let claimed = new Set<string>();
    await commitSigned(this.#context, batch, 'sign', async (tx) => {
      const claiming = batch.map(({ row, attempts }) => ({ actionId: row.id, attempts }));
      const overtaken = await readOvertaken(tx, chain, claiming);
      claimed = new Set([...(await readClaimed(tx, chain, claiming)), ...overtaken]);
      const free = batch.filter(({ row }) => !claimed.has(row.id));
      return storeSigned(tx, free, this.#context.now());
    });
    for (const id of claimed) this.#outclaimed.add(id);
  }
}

/** Maximum number of times that an action is immediately prepared again because its claims were taken. */
const mostClaimTries = 8;

/** The reason of an action that waits because its adapter chose claims of other actions each time. */
const outclaimed = {
  code: 'plugin-fault',
  reason:
    'Each transaction prepared for the action uses a claim of another pending transaction. The ledger plugin prepares the action again.',
} as const;

const unanswered = refusedBy(brokenContract('one answer for each request'));

/** Whether a single row of the batch may have caused the error. */
export const isConstraint = (error: unknown) => error instanceof StoreError && error.code === 'constraint';
