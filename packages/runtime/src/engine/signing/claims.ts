import type { ClaimingTransaction } from '@ledger-ops/adapter';
import { Mutex } from '../../concurrency/mutex.ts';
import { claimingOf, readHoldersOf, readUnsettled } from '../../rows/attempts/claims.ts';
import { readUnsettledOf } from '../../rows/attempts/inflight.ts';
import type { Attempt } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Account } from './accounts.ts';
import type { Prepared } from './prepare.ts';
import type { SignedAction } from './signer.ts';

/**
 * The claims of transactions that this server is about to store. Only for ledgers whose adapter assigns claims to
 * transactions.
 *
 * Actions of an account are signed at the same time. If two actions choose the same claim, the first one holds it. The
 * other one, and all actions that arrive while it waits, are signed one after another, because adapters tend to choose
 * the same claims for concurrent requests. If other servers or accounts choose the same claim, the database's unique
 * index decides. `#held` contains the signed transactions that are not stored yet, by account and action. `#turns`
 * contains the accounts whose actions are signed one after another.
 */
export class Claims {
  readonly #context: Pick<ChainContext, 'store' | 'chain'>;
  readonly #turns = new Map<string, { mutex: Mutex; users: number }>();
  readonly #held = new Map<string, Map<string, readonly ClaimingTransaction[]>>();
  /**
   * For each action that could not be stored, by id: the transactions that hold the claims that the action had chosen.
   * Its next `sign` avoids their claims.
   */
  readonly #rivals = new Map<string, readonly ClaimingTransaction[]>();

  constructor(context: Pick<ChainContext, 'store' | 'chain'>) {
    this.#context = context;
  }

  /**
   * Signs one action with `sign`, which receives the claims of the account's unsettled transactions. Call
   * `release` when the action is stored or given up.
   */
  async sign<Made extends Signing>(
    prepared: Prepared,
    sign: (prepared: Prepared) => Promise<Made>,
  ): Promise<Made> {
    const { account, row } = prepared;
    const isInTurn = this.#rivals.has(row.id) || this.#turns.has(account.address);
    const made = isInTurn ? undefined : await this.#try(prepared, sign);
    return made ?? this.#inTurn(account, () => this.#repeat(prepared, sign));
  }

  /**
   * Called if an action was not stored because others hold its claims. The next `sign` of the action avoids
   * these claims.
   */
  async lose({ row, account, attempts }: SignedAction): Promise<void> {
    const { store, chain } = this.#context;
    const claims = attempts.flatMap((attempt) => attempt.claims ?? []);
    this.#drop(account, row.id);
    const holders = await readHoldersOf(store.read, chain, claims);
    this.#rivals.set(row.id, [...(this.#rivals.get(row.id) ?? []), ...holders]);
  }

  /** Removes the state of an action that was stored or given up. */
  release(account: Account, actionId: string): void {
    this.#rivals.delete(actionId);
    this.#drop(account, actionId);
  }

  async #inTurn<Result>({ address }: Account, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.get(address) ?? { mutex: new Mutex(), users: 0 };
    this.#turns.set(address, turn);
    turn.users += 1;
    try {
      return await turn.mutex.run(work);
    } finally {
      turn.users -= 1;
      if (turn.users === 0) this.#turns.delete(address);
    }
  }

  /**
   * Signs repeatedly until the chosen claims are free. The loop ends, because only actions that began before it can
   * take the claims.
   */
  async #repeat<Made extends Signing>(
    prepared: Prepared,
    sign: (prepared: Prepared) => Promise<Made>,
  ): Promise<Made> {
    for (;;) {
      const made = await this.#try(prepared, sign);
      if (made !== undefined) return made;
    }
  }

  /**
   * Signs the action and holds its claims. Returns undefined if another action took one of them while the transaction
   * was being signed.
   */
  async #try<Made extends Signing>(
    prepared: Prepared,
    sign: (prepared: Prepared) => Promise<Made>,
  ): Promise<Made | undefined> {
    const { account, row } = prepared;
    const unsettled = account.hasClaims === false ? [] : await this.#unsettled(prepared);
    const earlier = await this.#earlier(prepared);
    const made = await sign({
      ...prepared,
      ...(unsettled.length === 0 ? {} : { unsettled }),
      ...(earlier.length === 0 ? {} : { earlier }),
    });
    const claiming = 'action' in made ? claimsOf(made.action) : [];
    if (claiming.length === 0) {
      account.hasClaims ??= unsettled.length > 0;
      return made;
    }
    account.hasClaims = true;
    const claims = new Set(claiming.flatMap((one) => one.claims));
    const known = new Set(unsettled.map(({ txId }) => txId));
    const isTaken = this.#heldByOthers(prepared).some(
      (one) => !known.has(one.txId) && one.claims.some((claim) => claims.has(claim)),
    );
    if (isTaken) return undefined;
    const held = this.#held.get(account.address) ?? new Map<string, readonly ClaimingTransaction[]>();
    this.#held.set(account.address, held.set(row.id, claiming));
    return made;
  }

  /** Returns the earlier transactions of the same action that may still be executed. */
  async #earlier({ row: { id, steps } }: Prepared): Promise<Attempt[]> {
    if (steps === 0) return [];
    return readUnsettledOf(this.#context.store.read, this.#context.chain, id);
  }

  /** Returns the transactions whose claims the action must not hold. */
  async #unsettled(prepared: Prepared): Promise<ClaimingTransaction[]> {
    const { store, chain } = this.#context;
    const { row, account } = prepared;
    // The held claims are read before and after the query: a transaction that is stored during the query may be missing
    // in the rows, and is no longer held after it.
    const held = this.#heldByOthers(prepared);
    const stored = await readUnsettled(store.read, { chain, ...account }, row.id);
    const all = [...stored, ...held, ...this.#heldByOthers(prepared), ...(this.#rivals.get(row.id) ?? [])];
    return [...new Map(all.map((one) => [one.txId, one])).values()];
  }

  #heldByOthers({ account: { address }, row }: Prepared): ClaimingTransaction[] {
    return [...(this.#held.get(address) ?? [])].flatMap(([id, claiming]) => (id === row.id ? [] : claiming));
  }

  #drop({ address }: Account, actionId: string): void {
    const held = this.#held.get(address);
    if (held?.delete(actionId) === true && held.size === 0) this.#held.delete(address);
  }
}

type Signing = { status: 'signed'; action: SignedAction } | { status: string };

function claimsOf({ attempts }: SignedAction): ClaimingTransaction[] {
  return attempts.map(claimingOf).filter(({ claims }) => claims.length > 0);
}
