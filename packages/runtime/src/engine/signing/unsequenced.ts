import type { WalletIdentity } from '@ledger-ops/adapter';
import { StoreError } from '@ledger-ops/store';
import { createBatcher } from '../../concurrency/batcher.ts';
import { createRunner } from '../../concurrency/runner.ts';
import { createTally } from '../../concurrency/tally.ts';
import { linesOf, type ReadyRow, readReady, walletOf } from '../../rows/actions/ready.ts';
import { type Grant, openGrant } from '../../rows/attempts/signing-grant.ts';
import { LeaseLost } from '../../rows/chains/shard-leases.ts';
import { failure, type Settlement } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Tracker } from '../tracking/types.ts';
import { type Account, type Reservation, reserve, roomOf } from './accounts.ts';
import { type NotSigned, refusedBy } from './not-signed.ts';
import { prepareActions } from './prepare.ts';
import { createRetrySchedule } from './retry-schedule.ts';
import { brokenContract } from './sign-rounds.ts';
import { commitSigned, type SignedAction, signActions, storeSigned } from './signer.ts';

/** Actions that are prepared at once on one ledger. */
const preparedAtOnce = 256;
/** Actions that are taken in hand, those that are being prepared among them. */
const handLimit = 1_024;
/** Part of the places that one account may take: one whose actions hang in being prepared leaves the rest to others. */
const partOfOne = 1 / 4;
/** Signed actions that are stored in one transaction. */
const storedAtOnce = 128;

/** An action that can be prepared. */
export interface Taken {
  row: ReadyRow;
  wallet: WalletIdentity;
  /** The adapter knows everything already: nothing is to be estimated. */
  isEstimated: boolean;
  /** It is being stored meanwhile: nothing of it counts before that, nor at all when this says false. Never rejects. */
  stored?: Promise<boolean>;
}

/**
 * Signs for one ledger whose transactions have no sequences: each action by itself, many at once, in no order. What one
 * waits for, or fails by, is its own.
 */
export interface Unsequenced {
  /** Accepted a moment ago: it goes on without a look at the table. False when there is no room for it at present. */
  take(action: Taken): boolean;
  /** Something may wait in the table. */
  wake(): void;
  /** Needs another transaction: it is looked for in the table after so many milliseconds. */
  again(actionId: string, address: string, delay: number): void;
  /** A transaction of the account ended: what waited for it may go. */
  roomFor(address: string): void;
  /** Resolves when nothing is being written any more; what adapters still answer is thrown away. */
  stop(): Promise<void>;
}

