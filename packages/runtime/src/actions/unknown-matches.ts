import type { JsonObject } from '@ledger-ops/adapter';
import { type Queries, readJson, type Store } from '@ledger-ops/store';
import { ledgerFailure } from '../adapter-problem.ts';
import { doesSame } from '../engine/chains/lost-actions.ts';
import { planAction } from '../engine/signing/plan.ts';
import type { Ledgers } from '../ledgers.ts';
import type { OpenLedger } from '../open-ledger.ts';
import { type AccountRow, readUnsigned, type UnsignedAction } from '../rows/unknown-matches.ts';
import { readKnownIds, readUnknown, type StoredUnknown } from '../rows/unknown-transactions.ts';
import { walletIdentity } from '../wallets/wallet-rows.ts';

/** Number of transactions that are looked up at a time. */
const lookedUpAtOnce = 100;
/** Maximum number of transactions that are looked up. The others are reported as not compared. */
const mostLookedUp = 1_000;
/** Maximum number of matches per transaction that are not resolved yet, and of released matches. */
export const mostMatches = 100;

/** A pending action that an unknown transaction may have executed. */
export interface UnknownMatch {
  readonly actionId: string;
  /** Uid of the wallet that sends the action. The suspended wallet may be another one, which co-signs. */
  readonly walletUid: string;
}

/** An unknown transaction, compared with the pending actions of its wallet. */
export interface ComparedTransaction {
  readonly unknown: StoredUnknown;
  /** The ledger's transaction id; null if no node reports which transaction used the nonce. */
  readonly txId: string | null;
  /**
   * Reason, for users, why the transaction's effect is not known; null if it is known. A transaction whose
   * effect is not known may have executed any unsigned action, even one accepted later, because clients
   * repeat requests that a restored database lacks.
   */
  readonly notCompared: string | null;
  /** Matches that are not resolved yet, at most 100. */
  readonly open: readonly UnknownMatch[];
  /** Actions that a user released, because the transaction did not execute them. At most 100. */
  readonly released: readonly UnknownMatch[];
}

interface Shown {
  readonly unknown: StoredUnknown;
  readonly txId: string | null;
  readonly effect: JsonObject | null;
  readonly notCompared: string | null;
  /** Whether a stored action was marked as executed by this transaction. */
  readonly isKnown: boolean;
}

/**
 * Compares the unknown transactions of a wallet with the actions that would be signed if the wallet were resumed. Does
 * not cache, because a node may know more later.
 */
export class UnknownMatches {
  readonly #store: Pick<Store, 'read'>;
  readonly #ledgers: Pick<Ledgers, 'open'>;

  constructor({ store, ledgers }: { store: Pick<Store, 'read'>; ledgers: Pick<Ledgers, 'open'> }) {
    this.#store = store;
    this.#ledgers = ledgers;
  }

  async compare(wallet: AccountRow): Promise<ComparedTransaction[]> {
    const { read } = this.#store;
    const unknown = await readUnknown(read, wallet);
    if (unknown.length === 0) return [];
    const open = await this.#ledgers
      .open(wallet.ledgerUid, { projectUid: wallet.projectId })
      .catch((error: unknown) => ledgerFailure(error).detail);
    const shown = await showAll(read, open, unknown);
    const compared = shown.map((one) => ({ shown: one, open: [], released: [] }) as Comparison);
    let after: string | null = '';
    while (after !== null && compared.some(isUnfilled)) {
      const page: Awaited<ReturnType<typeof readUnsigned>> = await readUnsigned(read, wallet.uid, after);
      for (const action of page.actions) {
        const plan = await this.#planOf(wallet, open, action);
        for (const one of compared) addMatch(one, action, plan);
      }
      after = page.next;
    }
    return compared.map(({ shown: { unknown: stored, txId, notCompared }, open: matches, released }) => ({
      ...{ unknown: stored, txId, notCompared, open: matches, released },
    }));
  }

  /** Returns null if the address of the called contract is not known yet. */
  async #planOf(
    wallet: AccountRow,
    open: OpenLedger | string,
    { plan, wallet_uid }: UnsignedAction,
  ): Promise<JsonObject | null> {
    const session =
      typeof open === 'string' || wallet_uid !== wallet.uid
        ? { check: () => Promise.reject(new Error('The ledger is not open.')) }
        : open.session;
    const identity = walletIdentity(wallet);
    const planned = await planAction(this.#store.read, session, {
      plan,
      wallet: identity,
      secret: undefined,
    });
    return planned.status === 'planned' ? planned.plan : null;
  }
}

interface Comparison {
  readonly shown: Shown;
  readonly open: UnknownMatch[];
  readonly released: UnknownMatch[];
}

function isUnfilled({ shown: { isKnown }, open }: Comparison): boolean {
  return !isKnown && open.length < mostMatches;
}

function addMatch({ shown, open, released }: Comparison, action: UnsignedAction, plan: JsonObject | null) {
  if (!mayHaveExecuted(shown, plan)) return;
  const isReleased = readJson<string[]>(action.released)?.includes(shown.unknown.id) === true;
  const matches = isReleased ? released : open;
  if (matches.length < mostMatches)
    matches.push({ actionId: action.given_id ?? action.id, walletUid: action.wallet_uid });
}

function mayHaveExecuted({ effect, isKnown }: Shown, plan: JsonObject | null): boolean {
  if (isKnown) return false;
  return plan === null || effect === null || doesSame(plan, { effect }) !== false;
}

/** Reads the effects of transactions from the ledger. @param open the ledger, or why it cannot be read */
async function showAll(
  read: Queries,
  open: OpenLedger | string,
  unknown: readonly StoredUnknown[],
): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (let at = 0; at < unknown.length; at += lookedUpAtOnce) {
    const some = unknown.slice(at, at + lookedUpAtOnce);
    const isBeyond = at >= mostLookedUp;
    const why = isBeyond ? `Only ${mostLookedUp} transactions are compared per request.` : open;
    const found = await Promise.all(some.map((one) => show(why, one)));
    for (const [chain, ofChain] of Map.groupBy(found, (one) => one.unknown.chain)) {
      const txIds = ofChain.flatMap(({ txId }) => txId ?? []);
      const known = await readKnownIds(read, chain, txIds);
      shown.push(...ofChain.map((one) => ({ ...one, isKnown: known.has(one.txId ?? '') })));
    }
  }
  return shown;
}

async function show(open: OpenLedger | string, unknown: StoredUnknown): Promise<Omit<Shown, 'isKnown'>> {
  let { txId } = unknown;
  const notKnown = (why: string) => ({ unknown, txId, effect: null, notCompared: why });
  if (typeof open === 'string') return notKnown(open);
  try {
    txId ??= await transactionOf(open, unknown);
    if (txId === null) return notKnown('No node reports the id of this transaction.');
    if (!open.definition.capabilities.lookup) return notKnown(unsupported);
    const found = await open.session.lookup(txId);
    if (found === null) return notKnown('No node returns this transaction.');
    return found.effect === undefined
      ? notKnown(unsupported)
      : { unknown, txId, effect: found.effect, notCompared: null };
  } catch (error) {
    return notKnown(ledgerFailure(error).detail);
  }
}

const unsupported = 'The plugin of this ledger does not report the effects of transactions.';

async function transactionOf(
  { session }: OpenLedger,
  { address, sequence }: StoredUnknown,
): Promise<string | null> {
  if (session.transactionAt === undefined || sequence === null) return null;
  return (await session.transactionAt({ address, sequence: BigInt(sequence) })) ?? null;
}
