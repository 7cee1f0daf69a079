import type { Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem, type Secret } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/store';
import { once, recordAnswer, type Store, type Tx } from '@ledger-ops/store';
import type { Engine } from '../engine/engine.ts';
import type { Vault, WalletKey } from '../keys/types.ts';
import type { Ledgers, OpenLedger } from '../open-ledger.ts';
import { type ChangeResult, hasEnded } from '../rows/actions/change-requests.ts';
import { type SealedGrant, sealGrant } from '../rows/attempts/signing-grant.ts';
import type { Change } from '../rows/model.ts';
import type { Wallets } from '../wallets/types.ts';
import type { Actions, ActionView, HurryRequest } from './types.ts';

/** Times that a request is looked at anew since its action was signed, or ended, meanwhile. */
const mostTries = 8;

export interface ChangeRequestsOptions {
  store: Store;
  wallets: Pick<Wallets, 'demand'>;
  ledgers: Pick<Ledgers, 'open' | 'reopen'>;
  vault: Vault;
  engine: Pick<Engine, 'change'>;
  get: Actions['get'];
  now: () => number;
}

/** An action, as far as it decides what can be changed of it. */
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
};

/** A transaction of it that has no outcome, in the order in which they were signed. */
type Signed = { kind: string; sequence: number | null; kept: number };

interface Asked {
  principal: Principal;
  change: Change;
  password: Secret | undefined;
  claim: IdempotencyClaim | undefined;
}

/** Cancels and hurries actions, for who may use their wallets. */
export function createChangeRequests(options: ChangeRequestsOptions): Pick<Actions, 'cancel' | 'hurry'> {
  const { store, wallets, ledgers, vault, engine, get, now } = options;

  async function ask(actionId: string, asked: Asked): Promise<ActionView> {
    const { principal, password } = asked;
    const seen = await get(principal, actionId);
    const wallet = await wallets.demand(principal, 'wallet:transact', seen.walletId);
    // A password that is not needed must be right all the same.
    const key = password === undefined ? null : await vault.unlock(wallet, password, principal);
    try {
      for (let tries = 0; tries < mostTries; tries += 1) {
        const view = tries === 0 ? seen : await get(principal, actionId);
        const answer = await tryOnce(actionId, view, key, asked);
        if (answer !== null) return answer;
      }
    } finally {
      key?.destroy();
    }
    throw new Problem('conflict', `The action ${actionId} changes at this moment. Send the request again.`);
  }

  /** Null: it was signed, or ended, meanwhile. */
  async function tryOnce(
    actionId: string,
    view: ActionView,
    key: WalletKey | null,
    asked: Asked,
  ): Promise<ActionView | null> {
    const { principal, change } = asked;
    const isCancel = change.kind === 'cancel';
    if (view.status !== 'PENDING') {
      if (isCancel && view.problem?.type === cancelledType) return await keep(view, asked);
      throw hasEnded(actionId, view.status);
    }
    const row = await read(view.uid);
    if (row === undefined) return null;
    if (row.change === 'cancel') {
      if (isCancel) return await keep(view, asked);
      throw new Problem(
        'conflict',
        `The action ${actionId} is being cancelled: it cannot be hurried any more.`,
      );
    }
    const isSigned = row.stage === 'signed';
    if (!isSigned && !isCancel) throw unsigned(actionId, view);
    const grant = isSigned ? await grantFor(actionId, row, key, change) : null;
    const by = { serviceId: principal.serviceId, appId: principal.appId };
    const at = now();
    const answer = (made: ChangeResult) => answered(view, row, change, made, at);
    const made = await engine.change(
      { actionId: row.id, change, by, at, isSigned, grant },
      async (tx, made) => await keepIn(tx, answer(made), asked),
    );
    return made.status === 'moved' ? null : answer(made);
  }

  async function read(id: string): Promise<Row | undefined> {
    const [row] = await store.read.all<Row>(
      `SELECT id, project_id, wallet_uid, ledger_uid, ledger_id, plugin, operation, plan, stage, change FROM action
        WHERE id = $1 AND status = 'PENDING'`,
      [id],
    );
    return row;
  }

  async function readSigned(id: string): Promise<Signed[]> {
    return store.read.all<Signed>(
      `SELECT kind, sequence, CASE WHEN sealed IS NULL THEN 0 ELSE 1 END AS kept FROM attempt
        WHERE action_id = $1 AND settled_at IS NULL ORDER BY n`,
      [id],
    );
  }

  /**
   * The grant to keep for signing the replacement; null where one is kept already, or replacements were signed
   * beforehand. @throws Problem `conflict`, `invalid-request`
   */
  async function grantFor(
    actionId: string,
    row: Row,
    key: WalletKey | null,
    change: Change,
  ): Promise<SealedGrant | null> {
    const signed = await readSigned(row.id);
    refuse(actionId, row, signed, change);
    if (signed.some(({ kept, kind }) => kept === 1 || kind === 'noop')) return null;
    const open = await openFor(row);
    if (open?.definition.capabilities.onDemandReplacement !== true) {
      const why =
        open === null
          ? 'the plugin that signed it is there no more'
          : 'the plugin of its ledger replaces no transactions';
      throw new Problem(
        'conflict',
        `The action ${actionId} is signed, and nothing can be signed in its place: ${why}. It ends as the ledger decides.`,
      );
    }
    if (key === null) {
      const detail =
        'is required: nothing is kept that could sign another transaction in the place of this one';
      throw invalidRequest([{ pointer: '/walletPassword', detail }]);
    }
    return sealGrant(vault, row, { key, secret: undefined }, signed[0]?.sequence ?? 0);
  }

  async function openFor({ ledger_uid, plugin, project_id }: Row): Promise<OpenLedger | null> {
    return plugin === null
      ? await ledgers.open(ledger_uid, { projectUid: project_id })
      : await ledgers.reopen(ledger_uid, plugin);
  }

  async function keep(view: ActionView, asked: Asked): Promise<ActionView> {
    const { claim } = asked;
    return claim === undefined
      ? view
      : await once(store, { claim, status: statusOf(view) }, async () => view);
  }

  async function keepIn(tx: Tx, view: ActionView, { claim }: Asked): Promise<void> {
    if (claim !== undefined) await recordAnswer(tx, claim, statusOf(view), JSON.stringify(view));
  }

  return {
    cancel: (principal, actionId, { walletPassword }, claim) =>
      ask(actionId, { principal, change: { kind: 'cancel', cap: null }, password: walletPassword, claim }),
    hurry: (principal, actionId, { walletPassword, maxFee }: HurryRequest, claim) =>
      ask(actionId, {
        ...{ principal, password: walletPassword, claim },
        change: { kind: 'hurry', cap: maxFee ?? null },
      }),
  };
}