export function createUnsequenced(
  context: ChainContext,
  tracker: Tracker,
  fail: (settlements: readonly Settlement[]) => Promise<void>,
): Unsequenced {
  const { store, vault, chain, leases, accounts, log, now, timing } = context;
  const { open } = tracker;
  const reader = createRunner({ run: read, failed: readFailed, retryAfter: timing.storeAgain });
  const { wake } = reader;
  const retries = createRetrySchedule(context, wake);
  /** Taken in hand, by id. */
  const hand = new Set<string>();
  const waiting: Taken[] = [];
  /** By account: actions in hand, and those of them that are being prepared. */
  const inHand = createTally();
  const inPreparation = createTally();
  /** Accounts that have so many in hand that none is added before most of them are done. */
  const crowded = new Set<string>();
  /** Accounts that have no room for more transactions under way. */
  const full = new Set<string>();
  const grants = new Set<Grant>();
  const signed = createBatcher({ limit: storedAtOnce, write: commit, separate: isConstraint });
  const ends = createBatcher({ limit: storedAtOnce, write: fail, separate: isConstraint });
  let preparing = 0;
  /** The table holds more than could be taken in hand. */
  let more = false;
  let stopped = false;

  function take(action: Taken): boolean {
    const { id, address } = action.row;
    if (stopped || hand.has(id) || crowded.has(address)) return false;
    if (hand.size >= handLimit || full.has(address)) {
      more = true;
      return false;
    }
    hand.add(id);
    if (inHand.add(address) >= handLimit * partOfOne) crowded.add(address);
    waiting.push(action);
    pump();
    return true;
  }

  function pump(): void {
    while (!stopped && preparing < preparedAtOnce) {
      const next = waiting.findIndex(({ row }) => inPreparation.of(row.address) < preparedAtOnce * partOfOne);
      const [action] = next < 0 ? [] : waiting.splice(next, 1);
      if (action === undefined) break;
      preparing += 1;
      inPreparation.add(action.row.address);
      void handle(action).finally(() => {
        preparing -= 1;
        done(action.row);
        pump();
      });
    }
    if (more && preparing < preparedAtOnce) wake();
  }

  function done({ id, address }: ReadyRow): void {
    inPreparation.remove(address);
    hand.delete(id);
    const isLeft = inHand.remove(address) <= (handLimit * partOfOne) / 4;
    // Actions that found no room meanwhile are looked for now.
    if (isLeft && crowded.delete(address)) more = true;
  }

  async function read(): Promise<boolean> {
    if (tracker.retired || tracker.inDoubt) return false;
    more = false;
    // Room comes not only when transactions end: what was to become one may have failed, or be another server's.
    for (const address of full) {
      const account = accounts.known(address);
      if (account === undefined || roomOf(account, open) > 0) full.delete(address);
    }
    const limit = handLimit - hand.size;
    if (limit <= 0) {
      more = true;
      return false;
    }
    const rows = await readReady(store, {
      chain,
      shards: leases.held(),
      withoutIds: [...hand, ...retries.late()],
      withoutAddresses: [...full, ...crowded],
      lines: { only: linesOf(tracker) },
      limit,
    });
    for (const row of rows) take({ row, wallet: walletOf(row), isEstimated: row.steps > 0 });
    more ||= rows.length === limit;
    return false;
  }

  function readFailed(error: unknown): void {
    log('error', 'ready.failed', { chain, detail: error instanceof Error ? error.message : 'unknown' });
  }

  /** Takes one action as far as it goes now. Never rejects. */
  async function handle(action: Taken): Promise<void> {
    const { row } = action;
    const account = accounts.get(row.address, row.shard);
    if (roomOf(account, open) <= 0) {
      full.add(row.address);
      return;
    }
    const reservation = reserve(account, BigInt(row.cost));
    try {
      const made = await make(action, account, reservation);
      if (action.stored !== undefined && !(await action.stored)) return;
      if (stopped) return;
      if (made.status === 'wait') {
        retries.defer(row, made);
        return;
      }
      await (made.status === 'signed'
        ? signed.add(made.action)
        : ends.add(failure(row.id, false, made.problem.toDocument())));
      retries.forget(row.id);
    } catch (error) {
      // Another server's, or in doubt: what is so is read from the rows.
      if (!(error instanceof LeaseLost)) {
        log('warn', 'sign.failed', { chain, detail: error instanceof Error ? error.message : 'unknown' });
      }
      if (isConstraint(error))
        retries.defer(row, {
          code: 'plugin-fault',
          reason: 'Its transaction cannot be stored; its id may be that of another.',
        });
      else retries.hold(row.id, row.address, timing.storeAgain);
    } finally {
      reservation.release();
      if (full.has(row.address) && roomOf(account, open) > 0) wake();
    }
  }

  /** Prepares and signs. @throws StoreError */
  async function make(
    { row, wallet, isEstimated }: Taken,
    account: Account,
    reservation: Reservation,
  ): Promise<{ status: 'signed'; action: SignedAction } | NotSigned> {
    const grant = openGrant(vault, row, row.key_type);
    if (grant !== null) grants.add(grant);
    try {
      const item = { row, wallet, account, tracker, grant, isEstimated, reservation };
      const [prepared] = await prepareActions(context, tracker, [item]);
      if (prepared?.status !== 'prepared') return prepared ?? unanswered;
      const made = await signActions(context, [prepared.action]);
      const [action] = made.signed;
      return action === undefined ? (made.failed.get(row.id) ?? unanswered) : { status: 'signed', action };
    } finally {
      if (grant !== null) grants.delete(grant);
      grant?.key.destroy();
    }
  }

  function commit(batch: readonly SignedAction[]): Promise<void> {
    return commitSigned(context, batch, 'sign', (tx) => storeSigned(tx, batch, now()));
  }

  return {
    take,
    wake,
    again(actionId, address, delay) {
      if (delay > 0) retries.hold(actionId, address, delay);
      else retries.forget(actionId);
    },
    roomFor(address) {
      const wasFull = full.delete(address);
      if (retries.hasten(address) || wasFull) wake();
    },
    async stop() {
      stopped = true;
      retries.stop();
      // An adapter that hangs holds nothing up: what it still answers is not signed any more.
      for (const { key } of grants) key.destroy();
      await reader.stop();
      await signed.idle();
      await ends.idle();
    },
  };
}

/** An adapter that answers nothing of an action. */
const unanswered = refusedBy(brokenContract('one answer for each request'));

const isConstraint = (error: unknown) => error instanceof StoreError && error.code === 'constraint';
