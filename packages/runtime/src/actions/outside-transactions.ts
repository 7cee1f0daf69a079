import type { JsonObject, LookupResult } from '@ledger-ops/adapter';
import { type Principal, recordActivity } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, once, type SqlValue, type Store, type Tx } from '@ledger-ops/store';
import { problemFrom, toProblem } from '../adapter-problem.ts';
import { doesSame } from '../engine/chains/lost-actions.ts';
import type { Engine } from '../engine/engine.ts';
import { planAction } from '../engine/signing/plan.ts';
import type { Ledgers } from '../ledgers.ts';
import type { OpenLedger } from '../open-ledger.ts';
import { hasEnded } from '../rows/actions/change-requests.ts';
import { readIncomplete } from '../rows/compared-accounts.ts';
import { failure, type Settlement } from '../rows/model.ts';
import { insertExecuted, readKnownIds, readUnknown } from '../rows/unknown-transactions.ts';
import { walletIdentity } from '../wallets/wallet-rows.ts';
import type { Wallets } from '../wallets/wallets.ts';
import type { ActionView } from './types.ts';

/** Maximum number of unknown transactions that are looked up for one list. */
const lookedUp = 100;
/** Maximum number of pending actions that transactions are compared with. */
const compared = 1_000;

export interface OutsideTransactionsOptions {
  store: Store;
  wallets: Pick<Wallets, 'demand'>;
  ledgers: Pick<Ledgers, 'open' | 'reopen'>;
  engine: Pick<Engine, 'markExecuted'>;
  get: (principal: Principal, actionId: string) => Promise<ActionView>;
  now: () => number;
}

/** A transaction of a wallet that the ledger shows and that is not stored here. */
export interface UnknownTransactionView {
  /** The nonce that it used; null on ledgers without nonces. */
  readonly sequence: number | null;
  /** Null: the ledger does not say which transaction it was. */
  readonly txId: string | null;
  readonly foundAt: number;
  /** Pending actions with the same recipient, amount and data. */
  readonly matches: readonly string[];
}

/** The columns of a pending action that a transaction is compared with. */
type Row = {
  id: string;
  given_id: string | null;
  chain: string;
  shard: number;
  address: string;
  stage: string;
  plan: string;
  ledger_uid: string;
  plugin: string | null;
  project_id: string;
};

const columns = 'id, given_id, chain, shard, address, stage, plan, ledger_uid, plugin, project_id';

/**
 * Transactions that a wallet's key signed outside of this service, or that a database that was set back no longer knows.
 */
export class OutsideTransactions {
  readonly #options: OutsideTransactionsOptions;

  constructor(options: OutsideTransactionsOptions) {
    this.#options = options;
  }

  /** The unknown transactions of a wallet, each with the pending actions that it may have executed. */
  async unknownTransactions(principal: Principal, walletId: string): Promise<UnknownTransactionView[]> {
    const wallet = await this.#options.wallets.demand(principal, 'wallet:read', walletId);
    const unknown = (await readUnknown(this.#options.store.read, wallet)).slice(0, lookedUp);
    if (unknown.length === 0) return [];
    const open = await this.#options.ledgers.open(wallet.ledgerUid, { projectUid: wallet.projectId });
    const rows = await this.#pendingOf(wallet.uid);
    return Promise.all(
      unknown.map(async ({ address, sequence, txId: stored, foundAt }) => {
        const txId = stored ?? (sequence === null ? null : await this.#find(open, address, sequence));
        const found = txId === null ? null : await this.#lookUp(open, txId);
        const matches = rows
          .filter(({ plan }) => doesSame(JSON.parse(plan) as JsonObject, found) === true)
          .map(({ id, given_id }) => given_id ?? id);
        return { sequence, txId, foundAt, matches };
      }),
    );
  }

  /** Why the ledger could not be asked completely for transactions of a wallet that are not stored here; null: it was asked. */
  async notCompared(principal: Principal, walletId: string): Promise<string | null> {
    const wallet = await this.#options.wallets.demand(principal, 'wallet:read', walletId);
    return wallet.exclusive === 1 ? await readIncomplete(this.#options.store.read, wallet) : null;
  }

  /**
   * Ends an unsigned action as a transaction did that another program sent, or that a database that was set back no
   * longer knows. The ledger must show that the transaction is final, comes from the wallet, and does what the action says.
   * @throws Problem `not-found`, `not-permitted`, `conflict`, `invalid-request`, `unsupported-operation`, `ledger-unavailable`
   */
  async markExecuted(
    principal: Principal,
    actionId: string,
    txId: string,
    claim?: IdempotencyClaim,
  ): Promise<ActionView> {
    const { store, wallets, engine, get, now } = this.#options;
    const view = await get(principal, actionId);
    const wallet = await wallets.demand(principal, 'wallet:update', view.walletId);
    if (view.status === 'PENDING') {
      const row = await this.#read(view.uid);
      if (row.stage !== 'ready') throw notReady(actionId, row.stage);
      const open = await this.#openFor(row);
      const found = await this.#lookUp(open, txId);
      const planned = await planAction(store.read, open.session, {
        ...{ plan: row.plan, wallet: walletIdentity(wallet), secret: undefined },
      });
      if (planned.status !== 'planned') throw notComparable(actionId);
      const transaction = checkTransaction(found, planned.plan, { actionId, txId, address: row.address });
      const isKnown = (await readKnownIds(store.read, row.chain, [transaction.txId])).size > 0;
      if (isKnown) throw atTxId(txId, 'belongs to an action that is stored here');
      await engine.markExecuted(settlementOf(row.id, transaction), async (tx: Tx) => {
        const { chain, shard, address } = row;
        const { sequence } = transaction;
        await insertExecuted(
          tx,
          { actionId: row.id, txId: transaction.txId, chain, shard, address },
          sequence === undefined ? null : Number(sequence),
          now(),
        );
        const activity = {
          action: 'mark-executed',
          service: 'ledger-operations',
          resourceUid: wallet.uid,
          resourceId: wallet.walletId,
          resourceType: 'cloud-wallet',
          scope: wallet.projectId,
          targetObject: actionId,
        } as const;
        await recordActivity(tx, principal, activity, now());
      });
    } else if (view.locator?.toLowerCase() !== txId.toLowerCase()) throw hasEnded(actionId, view.status);
    const marked = await get(principal, actionId);
    return claim === undefined ? marked : await once(store, { claim, status: 200 }, async () => marked);
  }

  /** @throws Problem `no-plugin` */
  async #openFor({ ledger_uid, plugin, project_id }: Row): Promise<OpenLedger> {
    const { ledgers } = this.#options;
    const ofPlugin = plugin === null ? null : await ledgers.reopen(ledger_uid, plugin);
    return ofPlugin ?? (await ledgers.open(ledger_uid, { projectUid: project_id }));
  }

  async #read(id: string): Promise<Row> {
    const [row] = await this.#options.store.read.all<Row>(`SELECT ${columns} FROM action WHERE id = $1`, [
      id,
    ]);
    if (row === undefined) throw new Problem('not-found', '');
    return row;
  }

