import type { JsonObject, LookupResult } from '@ledger-ops/adapter';
import { type Activity, type Auth, type Principal, recordActivity } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, isUniqueViolation, once, type Store, type Tx } from '@ledger-ops/store';
import { problemFrom, toProblem } from '../adapter-problem.ts';
import { blockTimeOf } from '../block-time.ts';
import { doesSame } from '../engine/chains/lost-actions.ts';
import type { Engine } from '../engine/engine.ts';
import { planAction } from '../engine/signing/plan.ts';
import type { Ledgers } from '../ledgers.ts';
import type { OpenLedger } from '../open-ledger.ts';
import { hasEnded } from '../rows/actions/change-requests.ts';
import { coSignersOf } from '../rows/co-signers.ts';
import { readIncomplete } from '../rows/compared-accounts.ts';
import { failure, type Settlement } from '../rows/model.ts';
import { textList } from '../rows/sql.ts';
import { insertReleases } from '../rows/unknown-matches.ts';
import { insertExecuted, readUnknown, type StoredUnknown } from '../rows/unknown-transactions.ts';
import type { WalletRow } from '../wallets/types.ts';
import { walletIdentity } from '../wallets/wallet-rows.ts';
import type { Wallets } from '../wallets/wallets.ts';
import { readableAmong } from './readable.ts';
import type { ActionView } from './types.ts';
import type { UnknownMatches } from './unknown-matches.ts';

/** Maximum number of unknown transactions in a list. */
const mostListed = 100;

export interface OutsideTransactionsOptions {
  store: Store;
  auth: Pick<Auth, 'decide'>;
  unknownMatches: Pick<UnknownMatches, 'compare'>;
  wallets: Pick<Wallets, 'demand'>;
  ledgers: Pick<Ledgers, 'open' | 'reopen'>;
  engine: Pick<Engine, 'markExecuted'>;
  get: (principal: Principal, actionId: string) => Promise<ActionView>;
  now: () => number;
}

/** An unknown transaction of a wallet: it is on the ledger, but not in the database. */
export interface UnknownTransactionView {
  /** Id that identifies the unknown transaction in requests. */
  readonly id: string;
  /** Its nonce; null on ledgers without nonces. */
  readonly sequence: number | null;
  /** The ledger's transaction id; null if no node reports which transaction used the nonce. */
  readonly txId: string | null;
  readonly foundAt: number;
  /** Why the transaction's effect is not known; null if it is known. */
  readonly notCompared: string | null;
  /** Unsigned actions that the unknown transaction may have executed. */
  readonly matches: readonly string[];
  /** Actions that a user released, because the transaction did not execute them. */
  readonly released: readonly string[];
}

/** Columns of a pending action that is compared with a transaction. */
type Row = {
  id: string;
  wallet_uid: string;
  receivers: string | null;
  chain: string;
  shard: number;
  address: string;
  stage: string;
  plan: string;
  ledger_uid: string;
  plugin: string | null;
  project_id: string;
};

const columns =
  'id, wallet_uid, receivers, chain, shard, address, stage, plan, ledger_uid, plugin, project_id';

/**
 * Operations on unknown transactions: those that a wallet's key signed outside of this service, or that a
 * restored database lacks.
 */
export class OutsideTransactions {
  readonly #options: OutsideTransactionsOptions;

  constructor(options: OutsideTransactionsOptions) {
    this.#options = options;
  }

  /**
   * Returns the unknown transactions of a wallet with the pending actions that each may have executed. Transactions
   * with matches that are not resolved yet come first.
   */
  async unknownTransactions(principal: Principal, walletId: string): Promise<UnknownTransactionView[]> {
    const { auth, unknownMatches, wallets } = this.#options;
    const wallet = await wallets.demand(principal, 'wallet:read', walletId);
    const compared = await unknownMatches.compare(wallet);
    const senders = compared.flatMap(({ open, released }) => [...open, ...released]);
    const readable = await readableAmong(
      auth,
      principal,
      senders.map(({ walletUid }) => walletUid),
    );
    const idsOf = (matches: typeof senders) =>
      matches.filter(({ walletUid }) => readable.has(walletUid)).map(({ actionId }) => actionId);
    return compared
      .toSorted((a, b) => Number(b.open.length > 0) - Number(a.open.length > 0))
      .slice(0, mostListed)
      .map(({ unknown: { id, sequence, foundAt }, txId, notCompared, open, released }) => ({
        ...{ id, sequence, txId, foundAt, notCompared },
        ...{ matches: idsOf([...open]), released: idsOf([...released]) },
      }));
  }

  /**
   * Records a user's decision that unknown transactions did not execute an unsigned action. The action is then signed
   * after its wallet is resumed.
   * @param unknownIds ids of `unknownTransactions`
   * @throws Problem `not-found`, `not-permitted`, `conflict`, `invalid-request`
   */
  async release(
    principal: Principal,
    actionId: string,
    unknownIds: readonly string[],
    claim?: IdempotencyClaim,
  ): Promise<ActionView> {
    const { store, wallets, get, now } = this.#options;
    const view = await get(principal, actionId);
    const wallet = await wallets.demand(principal, 'wallet:update', view.walletId);
    if (view.status !== 'PENDING') throw hasEnded(actionId, view.status);
    return await once(store, { claim, status: 200 }, async (tx) => {
      const row = await this.#read(view.uid, tx);
      if (row.stage === 'signed') throw isSigned(actionId, 'released');
      const stored = await readUnknownOf(tx, row);
      const named = unknownIds.map((id, index) => stored.get(id) ?? notUnknown(index));
      const added = await insertReleases(tx, row.id, named);
      if (added.length > 0) {
        const changes = added.slice(0, mostRecorded).map((one) => ({
          ...{ name: 'notExecutedBy', from: null, to: one.txId ?? `nonce ${one.sequence}` },
        }));
        await recordActivity(tx, principal, { ...activityOf('release', wallet, actionId), changes }, now());
      }
      return view;
    });
  }

