import { setImmediate as turn } from 'node:timers/promises';
import { AdapterError, type JsonObject, type WalletIdentity } from '@ledger-ops/adapter';
import { StoreError } from '@ledger-ops/store';
import { problemFrom } from '../../adapter-problem.ts';
import { createBatcher } from '../../concurrency/batcher.ts';
import type { WalletKey } from '../../keys/types.ts';
import { insertActions, type Stage } from '../../rows/actions/insert-actions.ts';
import { acceptedRow } from '../../rows/actions/ready.ts';
import { refuseSuspended } from '../../rows/actions/suspensions.ts';
import { insertGrants, type SealedGrant, sealGrant } from '../../rows/attempts/signing-grant.ts';
import { LeaseLost } from '../../rows/chains/shard-leases.ts';
import { BatchRefused, type NewAction } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { EngineContext } from '../context.ts';
import type { Tracker } from '../tracking/types.ts';
import { type Account, available, nextFree, reserve, roomOf } from './accounts.ts';
import type { Prepared } from './prepare.ts';
import { nonceConflict, type Refusal, signAndStore } from './signer.ts';
import type { Unsequenced } from './unsequenced.ts';

/** Actions that are signed and stored in one transaction. */
const signLimit = 256;
/** Actions that are written in one turn of the event loop. */
const perTurn = 50;

/** An operation that passed every check and whose wallet is unlocked. */
export interface Acceptance {
  action: NewAction;
  wallet: WalletIdentity;
  plan: JsonObject;
  /** The part of the plan that is not stored in the clear. */
  secret: JsonObject | undefined;
  /** The adapter knows everything already: nothing is to be estimated. */
  ready: boolean;
  key: WalletKey;
}

/** Stores what is accepted: signed at once when nothing must be waited for, else unsigned. */
export interface Acceptor {
  /** Durable once it resolves. `scheduler`: who signs for the ledger, where there are no sequences. @throws Problem */
  accept(acceptance: Acceptance, tracker: Tracker, scheduler: Unsequenced | undefined): Promise<void>;
  /** Resolves when nothing is being signed any more. */
  idle(): Promise<void>;
}

/** On its way to being signed at once. `refusal`: why it is not signed; undefined: it is. */
interface Queued {
  action: NewAction;
  prepared: Prepared;
  refusal: Refusal | undefined;
}

export function createAcceptor(context: ChainContext): Acceptor {
  const { vault, accounts, now } = context;
  /** All that arrives at once is signed and stored in one transaction. */
  const batches = createBatcher<Queued>({
    limit: signLimit,
    write: signBatch,
    separate: (error) => error instanceof StoreError && error.code === 'constraint',
  });

  async function signBatch(batch: readonly Queued[]): Promise<void> {
    const actions = new Map(batch.map(({ action }) => [action.id, action]));
    const prepared = batch.map((one) => one.prepared);
    const refused = await signAndStore(context, prepared, 'accept', async (tx, signed) => {
      const rows = signed.flatMap(({ row }) => actions.get(row.id) ?? []);
      await refuseSuspended(tx, rows);
      await insertActions(tx, rows, 'signed');
    });
    for (const one of batch) one.refusal = refused.get(one.action.id);
  }

  /** False when it has to be stored unsigned. @throws Problem */
  async function signNow(acceptance: Acceptance, tracker: Tracker): Promise<boolean> {
    const { action, wallet, plan, secret, key, ready } = acceptance;
    if (!ready || action.dependencies.length > 0) return false;
    if (!context.signs(action.shard) || context.isSuspended(action)) return false;
    const account = accounts.get(action.address, action.shard);
    const { cost } = action;
    const { definition, session } = tracker.open;
    const cover = definition.capabilities.balance ? cost : null;
    await accounts.refresh(account, session, { sequence: true, cost: cover });
    if (!context.signs(action.shard) || mustQueue(account, tracker, cost, now())) return false;
    const row = acceptedRow(action, definition.keyType);
    const prepared = { row, wallet, account, tracker, key, plan, secret, isFresh: false, cost };
    const queued: Queued = { action, prepared, refusal: { status: 'gone' } };
    const reservation = reserve(account, cost);
    try {
      await batches.add(queued);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      reservation.release();
    }
    const { refusal } = queued;
    if (refusal !== undefined && refusal.status !== 'gone') throw refusal.problem;
    return refusal === undefined;
  }

  /** An unsigned action that demands a sequence must demand the next free one. @throws Problem `nonce-conflict` */
  async function checkDemand({ sequence, dependencies, address, shard }: NewAction, tracker: Tracker) {
    // Behind a dependency the next free one is not known yet: it is checked when the action is signed.
    if (sequence === null || dependencies.length > 0) return;
    const account = accounts.get(address, shard);
    await accounts.refresh(account, tracker.open.session, { sequence: true, cost: null });
    const next = account.gap?.from ?? account.next;
    if (next !== undefined && next !== sequence) throw nonceConflict(sequence, address, next);
  }

  async function putOff(
    { action, wallet, secret, key, ready }: Acceptance,
    tracker: Tracker,
    scheduler: Unsequenced | undefined,
  ): Promise<void> {
    const row = acceptedRow(action, tracker.open.definition.keyType);
    const grant = sealGrant(vault, row, { key, secret });
    const { promise: stored, resolve: tellStored } = Promise.withResolvers<boolean>();
    // With nothing else to wait for it is prepared while it is stored: only proposals leave this server before that.
    const taken =
      action.dependencies.length === 0 &&
      context.signs(action.shard) &&
      !context.isSuspended(action) &&
      scheduler?.take({ row: { ...row, ...grant }, wallet, isEstimated: ready, stored }) === true;
    const stages = await storeUnsigned(context, [{ action, grant }]).catch((error: unknown) => {
      tellStored(false);
      throw error;
    });
    const isReady = stages.get(action.id) === 'ready';
    tellStored(isReady);
    if (isReady && !taken) context.wake(action.chain);
  }

  return {
    async accept(acceptance, tracker, scheduler) {
      try {
        if (scheduler === undefined) {
          if (await signNow(acceptance, tracker)) return;
          await checkDemand(acceptance.action, tracker);
        }
        await putOff(acceptance, tracker, scheduler);
      } catch (error) {
        throw error instanceof AdapterError ? problemFrom(error) : error;
      } finally {
        acceptance.key.destroy();
      }
    },
    idle: batches.idle,
  };
}

