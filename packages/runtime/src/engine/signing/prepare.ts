import type { Estimated, JsonObject, WalletIdentity } from '@ledger-ops/adapter';
import { StoreError } from '@ledger-ops/store';
import { adapterProblemFrom } from '../../adapter-problem.ts';
import type { WalletKey } from '../../keys/types.ts';
import { pendingCodeOf } from '../../pending-codes.ts';
import { hasEarlier, type ReadyRow } from '../../rows/actions/ready.ts';
import { type Grant, unopened } from '../../rows/attempts/signing-grant.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import { gapWords } from '../replacing/sequence-gaps.ts';
import type { Tracker } from '../tracking/types.ts';
import { type Account, available, nextFree, type Reservation, reserve, shortOfFunds } from './accounts.ts';
import { estimateEach, withoutEstimate } from './estimate.ts';
import type { NotSigned } from './not-signed.ts';
import { othersOf } from './others.ts';
import { planAction } from './plan.ts';

/** An action that can be signed as far as its dependencies go. */
export interface Ready {
  row: ReadyRow;
  wallet: WalletIdentity;
  account: Account;
  tracker: Tracker;
}

/** With what signs it. */
export interface Opened extends Ready {
  /** Null: it does not open for what is stored with it. */
  grant: Grant | null;
  /** The row's plan and cost are estimates already. */
  isEstimated?: boolean;
  /** Of its account, made already. */
  reservation?: Reservation;
}

/** An action with all that it is signed by. */
export interface Prepared extends Ready {
  key: WalletKey;
  plan: JsonObject;
  /** The part of the plan that is not stored in the clear. */
  secret: JsonObject | undefined;
  /** The plan was made now: the row does not hold it. */
  isFresh: boolean;
  /** The most that it can take. */
  cost: bigint;
}

/** The reservation is released by whoever asked for the preparation. */
type Preparation = { status: 'prepared'; action: Prepared; reservation: Reservation } | NotSigned;

/**
 * Plans and estimates actions of one tracker, and reserves what they take of their accounts, in their order. Answers one
 * preparation for each. @throws StoreError
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
        toEstimate.map(({ plan, item: { wallet, row } }) => ({ wallet, plan, minHeight: row.min_height })),
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
  } catch (error) {
    for (const one of prepared) if (one.status === 'prepared') one.reservation.release();
    throw error;
  }
  return prepared;
}

/** An action with its plan. */
type Planned = Extract<Awaited<ReturnType<typeof planOf>>, { status: 'planned' }>;

async function planOf({ store, traces }: ChainContext, item: Opened) {
  const { row, wallet, tracker, grant } = item;
  if (grant === null) return { status: 'failed', problem: unopened() } as const;
  const { key, secret } = grant;
  const { session, record } = tracker.open;
  const check: typeof session.check = (request) =>
    traces.call({ name: 'check', ledgerId: record.ledgerId, actions: [row] }, () => session.check(request));
  const planned = await planAction(
    store.read,
    { check },
    {
      ...{ plan: row.plan, wallet, secret },
      ...othersOf(key),
    },
  );
  if (planned.status !== 'planned') return planned;
  return { ...planned, item, key, isEstimated: item.isEstimated === true && !planned.isFresh };
}

/** The plan becomes that of the estimate; without one the row's own cost counts. */
async function reserveFor(
  context: ChainContext,
  planned: Planned,
  estimate: Estimated = { status: 'ready', plan: planned.plan },
): Promise<Preparation> {
  const { item, key, secret, isFresh } = planned;
  if (estimate.status !== 'ready') return withoutEstimate(estimate, () => hasOthersBefore(context, item));
  const { row, wallet, account, tracker } = item;
  const { plan, cost = BigInt(row.cost) } = estimate;
  const reservation = await reserveFunds(context, item, cost);
  if ('status' in reservation) return reservation;
  const action = { row, wallet, account, tracker, key, plan, secret, isFresh, cost };
  return { status: 'prepared', action, reservation };
}

/** Without sequences no action is behind another. */
async function hasOthersBefore({ store, chain }: ChainContext, { row, account, tracker }: Opened) {
  if (tracker.open.definition.capabilities.sequence === 'none') return false;
  return account.live.size > 0 || (await hasEarlier(store.read, chain, row));
}

/** Reserves the cost of an action, or says why it has to wait. */
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
  if (account.gap !== null && nextFree(account, now()) === undefined) {
    return { status: 'wait', code: 'nonce-gap', reason: gapWords(account.address, account.gap) };
  }
  const left = available(account);
  const own = reservation?.cost ?? 0n;
  if (left !== undefined && left + own < cost) {
    return { status: 'wait', code: 'funds', reason: shortOfFunds(account.address, left + own, cost) };
  }
  return reservation ?? reserve(account, cost);
}
