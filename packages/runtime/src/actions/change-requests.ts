import type { Capabilities } from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem, type Secret } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/store';
import { once, recordAnswer, type Store, type Tx } from '@ledger-ops/store';
import type { Engine } from '../engine/engine.ts';
import { ActionSigner } from '../keys/signer.ts';
import type { GrantVault, Vault } from '../keys/vault.ts';
import type { Ledgers } from '../ledgers.ts';
import type { OpenLedger } from '../open-ledger.ts';
import { type ChangeResult, hasEnded } from '../rows/actions/change-requests.ts';
import { type SealedGrant, sealGrant } from '../rows/attempts/signing-grant.ts';
import type { Change } from '../rows/model.ts';
import { isExclusive } from '../rows/unknown-transactions.ts';
import type { Wallets } from '../wallets/wallets.ts';
import type { ActionView, CancelRequest, HurryRequest } from './types.ts';

/**
 * Maximum number of tries to apply a change request. A try fails if the action is signed or completed at the same time.
 */
const mostTries = 8;

export interface ChangeRequestsOptions {
  store: Store;
  wallets: Pick<Wallets, 'demand'>;
  ledgers: Pick<Ledgers, 'open' | 'reopen'>;
  vault: GrantVault & Pick<Vault, 'unlock'>;
  engine: Pick<Engine, 'change' | 'compare' | 'compareDependents'>;
  get: (principal: Principal, actionId: string) => Promise<ActionView>;
  now: () => number;
}

/** Columns of an action that determine which changes are possible. */
type Row = {
  id: string;
  project_id: string;
  wallet_uid: string;
  ledger_uid: string;
  plugin: string | null;
  operation: string;
  plan: string;
  stage: string;
  change: string | null;
  ledger_id: string;
  chain: string;
  address: string;
};

/** A transaction of the action that has no outcome yet. Lists of these are in the order of signing. */
export type Signed = {
  kind: string;
  sequence: number | null;
  valid_until: number | null;
  /** 1 if the transaction has claims. */
  claiming: number;
  /** 1 if the transaction's row contains a grant, with which replacements can be signed. */
  kept: number;
};

export const signedColumns = `kind, sequence, valid_until, CASE WHEN claims IS NULL THEN 0 ELSE 1 END AS claiming,
  CASE WHEN sealed IS NULL THEN 0 ELSE 1 END AS kept`;

interface Asked {
  principal: Principal;
  change: Change;
  password: Secret | undefined;
  claim: IdempotencyClaim | undefined;
}

/** Cancels actions and raises their fees, for callers that may use their wallets. */
export class ChangeRequests {
  readonly #options: ChangeRequestsOptions;

  constructor(options: ChangeRequestsOptions) {
    this.#options = options;
  }

  /**
   * Cancels an action. An unsigned action fails at once. For a signed action, requests a replacement with the same
   * nonce; the ledger decides which of the two transactions is mined. Repeated requests return the same result.
   * @throws Problem `not-found`, `not-permitted`, `wrong-wallet-password`, `conflict` if the action is final or was
   * sent to a ledger on which transactions cannot be replaced
   */
  cancel(
    principal: Principal,
    actionId: string,
    { walletPassword }: CancelRequest,
    claim?: IdempotencyClaim,
  ): Promise<ActionView> {
    const change: Change = { kind: 'cancel', cap: null };
    return this.#ask(actionId, { principal, change, password: walletPassword, claim });
  }

  /** Raises the fee of a signed action. @throws Problem like `cancel` */
  hurry(
    principal: Principal,
    actionId: string,
    { walletPassword, maxFee }: HurryRequest,
    claim?: IdempotencyClaim,
  ): Promise<ActionView> {
    const change: Change = { kind: 'hurry', cap: maxFee ?? null };
    return this.#ask(actionId, { principal, change, password: walletPassword, claim });
  }

  async #ask(actionId: string, asked: Asked): Promise<ActionView> {
    const { principal, password } = asked;
    const seen = await this.#options.get(principal, actionId);
    const wallet = await this.#options.wallets.demand(principal, 'wallet:transact', seen.walletId);
    // A password in the request is checked even if it is not needed.
    const signer =
      password === undefined
        ? null
        : new ActionSigner(await this.#options.vault.unlock(wallet, password, principal));
    try {
      for (let tries = 0; tries < mostTries; tries += 1) {
        const view = tries === 0 ? seen : await this.#options.get(principal, actionId);
        const answer = await this.#tryOnce(actionId, view, signer, asked);
        if (answer !== null) return answer;
      }
    } finally {
      signer?.destroy();
    }
    throw new Problem(
      'conflict',
      `The action ${actionId} is being changed by another request. Send the request again.`,
    );
  }

