import type { ClaimingTransaction, Estimated, JsonObject, WalletIdentity } from '@ledger-ops/adapter';
import { StoreError } from '@ledger-ops/store';
import { adapterProblemFrom } from '../../adapter-problem.ts';
import type { ActionSigner } from '../../keys/signer.ts';
import { pendingCodeOf } from '../../pending-codes.ts';
import { hasEarlier, type ReadyRow, raiseOf } from '../../rows/actions/ready.ts';
import { type Grant, unopened } from '../../rows/attempts/signing-grant.ts';
import type { Attempt } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import { mayBeExecuted } from '../chains/unexecuted.ts';
import { gapReason } from '../replacing/sequence-gaps.ts';
import type { Tracker } from '../tracking/tracker.ts';
import { type Account, available, nextFree, type Reservation, reserve, shortOfFunds } from './accounts.ts';
import { estimateEach, withoutEstimate } from './estimate.ts';
import type { NotSigned } from './not-signed.ts';
import { planAction } from './plan.ts';
import { unknownTransactionsReason } from './unknown-transactions.ts';

/** An action whose dependencies are finished. */
export interface Ready {
  row: ReadyRow;
  wallet: WalletIdentity;
  account: Account;
  tracker: Tracker;
}

/** A ready action with the grant that signs it. */
export interface Opened extends Ready {
  /** The opened grant; null if it cannot be opened with the stored row. */
  grant: Grant | null;
  /** Whether the row's plan and cost come from an estimate. */
  isEstimated?: boolean;
  /** The action's reservation, if it already has one. */
  reservation?: Reservation;
}

/** An action with everything needed to sign it. */
export interface Prepared extends Ready {
  signer: ActionSigner;
  plan: JsonObject;
  /** The part of the plan that is stored only in encrypted form. */
  secret: JsonObject | undefined;
  /** Whether the plan was created just now and is not in the row yet. */
  isFresh: boolean;
  /** The maximum cost of the action. */
  cost: bigint;
  /**
   * Unsettled transactions of the account, whose claims the new transaction must not hold. Absent if there are none.
   */
  unsettled?: readonly ClaimingTransaction[];
  /**
   * Earlier transactions of the same action that may still be executed. The new transaction must share a claim with all
   * of them, so that at most one is executed. Absent if there are none.
   */
  earlier?: readonly Attempt[];
}

/** The caller of `prepareActions` must release the reservation. */
type Preparation = { status: 'prepared'; action: Prepared; reservation: Reservation } | NotSigned;

/**
 * Plans and estimates actions of one tracker, and reserves their costs in their accounts, in order. Returns
 * one preparation for each action. @throws StoreError
 */
export async function prepareActions(
  context: ChainContext,
  tracker: Tracker,
  items: readonly Opened[],
): Promise<Preparation[]> {
  const plans = await Promise.all(items.map((item) => planOf(context, item)));
  const toEstimate = plans.flatMap((plan) => (plan.status === 'planned' && !plan.isEstimated ? [plan] : []));
  const answers = await context.traces.call(
    {
      name: 'prepare',
      ledgerId: tracker.open.record.ledgerId,
      actions: toEstimate.map(({ item }) => item.row),
    },
    () =>
      estimateEach(
        context.timing,
        tracker.open,
        toEstimate.map(({ plan, raise, item: { wallet, row } }) => ({
          wallet,
          plan,
          minHeight: row.min_height,
          ...(raise === undefined ? {} : { raise }),
        })),
      ),
    (estimates, place) => {
      const estimate = estimates[place];
      return estimate?.status === 'ready' ? undefined : estimate?.problem.code;
    },
  );
  const estimates = new Map(toEstimate.map((plan, index) => [plan, answers[index]]));
  const prepared: Preparation[] = [];
  try {
    for (const plan of plans) {
      const isPlanned = plan.status === 'planned';
      prepared.push(isPlanned ? await reserveFor(context, plan, estimates.get(plan)) : plan);
    }
    return await Promise.all(
      prepared.map((one, index) =>
        one.status === 'failed' ? unlessExecuted(context, items[index], one) : one,
      ),
    );
  } catch (error) {
    for (const one of prepared) if (one.status === 'prepared') one.reservation.release();
    throw error;
  }
}