  #pendingOf(walletUid: string): Promise<Row[]> {
    const params: SqlValue[] = [walletUid];
    return this.#options.store.read.all<Row>(
      `SELECT ${columns} FROM action WHERE wallet_uid = $1 AND status = 'PENDING' AND stage IN ('ready', 'blocked')
        ORDER BY id LIMIT ${compared}`,
      params,
    );
  }

  /** The transaction that used a sequence of an account; null if the ledger does not say. */
  async #find({ session }: OpenLedger, address: string, sequence: number): Promise<string | null> {
    if (session.transactionAt === undefined) return null;
    const found = await session
      .transactionAt({ address, sequence: BigInt(sequence) })
      .catch((error: unknown) => {
        throw problemFrom(error);
      });
    return found ?? null;
  }

  #lookUp({ session, definition }: OpenLedger, txId: string): Promise<LookupResult | null> {
    if (!definition.capabilities.lookup) throw notSupported();
    return session.lookup(txId).catch((error: unknown) => {
      throw problemFrom(error);
    });
  }
}

/** A final transaction that does what an action says. */
type Executed = LookupResult & Required<Pick<LookupResult, 'sender' | 'effect'>>;

/** @throws Problem unless the transaction is final, comes from the account, and does what the plan says */
function checkTransaction(
  found: LookupResult | null,
  plan: JsonObject,
  { actionId, txId, address }: { actionId: string; txId: string; address: string },
): Executed {
  if (found === null) throw atTxId(txId, 'does not exist on the ledger');
  const { sender, signers = [sender], effect, status } = found;
  if (status === 'PENDING')
    throw new Problem('conflict', `The transaction ${txId} is not final yet. Try again when it is.`);
  if (sender === undefined || effect === undefined) throw notSupported();
  if (!signers.some((one) => one?.toLowerCase() === address.toLowerCase()))
    throw atTxId(txId, `was sent by ${sender}, but the action belongs to ${address}`);
  if (doesSame(plan, found) !== true)
    throw atTxId(txId, `does not do what the action ${actionId} says: recipient, amount or data differ`);
  return { ...found, sender, effect };
}

function settlementOf(actionId: string, found: Executed): Settlement {
  const { txId, status, height, blockTime, fee, contractAddress, problem } = found;
  const base = {
    ...failure(
      actionId,
      false,
      new Problem('reverted', 'The transaction failed on the ledger.').toDocument(),
    ),
    ...{ locator: txId, height: height ?? null, blockTime: blockTime ?? null, fee: fee?.toString() ?? null },
  };
  if (status === 'SUCCEEDED')
    return { ...base, status: 'SUCCEEDED', contractAddress: contractAddress ?? null, problem: null };
  return problem === undefined ? base : { ...base, problem: toProblem(problem).toDocument() };
}

function notReady(actionId: string, stage: string): Problem {
  const why =
    stage === 'signed'
      ? 'it is signed, so the ledger decides its outcome'
      : 'actions that it depends on have not succeeded yet; mark those first';
  return new Problem('conflict', `The action ${actionId} cannot be marked as executed: ${why}.`);
}

function atTxId(txId: string, detail: string): Problem {
  return invalidRequest([{ pointer: '/txId', detail: `${txId} ${detail}` }]);
}

function notComparable(actionId: string): Problem {
  return new Problem(
    'conflict',
    `The action ${actionId} cannot be compared with a transaction now, because its contract is not known.`,
  );
}

function notSupported(): Problem {
  return new Problem(
    'unsupported-operation',
    'The plugin of this ledger does not report what a transaction does, so it cannot be compared with an action.',
  );
}