  /** Applies the change once. Returns null if the action was signed or completed in the meantime. */
  async #tryOnce(
    actionId: string,
    view: ActionView,
    signer: ActionSigner | null,
    asked: Asked,
  ): Promise<ActionView | null> {
    const { principal, change } = asked;
    const isCancel = change.kind === 'cancel';
    if (view.status !== 'PENDING') {
      if (isCancel && view.problem?.type === cancelledType) return await this.#keep(view, asked);
      throw hasEnded(actionId, view.status);
    }
    const row = await this.#read(view.uid);
    if (row === undefined) return null;
    if (row.change === 'cancel') {
      if (isCancel) return await this.#keep(view, asked);
      throw new Problem(
        'conflict',
        `The action ${actionId} is being canceled, so its fee can no longer be raised.`,
      );
    }
    const isSigned = row.stage === 'signed';
    if (!isSigned && !isCancel) throw unsigned(actionId, view);
    const grant = isSigned ? await this.#grantFor(actionId, row, signer, change) : null;
    const isCompared = isSigned || (await this.#isCompared(row));
    const compared = isSigned ? new Set<string>() : await this.#options.engine.compareDependents(row.id);
    const by = { serviceId: principal.serviceId, appId: principal.appId };
    const at = this.#options.now();
    const answer = (made: ChangeResult) => answered(view, row, change, made, at);
    const made = await this.#options.engine.change(
      { actionId: row.id, change, by, at, isSigned, isCompared, compared, grant },
      async (tx, made) => await this.#keepIn(tx, answer(made), asked),
    );
    return made.status === 'moved' ? null : answer(made);
  }

  async #read(id: string): Promise<Row | undefined> {
    const [row] = await this.#options.store.read.all<Row>(
      `SELECT id, project_id, wallet_uid, ledger_uid, ledger_id, plugin, operation, plan, stage, change, chain, address FROM action
        WHERE id = $1 AND status = 'PENDING'`,
      [id],
    );
    return row;
  }

  async #readSigned(id: string): Promise<Signed[]> {
    return this.#options.store.read.all<Signed>(
      `SELECT ${signedColumns} FROM attempt
        WHERE action_id = $1 AND settled_at IS NULL ORDER BY n`,
      [id],
    );
  }

  /**
   * Returns a grant to store, with which the replacement will be signed; null if none is needed, because one is stored
   * or replacements were signed in advance.
   * @throws Problem `conflict`, `invalid-request`
   */
  async #grantFor(
    actionId: string,
    row: Row,
    signer: ActionSigner | null,
    change: Change,
  ): Promise<SealedGrant | null> {
    const signed = await this.#readSigned(row.id);
    if (change.kind === 'hurry' && mayBeFollowed(signed)) {
      const open = await this.#openFor(row);
      // The stored grant can sign the action's next transaction, which is signed only after the current one expires.
      if (open?.definition.capabilities.raisesExpired === true) return null;
    }
    refuse(actionId, row, signed, change);
    if (hasReplacement(signed)) return null;
    const open = await this.#openFor(row);
    if (open?.definition.capabilities.onDemandReplacement !== true) {
      const why =
        open === null
          ? 'the plugin that signed it is no longer available'
          : 'the plugin of its ledger cannot replace transactions';
      throw new Problem(
        'conflict',
        `The action ${actionId} is already signed, and no other transaction can replace it: ${why}. The ledger decides its outcome.`,
      );
    }
    // The stored grant remains available for a further transaction of the action.
    if (signed.some(({ kept }) => kept === 1)) return null;
    if (signer === null) {
      const detail = 'is required, because no key is stored that can sign a replacement transaction';
      throw invalidRequest([{ pointer: '/walletPassword', detail }]);
    }
    return sealGrant(
      this.#options.vault,
      row,
      { signer, secret: undefined },
      signed[0]?.sequence ?? undefined,
    );
  }

  /**
   * Compares an exclusive wallet with its ledger before one of its unsigned actions is canceled. If the database was
   * restored, the ledger may have executed the action although the database lists it as unsigned. Returns false if the
   * wallet cannot be compared.
   */
  async #isCompared(row: Row): Promise<boolean> {
    const { store, engine } = this.#options;
    if (!(await isExclusive(store.read, row.chain, row.address))) return true;
    const open = await this.#openFor(row).catch(() => null);
    return open !== null && (await engine.compare(open, row.chain, row.address));
  }

  async #openFor({ ledger_uid, plugin, project_id }: Row): Promise<OpenLedger | null> {
    return plugin === null
      ? await this.#options.ledgers.open(ledger_uid, { projectUid: project_id })
      : await this.#options.ledgers.reopen(ledger_uid, plugin);
  }

  async #keep(view: ActionView, asked: Asked): Promise<ActionView> {
    const { claim } = asked;
    return claim === undefined
      ? view
      : await once(this.#options.store, { claim, status: statusOf(view) }, async () => view);
  }

  async #keepIn(tx: Tx, view: ActionView, { claim }: Asked): Promise<void> {
    if (claim !== undefined) await recordAnswer(tx, claim, statusOf(view), JSON.stringify(view));
  }
}