/**
 * Lets an action fail only if it was certainly not executed: a ledger may refuse an action because it already executed
 * it.
 */
async function unlessExecuted(
  context: ChainContext,
  item: Opened | undefined,
  failed: NotSigned,
): Promise<NotSigned> {
  if (item === undefined || !(await mayBeExecuted(context, item.tracker, item.row))) return failed;
  const reason = `The ledger refuses the action, but may already have executed it: the wallet ${item.row.address} has unknown transactions, or cannot be compared with the ledger now.`;
  return { status: 'wait', code: 'refused', reason };
}

type Planned = Extract<Awaited<ReturnType<typeof planOf>>, { status: 'planned' }>;

async function planOf({ store, traces, comparisons }: ChainContext, item: Opened) {
  const { row, wallet, tracker, grant } = item;
  if (grant === null) return { status: 'failed', problem: unopened() } as const;
  const { signer, secret } = grant;
  const signing = [row.address, ...(signer.others.others ?? []).map(({ address }) => address)];
  const hindrance = await comparisons.hinders(tracker.open, signing);
  if (hindrance !== undefined) return { status: 'wait', ...hindrance } as const;
  const { session, record, definition } = tracker.open;
  const check: typeof session.check = (request) =>
    traces.call({ name: 'check', ledgerId: record.ledgerId, actions: [row] }, () => session.check(request));
  const planned = await planAction(
    store.read,
    { check },
    { plan: row.plan, wallet, secret, ...signer.others },
  );
  if (planned.status !== 'planned') return planned;
  const raise = definition.capabilities.raisesExpired === true ? raiseOf(row) : undefined;
  const isEstimated = item.isEstimated === true && !planned.isFresh && raise === undefined;
  return { ...planned, item, signer, isEstimated, raise };
}

/** Reserves the cost of an action. Plan and cost are those of the estimate or, without one, those of the row. */
async function reserveFor(
  context: ChainContext,
  planned: Planned,
  estimate: Estimated = { status: 'ready', plan: planned.plan },
): Promise<Preparation> {
  const { item, signer, secret, isFresh } = planned;
  if (estimate.status !== 'ready') return withoutEstimate(estimate, () => hasOthersBefore(context, item));
  const { row, wallet, account, tracker } = item;
  const { plan, cost = BigInt(row.cost) } = estimate;
  const reservation = await reserveFunds(context, item, cost);
  if ('status' in reservation) return reservation;
  const action = { row, wallet, account, tracker, signer, plan, secret, isFresh, cost };
  return { status: 'prepared', action, reservation };
}

/**
 * Whether earlier actions of the account are pending. Always false on ledgers without sequences, where actions do not
 * wait for each other.
 */
async function hasOthersBefore({ store, chain }: ChainContext, { row, account, tracker }: Opened) {
  if (tracker.open.definition.capabilities.sequence === 'none') return false;
  return account.live.size > 0 || (await hasEarlier(store.read, chain, row));
}

/** Reserves the cost of an action, or returns why it has to wait. */
async function reserveFunds(
  { accounts, now }: ChainContext,
  { account, tracker, reservation }: Opened,
  cost: bigint,
): Promise<Reservation | NotSigned> {
  const { definition, session } = tracker.open;
  const { sequence, balance } = definition.capabilities;
  try {
    await accounts.refresh(account, session, {
      sequence: sequence === 'account',
      cost: balance ? cost : null,
    });
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const problem = adapterProblemFrom(error);
    return { status: 'wait', code: pendingCodeOf(problem), reason: problem.detail };
  }
  if (account.hasUnknown) {
    return { status: 'wait', ...unknownTransactionsReason(account.address) };
  }
  if (account.gap !== null && nextFree(account, now()) === undefined) {
    return { status: 'wait', code: 'nonce-gap', reason: gapReason(account.address, account.gap) };
  }
  const left = available(account);
  const alreadyReserved = reservation?.cost ?? 0n;
  if (left !== undefined && left + alreadyReserved < cost) {
    const unit = definition.description?.unit ?? null;
    const reason = shortOfFunds(account.address, left + alreadyReserved, cost, unit);
    return { status: 'wait', code: 'funds', reason };
  }
  return reservation ?? reserve(account, cost);
}