/** Stores actions of any chains unsigned, in one transaction: dependencies before those that wait for them. */
export async function acceptTogether(
  context: EngineContext,
  acceptances: readonly Acceptance[],
): Promise<void> {
  const sealed = sealAll(context.vault, acceptances);
  const stages = await storeUnsigned(context, sealed);
  const ready = sealed.filter(({ action }) => stages.get(action.id) === 'ready');
  for (const chain of new Set(ready.map(({ action }) => action.chain))) context.wake(chain);
}

/** The same of what is sealed. Answers the stages of the actions. @throws Problem */
async function storeUnsigned(
  { store, meter, faults, announce }: EngineContext,
  sealed: readonly { action: NewAction; grant: SealedGrant }[],
): Promise<Map<string, Stage>> {
  faults('accept:before-commit');
  const stages = await store
    .transaction(async (tx) => {
      const stages = new Map<string, Stage>();
      for (let at = 0; at < sealed.length; at += perTurn) {
        // One long transaction, and no long turn.
        if (at > 0) await turn();
        const some = sealed.slice(at, at + perTurn);
        // The grants first: a dependency that has failed already erases them again.
        await insertGrants(
          tx,
          some.map(({ action, grant }) => [action.id, grant]),
        );
        const actions = some.map(({ action }) => action);
        for (const [id, stage] of await insertActions(tx, actions, 'ready')) stages.set(id, stage);
      }
      return stages;
    })
    .catch((error: unknown) => {
      throw (
        (error instanceof BatchRefused && [...error.refused.values()].find((one) => one !== null)) || error
      );
    });
  faults('accept:after-commit');
  announce(sealed.map(({ action }) => action.id));
  for (const { action } of sealed) {
    meter.action(action.ledgerId, 'accepted');
    if (stages.get(action.id) === 'failed') meter.action(action.ledgerId, 'failed');
  }
  return stages;
}

function sealAll(vault: EngineContext['vault'], acceptances: readonly Acceptance[]) {
  try {
    return acceptances.map(({ action, key, secret }) => {
      const { id, walletUid, ledgerUid, operation, plan } = action;
      const row = { id, wallet_uid: walletUid, ledger_uid: ledgerUid, operation, plan };
      return { action, grant: sealGrant(vault, row, { key, secret }) };
    });
  } finally {
    for (const { key } of acceptances) key.destroy();
  }
}

/** Whether an account has no room, no sequence or no funds for another action now, or earlier ones are in the queue. */
export function mustQueue(
  account: Account,
  { open }: Pick<Tracker, 'open'>,
  cost: bigint,
  now: number,
): boolean {
  if (account.backlog || roomOf(account, open) <= 0 || nextFree(account, now) === undefined) return true;
  const left = available(account);
  return left !== undefined && left < cost;
}
