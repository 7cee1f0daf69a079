import { setImmediate as turn } from 'node:timers/promises';
import { AdapterError, type JsonObject, type WalletIdentity } from '@ledger-ops/adapter';
import { together } from '@ledger-ops/store';
import { problemFrom } from '../../adapter-problem.ts';
import { Batcher } from '../../concurrency/batcher.ts';
import type { ActionSigner } from '../../keys/signer.ts';
import { countActionBytes } from '../../rows/actions/action-bytes.ts';
import {
  accountKey,
  type Compared,
  type DependentAccount,
  readFailed,
} from '../../rows/actions/dependents.ts';
import { insertActions, type Stage } from '../../rows/actions/insert-actions.ts';
import { acceptedRow } from '../../rows/actions/ready.ts';
import { refuseSuspended } from '../../rows/actions/suspensions.ts';
import { insertGrants, type SealedGrant, sealGrant } from '../../rows/attempts/signing-grant.ts';
import { LeaseLost } from '../../rows/chains/shard-leases.ts';
import { BatchRefused, type NewAction } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { EngineContext } from '../context.ts';
import type { Tracker } from '../tracking/tracker.ts';
import { type Account, available, capacityOf, nextFree, reserve } from './accounts.ts';
import type { Prepared } from './prepare.ts';
import { nonceConflict, type Refusal, signAndStore } from './signer.ts';
import { isConstraint, type Unsequenced } from './unsequenced.ts';

/** Maximum number of actions signed and stored in one transaction. */
const signLimit = 256;
/** Number of actions after which writing yields to the event loop. */
const perTurn = 50;

/** An operation that passed every check, with its unlocked wallet. */
export interface Acceptance {
  action: NewAction;
  wallet: WalletIdentity;
  plan: JsonObject;
  /** The part of the plan that is stored only in encrypted form. */
  secret: JsonObject | undefined;
  /** Whether the plan can be signed without an estimate. */
  ready: boolean;
  signer: ActionSigner;
}

/** An action to be stored unsigned. `stage` is set when it is stored. */
interface Unsigned {
  readonly action: NewAction;
  readonly grant: SealedGrant;
  stage: Stage | undefined;
}

/**
 * An action to sign immediately. `refusal` is the reason why the action was not signed; undefined if it was
 * signed.
 */
interface Queued {
  action: NewAction;
  prepared: Prepared;
  refusal: Refusal | undefined;
}

/**
 * Stores accepted actions: signed if they can be signed at once, otherwise unsigned. `#batches` contains the actions
 * that are about to be signed, and `#unsigned` those that are about to be stored unsigned. Actions that arrive at the
 * same time are stored in one database transaction.
 */
export class Acceptor {
  readonly #context: ChainContext;
  readonly #batches: Batcher<Queued>;
  readonly #unsigned: Batcher<Unsigned>;