/** Of the answer to a request. */
function statusOf(view: ActionView): 200 | 202 {
  return view.status === 'PENDING' ? 202 : 200;
}

const cancelledType = new Problem('cancelled', '').toDocument().type;

/** No replacement can change a signed action like these. @throws Problem `conflict` */
function refuse(actionId: string, row: Row, signed: readonly Signed[], change: Change): void {
  if (signed.some(({ sequence }) => sequence === null)) {
    const what = change.kind === 'cancel' ? 'cancelled' : 'hurried';
    throw new Problem(
      'conflict',
      `The action ${actionId} cannot be ${what}: it is signed and may have been sent, and the ledger ${row.ledger_id} takes back nothing that was sent to it. It ends as the ledger decides.`,
    );
  }
  if (change.kind === 'cancel') return;
  const isKept = signed.some(({ kept }) => kept === 1);
  if (isKept && signed.at(-1)?.kind === 'noop') {
    throw new Problem(
      'conflict',
      `The action ${actionId} is given up: an empty transaction is sent that takes its nonce. It cannot be hurried any more.`,
    );
  }
  if (!isKept && change.cap !== null && signed.some(({ kind }) => kind !== 'main')) {
    throw new Problem(
      'conflict',
      `The fees of the action ${actionId} were signed beforehand, within the cap of the ledger ${row.ledger_id}: maxFee cannot bound them. Leave it out.`,
    );
  }
}

function unsigned(actionId: string, { pending }: ActionView): Problem {
  return new Problem(
    'conflict',
    `The action ${actionId} is not signed yet: there is no fee to raise. ${pending?.detail ?? ''}`.trim(),
  );
}

/** For people, of a request that is not done yet; put in front of the action's own pending reasons. */
export function changeWords(kind: string | null): string[] {
  if (kind === 'cancel')
    return [
      'Its cancellation was asked for: it or the empty transaction in its place is mined, as the ledger decides.',
    ];
  return kind === 'hurry' ? ['A higher fee was asked for.'] : [];
}

/** The action as it stands with the request. */
function answered(view: ActionView, row: Row, { kind }: Change, made: ChangeResult, at: number): ActionView {
  if (made.status === 'ended')
    return {
      ...view,
      ...{ status: 'FAILED', ledgerId: row.ledger_id, pending: null, problem: made.problem, updatedAt: at },
    };
  const detail = [view.pending?.detail ?? '', ...changeWords(kind)].join(' ').trim();
  return { ...view, pending: { stage: 'signed', code: 'confirmation', detail }, updatedAt: at };
}