  /**
   * Returns why some transactions that the ledger lists for a wallet could not be compared with the database; null if
   * all were compared.
   */
  async notCompared(principal: Principal, walletId: string): Promise<string | null> {
    const wallet = await this.#options.wallets.demand(principal, 'wallet:read', walletId);
    return wallet.exclusive === 1 ? await readIncomplete(this.#options.store.read, wallet) : null;
  }

  /**
   * Completes an unsigned action with the result of a transaction that another program sent, or that a restored
   * database lacks. The ledger must report that the transaction is final, was sent by the wallet, and has the effect of
   * the action.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict`, `invalid-request`, `unsupported-operation`,
   * `ledger-unavailable`
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
      if (row.stage === 'signed') throw isSigned(actionId, 'marked as executed');
      const open = await this.#openFor(row);
      const found = await this.#lookUp(open, txId);
      const planned = await planAction(store.read, open.session, {
        ...{ plan: row.plan, wallet: walletIdentity(wallet), secret: undefined },
      });
      if (planned.status !== 'planned') throw notComparable(actionId);
      const transaction = checkTransaction(found, planned.plan, { actionId, txId, address: row.address });
      const marking = engine.markExecuted(settlementOf(row.id, transaction), async (tx: Tx) => {
        const { chain, shard, address } = row;
        const { sequence } = transaction;
        await insertExecuted(
          tx,
          { actionId: row.id, txId: transaction.txId, chain, shard, address },
          sequence === undefined ? null : Number(sequence),
          now(),
        );
        await recordActivity(tx, principal, activityOf('mark-executed', wallet, actionId), now());
      });
      await marking.catch((error: unknown) => {
        const isKnown = isUniqueViolation(error) && error.table === 'attempt';
        throw isKnown ? atTxId(txId, 'belongs to an action in the database') : error;
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

  async #read(id: string, read: Pick<Tx, 'all'> = this.#options.store.read): Promise<Row> {
    const [row] = await read.all<Row>(`SELECT ${columns} FROM action WHERE id = $1`, [id]);
    if (row === undefined) throw new Problem('not-found', '');
    return row;
  }

  #lookUp({ session, definition }: OpenLedger, txId: string): Promise<LookupResult | null> {
    if (!definition.capabilities.lookup) throw notSupported();
    return session.lookup(txId).catch((error: unknown) => {
      throw problemFrom(error);
    });
  }
}

/** A final transaction that has the effect of an action. */
type Executed = LookupResult & Required<Pick<LookupResult, 'sender' | 'effect'>>;

/**
 * @throws Problem if the transaction is not final, was not sent by the account, or does not have the effect of the plan
 */
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
    throw atTxId(
      txId,
      `does not have the effect of the action ${actionId}: recipient, amount or data differ`,
    );
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
    ...{
      locator: txId,
      height: height ?? null,
      blockTime: blockTimeOf(blockTime),
      fee: fee?.toString() ?? null,
    },
  };
  if (status === 'SUCCEEDED')
    return { ...base, status: 'SUCCEEDED', contractAddress: contractAddress ?? null, problem: null };
  return problem === undefined ? base : { ...base, problem: toProblem(problem).toDocument() };
}

/** Returns the unknown transactions of all wallets that sign an action, by id. */
async function readUnknownOf(
  tx: Tx,
  { wallet_uid, receivers }: Pick<Row, 'wallet_uid' | 'receivers'>,
): Promise<Map<string, StoredUnknown>> {
  const accounts = await tx.all<{ chainId: string; address: string }>(
    `SELECT chain_id AS "chainId", address FROM wallet WHERE uid IN ${textList(tx.dialect, '$1')}`,
    [JSON.stringify([wallet_uid, ...coSignersOf(receivers)])],
  );
  const stored = new Map<string, StoredUnknown>();
  for (const account of accounts) for (const one of await readUnknown(tx, account)) stored.set(one.id, one);
  return stored;
}

/** Maximum number of transactions named in one timeline record. */
const mostRecorded = 40;

function activityOf(
  action: string,
  { uid, walletId, projectId }: Pick<WalletRow, 'uid' | 'walletId' | 'projectId'>,
  actionId: string,
): Activity {
  return {
    ...{ action, service: 'ledger-operations', resourceUid: uid, resourceId: walletId },
    ...{ resourceType: 'cloud-wallet', scope: projectId, targetObject: actionId },
  };
}

function notUnknown(index: number): never {
  const detail = 'must be the id of an unknown transaction of a wallet that signs the action';
  throw invalidRequest([{ pointer: `/transactions/${index}`, detail }]);
}

function isSigned(actionId: string, what: string): Problem {
  return new Problem(
    'conflict',
    `The action ${actionId} cannot be ${what}: it is signed, so the ledger decides its outcome.`,
  );
}

function atTxId(txId: string, detail: string): Problem {
  return invalidRequest([{ pointer: '/txId', detail: `${txId} ${detail}` }]);
}

function notComparable(actionId: string): Problem {
  return new Problem(
    'conflict',
    `The action ${actionId} cannot be compared with a transaction, because its contract is not known. First mark the deployment of the contract as executed.`,
  );
}

function notSupported(): Problem {
  return new Problem(
    'unsupported-operation',
    'The plugin of this ledger does not report the effects of transactions, so the transaction cannot be compared with an action.',
  );
}