  constructor(context: ChainContext) {
    this.#context = context;
    this.#batches = new Batcher({
      limit: signLimit,
      write: (batch) => this.#signBatch(batch),
      separate: isConstraint,
    });
    this.#unsigned = new Batcher({
      limit: perTurn,
      write: (batch) => this.#storeBatch(batch),
      separate: (error) => error instanceof BatchRefused || isConstraint(error),
    });
  }

  /**
   * Stores an accepted action. Durable once the promise resolves. Destroys the signer.
   * @param scheduler signs for a ledger without sequences; undefined for other ledgers
   * @throws Problem
   */
  async accept(acceptance: Acceptance, tracker: Tracker, scheduler: Unsequenced | undefined): Promise<void> {
    try {
      if (scheduler === undefined) {
        if (await this.#signNow(acceptance, tracker)) return;
        await this.#checkDemand(acceptance.action, tracker);
      }
      await this.#storeForLater(acceptance, tracker, scheduler);
    } catch (error) {
      throw error instanceof AdapterError ? problemFrom(error) : error;
    } finally {
      acceptance.signer.destroy();
    }
  }

  /** Resolves when nothing is being signed or stored. */
  async idle(): Promise<void> {
    await this.#batches.idle();
    await this.#unsigned.idle();
  }

  async #storeBatch(batch: readonly Unsigned[]): Promise<void> {
    const stages = await storeUnsigned(this.#context, batch);
    for (const one of batch) one.stage = stages.get(one.action.id);
  }

  async #signBatch(batch: readonly Queued[]): Promise<void> {
    const actions = new Map(batch.map(({ action }) => [action.id, action]));
    const prepared = batch.map((one) => one.prepared);
    const refused = await signAndStore(this.#context, prepared, 'accept', async (tx, signed) => {
      const rows = signed.flatMap(({ row }) => actions.get(row.id) ?? []);
      await refuseSuspended(tx, rows);
      await together(insertActions(tx, rows, 'signed'), countActionBytes(tx, rows));
    });
    for (const one of batch) one.refusal = refused.get(one.action.id);
    const stored = batch.filter(({ refusal }) => refusal === undefined);
    this.#context.actionBytes.add(stored.map(({ action }) => action));
  }

  /** Signs and stores the action. Returns false if the action cannot be signed now and must be stored unsigned. */
  async #signNow(acceptance: Acceptance, tracker: Tracker): Promise<boolean> {
    const { action, wallet, plan, secret, signer, ready } = acceptance;
    if (!ready || action.dependencies.length > 0) return false;
    if (!this.#context.signs(action.shard) || this.#context.isSuspended(action)) return false;
    const account = this.#context.accounts.get(action.address, action.shard);
    const { cost } = action;
    const { definition, session } = tracker.open;
    const cover = definition.capabilities.balance ? cost : null;
    await this.#context.accounts.refresh(account, session, { sequence: true, cost: cover });
    if (!this.#context.signs(action.shard) || mustQueue(account, tracker, cost, this.#context.now()))
      return false;
    const row = acceptedRow(action, definition.keyType);
    const prepared = { row, wallet, account, tracker, signer, plan, secret, isFresh: false, cost };
    const queued: Queued = { action, prepared, refusal: { status: 'gone' } };
    const reservation = reserve(account, cost);
    try {
      await this.#batches.add(queued);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      reservation.release();
    }
    const { refusal } = queued;
    if (refusal !== undefined && refusal.status !== 'gone') throw refusal.problem;
    return refusal === undefined;
  }

  /** If the action demands a sequence, checks that this is the next free one. @throws Problem `nonce-conflict` */
  async #checkDemand({ sequence, dependencies, address, shard }: NewAction, tracker: Tracker) {
    // If the action has dependencies, the next free sequence is not known yet. Signing checks it later.
    if (sequence === null || dependencies.length > 0) return;
    const account = this.#context.accounts.get(address, shard);
    await this.#context.accounts.refresh(account, tracker.open.session, { sequence: true, cost: null });
    const next = account.gap?.from ?? account.next;
    if (next !== undefined && next !== sequence) throw nonceConflict(sequence, address, next);
  }

  async #storeForLater(
    { action, wallet, secret, signer, ready }: Acceptance,
    tracker: Tracker,
    scheduler: Unsequenced | undefined,
  ): Promise<void> {
    const row = acceptedRow(action, tracker.open.definition.keyType);
    const grant = sealGrant(this.#context.vault, row, { signer, secret });
    const { promise: stored, resolve: setStored } = Promise.withResolvers<boolean>();
    // If the action can be signed at once, it is prepared while it is being stored. Before the commit, only proposals
    // are sent to the ledger, no transactions.
    const taken =
      action.dependencies.length === 0 &&
      this.#context.signs(action.shard) &&
      !this.#context.isSuspended(action) &&
      scheduler?.take({ row: { ...row, ...grant }, wallet, isEstimated: ready, stored }) === true;
    const unsigned: Unsigned = { action, grant, stage: undefined };
    // An action with dependencies locks their rows, so it is stored in a short transaction of its own.
    const storing =
      action.dependencies.length === 0 ? this.#unsigned.add(unsigned) : this.#storeBatch([unsigned]);
    await storing.catch((error: unknown) => {
      setStored(false);
      throw refusalIn(error);
    });
    const isReady = unsigned.stage === 'ready';
    setStored(isReady);
    if (isReady && !taken) this.#context.wake(action.chain);
  }
}

/**
 * Stores unsigned actions, possibly of different chains, in one transaction. Dependencies must come before their
 * dependents.
 */