/** Returns the HTTP status code of the response. */
function statusOf(view: ActionView): 200 | 202 {
  return view.status === 'PENDING' ? 202 : 200;
}

const cancelledType = new Problem('cancelled', '').toDocument().type;

/** Whether every transaction expires. If the ledger executes none of them in time, another transaction is signed. */
function mayBeFollowed(signed: readonly Signed[]): boolean {
  return signed.length > 0 && signed.every((one) => one.sequence === null && one.valid_until !== null);
}

/**
 * Whether every transaction has a nonce or claims, so that a replacement with the same nonce or claims prevents its
 * execution.
 */
function areReplaceable(signed: readonly Signed[]): boolean {
  return signed.every(({ sequence, claiming }) => sequence !== null || claiming === 1);
}

/** Whether an empty transaction was already signed on demand, so that no fee bump is possible anymore. */
function isGivenUp(signed: readonly Signed[]): boolean {
  return signed.some(({ kept }) => kept === 1) && signed.at(-1)?.kind === 'noop';
}

/** Whether replacements were signed in advance, or a grant to sign them is stored. */
function hasReplacement(signed: readonly Signed[]): boolean {
  return signed.some(({ kept, kind, sequence }) => sequence !== null && (kept === 1 || kind === 'noop'));
}

/**
 * Returns the change requests that a pending action accepts now.
 * @param capabilities of the plugin that signed the action; undefined if the plugin is not available
 */
export function possibleChanges(
  stage: 'blocked' | 'ready' | 'signed',
  requested: Change['kind'] | null,
  signed: readonly Signed[],
  capabilities: Partial<Pick<Capabilities, 'onDemandReplacement' | 'raisesExpired'>> | undefined,
): Change['kind'][] {
  if (requested === 'cancel') return [];
  if (stage !== 'signed') return ['cancel'];
  const { onDemandReplacement = false, raisesExpired = false } = capabilities ?? {
    ...{ onDemandReplacement: true, raisesExpired: true },
  };
  const canCancel = areReplaceable(signed) && (onDemandReplacement || hasReplacement(signed));
  const canHurry = (raisesExpired && mayBeFollowed(signed)) || (canCancel && !isGivenUp(signed));
  return [...(canHurry ? ['hurry' as const] : []), ...(canCancel ? ['cancel' as const] : [])];
}

/** Rejects a change that no replacement can make. @throws Problem `conflict` */
function refuse(actionId: string, row: Row, signed: readonly Signed[], change: Change): void {
  if (!areReplaceable(signed)) {
    const what = change.kind === 'cancel' ? 'canceled' : 'sent with a higher fee';
    throw new Problem(
      'conflict',
      `The action ${actionId} cannot be ${what}: it is signed and may have been sent, and transactions on the ledger ${row.ledger_id} cannot be withdrawn. The ledger decides its outcome.`,
    );
  }
  if (change.kind === 'cancel') return;
  if (isGivenUp(signed)) {
    throw new Problem(
      'conflict',
      `The action ${actionId} was given up, and an empty transaction is being sent instead. Its fee can no longer be raised.`,
    );
  }
  if (
    signed.every(({ kept }) => kept === 0) &&
    change.cap !== null &&
    signed.some(({ kind }) => kind !== 'main')
  ) {
    throw new Problem(
      'conflict',
      `The fees of the action ${actionId} were signed in advance within the fee cap of the ledger ${row.ledger_id}, so maxFee cannot limit them. Leave maxFee out.`,
    );
  }
}

function unsigned(actionId: string, { pending }: ActionView): Problem {
  return new Problem(
    'conflict',
    `The action ${actionId} is not signed yet, so there is no fee to raise. ${pending?.detail ?? ''}`.trim(),
  );
}

/** Texts for users about a change request in progress. They are shown before the action's other pending reasons. */
export function changeRequestText(kind: string | null): string[] {
  if (kind === 'cancel')
    return [
      'Cancellation was requested. Either the operation or an empty transaction in its place will be mined.',
    ];
  return kind === 'hurry' ? ['A higher fee was requested.'] : [];
}

/** Returns the action as the response shows it after the change. */
function answered(view: ActionView, row: Row, { kind }: Change, made: ChangeResult, at: number): ActionView {
  if (made.status === 'ended')
    return {
      ...view,
      ...{ status: 'FAILED', ledgerId: row.ledger_id, pending: null, problem: made.problem, updatedAt: at },
    };
  const detail = [view.pending?.detail ?? '', ...changeRequestText(kind)].join(' ').trim();
  return { ...view, pending: { stage: 'signed', code: 'confirmation', detail }, updatedAt: at };
}