export async function acceptBatch(context: EngineContext, acceptances: readonly Acceptance[]): Promise<void> {
  const sealed = sealAll(context.vault, acceptances);
  const stages = await storeUnsigned(context, sealed).catch((error: unknown) => {
    throw refusalIn(error);
  });
  const ready = sealed.filter(({ action }) => stages.get(action.id) === 'ready');
  for (const chain of new Set(ready.map(({ action }) => action.chain))) context.wake(chain);
}

/** Returns the first problem of a refused batch. Returns any other error unchanged. */
function refusalIn(error: unknown): unknown {
  return (error instanceof BatchRefused && [...error.refused.values()].find((one) => one !== null)) || error;
}

/** Stores actions with encrypted grants in one transaction; returns their stages. @throws BatchRefused */
async function storeUnsigned(
  context: EngineContext,
  sealed: readonly { action: NewAction; grant: SealedGrant }[],
): Promise<Map<string, Stage>> {
  const { store, meter, faults, announce, actionBytes, promotions } = context;
  const compared = await compareFailing(context, sealed);
  faults('accept:before-commit');
  const stages = await store.transaction(async (tx) => {
    const stages = new Map<string, Stage>();
    for (let at = 0; at < sealed.length; at += perTurn) {
      // Yields to the event loop, because a large batch takes long to write.
      if (at > 0) await turn();
      const some = sealed.slice(at, at + perTurn);
      // Grants are inserted first: inserting an action whose dependency has failed erases the action's grant.
      await insertGrants(
        tx,
        some.map(({ action, grant }) => [action.id, grant]),
      );
      const actions = some.map(({ action }) => action);
      for (const [id, stage] of await insertActions(tx, actions, 'ready', compared)) stages.set(id, stage);
    }
    await countActionBytes(
      tx,
      sealed.map(({ action }) => action),
    );
    return stages;
  });
  actionBytes.add(sealed.map(({ action }) => action));
  faults('accept:after-commit');
  const ids = sealed.map(({ action }) => action.id);
  promotions.remember(ids, false);
  announce(ids);
  for (const { action } of sealed) {
    meter.action(action.ledgerId, 'accepted');
    if (stages.get(action.id) === 'failed') meter.action(action.ledgerId, 'failed');
  }
  return stages;
}

/**
 * Compares the accounts of actions that fail immediately, because their dependencies failed. In the list, dependencies
 * must come before their dependents.
 */
async function compareFailing(
  { store, dependents }: EngineContext,
  sealed: readonly { action: NewAction }[],
): Promise<Compared> {
  const failed = await readFailed(
    store.read,
    sealed.flatMap(({ action }) => action.dependencies),
  );
  if (failed.size === 0) return new Set();
  const failing = sealed.filter(({ action }) => {
    const fails = action.dependencies.some((id) => failed.has(id));
    if (fails) failed.add(action.id);
    return fails;
  });
  const accounts = new Map<string, DependentAccount>(
    failing.map(({ action: { chain, address, ledgerUid, plugin, projectId } }) => [
      accountKey(chain, address),
      { chain, address, ledgerUid, plugin, projectUid: projectId },
    ]),
  );
  return await dependents.compareAll([...accounts.values()]);
}

function sealAll(vault: EngineContext['vault'], acceptances: readonly Acceptance[]) {
  try {
    return acceptances.map(({ action, signer, secret }) => {
      const { id, walletUid, ledgerUid, operation, plan } = action;
      const row = { id, wallet_uid: walletUid, ledger_uid: ledgerUid, operation, plan };
      return { action, grant: sealGrant(vault, row, { signer, secret }) };
    });
  } finally {
    for (const { signer } of acceptances) signer.destroy();
  }
}

/**
 * Whether an action must wait, because its account has no capacity, no known sequence, too few funds or earlier actions
 * in the queue.
 */
export function mustQueue(
  account: Account,
  { open }: Pick<Tracker, 'open'>,
  cost: bigint,
  now: number,
): boolean {
  if (account.backlog || capacityOf(account, open) <= 0 || nextFree(account, now) === undefined) return true;
  const left = available(account);
  return left !== undefined && left < cost;
}
