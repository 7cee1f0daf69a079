// A ledger of coins, for tests of claims. Of the transactions that spend the same coin, it executes at most one.
import { createHash } from 'node:crypto';
import {
  type AdapterDefinition,
  adapterError,
  type ClaimingTransaction,
  defineAdapter,
  type Outcome,
  type PendingTransaction,
  type PrepareRequest,
  type SignedTransaction,
} from '@ledger-ops/adapter';

interface CoinTransaction {
  /** Outpoints of the spent coins: `<txid>:<index>`. */
  inputs: string[];
  outputs: { owner: string; amount: number }[];
  fee: number;
  salt: string;
}

interface Block {
  height: number;
  hash: string;
  txIds: string[];
}

const encode = (transaction: CoinTransaction) => Buffer.from(JSON.stringify(transaction));
const decode = (bytes: Uint8Array): CoinTransaction => JSON.parse(Buffer.from(bytes).toString());
const idOf = (transaction: CoinTransaction) => createHash('sha256').update(encode(transaction)).digest('hex');

export interface CoinLedgerOptions {
  confirmations?: number;
  /** Outcome that is reported for a transaction whose coin another transaction spent. Default: `superseded`. */
  conflict?: 'continue';
  /** Set to violate the adapter interface: each transaction of an action then spends a different coin. */
  otherCoins?: boolean;
  /** Set to violate the adapter interface: outcomes then name the spent coin, which no transaction claims. */
  claimsOthers?: boolean;
  /** Whether transfers may spend the change of unconfirmed transactions. */
  spendsUnconfirmed?: boolean;
  /** Whether transactions can be looked up by their ids. */
  lookup?: boolean;
}

/**
 * A transfer spends whole coins, preferably a coin of the exact amount. Blocks are created only on request (`mine`).
 */
export class CoinLedger {
  readonly options: CoinLedgerOptions;
  readonly blocks: Block[] = [{ height: 0, hash: 'genesis', txIds: [] }];
  readonly known = new Map<string, CoinTransaction>();
  readonly pool = new Set<string>();
  /** Ids of transactions that the node currently refuses. */
  readonly refused = new Set<string>();
  /** If set, `prepare` responds only after it resolves. */
  prepareHold: Promise<void> | undefined;
  /** Ids that were looked up, in order. */
  readonly lookedUp: string[] = [];
  /** Ids of transactions whose lookups fail or never complete. */
  readonly lookups = { failing: new Set<string>(), hanging: new Set<string>() };
  /** Ids of transactions for which the host searched the whole chain, by call. */
  readonly searched: string[][] = [];
  /** Ids of the transactions that the host follows, and the height up to which it has read the chain. */
  readonly followed = { txIds: new Set<string>(), height: 0 };
  /** Ids of all submitted transactions, in order. */
  readonly submitted: string[] = [];
  readonly prepared: PrepareRequest[] = [];
  readonly #funded = new Map<string, { owner: string; amount: number }>();
  readonly #shared = new Map<string, string>();
  #forks = 0;

  constructor(options: CoinLedgerOptions = {}) {
    this.options = options;
  }

  /** Creates a coin in the chain's first block. */
  fund(owner: string, amount = 10): string {
    const outpoint = `funding${this.#funded.size}:0`;
    this.#funded.set(outpoint, { owner, amount });
    return outpoint;
  }

  /** Yields the unspent coins of an account. */
  *coinsOf(owner: string): Iterable<string> {
    const spent = this.#spent();
    for (const [outpoint, coin] of this.#coins())
      if (!spent.has(outpoint) && (coin.owner === owner || this.#shared.get(outpoint) === owner))
        yield outpoint;
  }

  /** Allows another account to spend the same coin. */
  share(outpoint: string, owner: string): void {
    this.#shared.set(outpoint, owner);
  }

  /** Adds a transaction of another program to the pool. It pays the whole coin to `owner`. */
  outside(input: string, owner = 'outside'): string {
    const amount = this.#coins().get(input)?.amount ?? 1;
    const transaction = { inputs: [input], outputs: [{ owner, amount }], fee: 1_000, salt: 'outside' };
    const txId = idOf(transaction);
    this.known.set(txId, transaction);
    this.#accept(txId);
    return txId;
  }

  /** Adds a block with these transactions, by default those of the pool. */
  mine(txIds: readonly string[] = [...this.pool]): void {
    const height = this.blocks.length;
    const executed: string[] = [];
    for (const txId of txIds) {
      const { inputs } = this.#get(txId);
      const spent = this.#spent();
      for (const id of executed) for (const input of this.#get(id).inputs) spent.set(input, id);
      if (inputs.some((input) => spent.has(input) || !this.#coins(executed).has(input))) continue;
      executed.push(txId);
      this.pool.delete(txId);
    }
    const hash = createHash('sha256').update(`${height} ${this.#forks} ${executed.join()}`).digest('hex');
    this.blocks.push({ height, hash, txIds: executed });
    for (const txId of this.pool)
      if (this.#get(txId).inputs.some((input) => this.#spent().has(input))) this.pool.delete(txId);
  }

  /** Mines empty blocks until all mined transactions are final. */
  bury(): void {
    for (let n = 0; n < this.#depth; n += 1) this.mine([]);
  }

  /** Removes the newest blocks, and adds more blocks without their transactions, so that the new chain is longer. */
  reorg(dropped: number): void {
    const { length } = this.blocks;
    this.#forks += 1;
    this.blocks.splice(length - dropped, dropped);
    this.pool.clear();
    while (this.blocks.length <= length) this.mine([]);
  }

  /** Returns the transactions of the chain, with their heights. */
  executed(): Map<string, number> {
    return new Map(this.blocks.flatMap(({ height, txIds }) => txIds.map((txId) => [txId, height] as const)));
  }

  balanceOf(owner: string): number {
    const spent = this.#spent();
    return [...this.#coins()]
      .filter(([outpoint, coin]) => coin.owner === owner && !spent.has(outpoint))
      .reduce((sum, [, { amount }]) => sum + amount, 0);
  }

  adapter(): AdapterDefinition {
    return defineAdapter({
      ...{ name: 'coins', technology: 'ethereum', version: '1.0.0', keyType: 'secp256k1' },
      description: { title: 'Coins', addresses: { account: { pattern: '^[a-z0-9-]+$', example: 'a' } } },
      capabilities: {
        ...{ operations: ['transfer'], onDemandReplacement: true },
        lookup: this.options.lookup === true,
      },
      open: () => ({
        chain: () => ({ id: 'coins:1', genesis: 'genesis' }),
        createWallet: ({ publicKey }) => ({
          ...{ done: true, result: { address: Buffer.from(publicKey).toString('hex') } },
        }),
        check: ({ operation }) => {
          if (operation.type !== 'transfer') throw new TypeError('Only transfers are supported.');
          return { plan: { to: operation.recipient, amount: Number(operation.amount) } };
        },
        prepare: async (request) => {
          const result = this.#prepare(request);
          await this.prepareHold;
          return { done: true, result };
        },
        advance: () => {
          throw new TypeError('Nothing is signed.');
        },
        replace: ({ kind, signed, wallet, actionId }) => {
          const last = decode(signed.at(-1)?.bytes ?? new Uint8Array());
          const outputs = kind === 'noop' ? [{ owner: wallet.address, amount: 1 }] : last.outputs;
          const other = this.options.otherCoins === true ? [...this.coinsOf(wallet.address)].slice(-1) : null;
          const next = {
            ...last,
            inputs: other ?? last.inputs,
            outputs,
            fee: last.fee + 1,
            salt: `${actionId} ${kind}`,
          };
          return {
            status: 'prepared',
            attempt: { kind, round: { done: true, result: this.#signedOf(next) } },
          };
        },
        inspect: () => ({ status: 'shown' }),
        submit: ({ txId, bytes }) => {
          this.submitted.push(txId);
          this.known.set(txId, decode(bytes));
          return this.#accept(txId) ? { status: 'accepted' } : { status: 'refused' };
        },
        confirm: ({ cursor, pending }) => {
          if (cursor === null) this.searched.push([...pending.keys()]);
          Object.assign(this.followed, { txIds: new Set(pending.keys()), height: cursor?.height ?? 0 });
          const final = Math.max(0, this.blocks.length - this.#depth);
          const place = this.#place(final);
          const reorganised = cursor !== null && this.blocks[cursor.height]?.hash !== cursor.hash;
          const read = cursor === null || reorganised ? -1 : cursor.height;
          const outcomes = [...pending]
            .flatMap(([txId, one]) => this.#outcome(txId, one, final))
            .filter(({ height = 0 }) => height > read);
          const head = this.blocks.at(-1) ?? this.#first;
          return { cursor: { height: final, hash: place.blockHash }, head, reorganised, outcomes };
        },
        ...(this.options.lookup === true && {
          lookup: (txId: string) => {
            this.lookedUp.push(txId);
            if (this.lookups.hanging.has(txId)) return new Promise<never>(() => undefined);
            if (this.lookups.failing.has(txId)) throw adapterError('unavailable', 'The node has no index.');
            const at = this.executed().get(txId);
            if (at === undefined) return null;
            const isFinal = at <= this.blocks.length - this.#depth;
            return { txId, status: isFinal ? 'SUCCEEDED' : 'PENDING', ...this.#place(at), receipt: {} };
          },
        }),
      }),
    });
  }

  get #depth(): number {
    return this.options.confirmations ?? 2;
  }

  get #first(): Block {
    return { height: 0, hash: 'genesis', txIds: [] };
  }

  #place(height: number): { height: number; blockHash: string } {
    return { height, blockHash: this.blocks[height]?.hash ?? '' };
  }

  #get(txId: string): CoinTransaction {
    const transaction = this.known.get(txId);
    if (transaction === undefined) throw new TypeError(`There is no transaction ${txId}.`);
    return transaction;
  }

  /** Returns all coins that exist on the chain. */
  #coins(also: Iterable<string> = []): Map<string, { owner: string; amount: number }> {
    const coins = new Map(this.#funded);
    for (const txId of [...this.executed().keys(), ...also])
      for (const [index, output] of this.#get(txId).outputs.entries()) coins.set(`${txId}:${index}`, output);
    return coins;
  }

  /** Returns the spent coins of the chain, each with the transaction that spends it. */
  #spent(): Map<string, string> {
    return new Map(
      [...this.executed().keys()].flatMap((txId) =>
        this.#get(txId).inputs.map((input) => [input, txId] as const),
      ),
    );
  }

  #accept(txId: string): boolean {
    const { inputs, fee } = this.#get(txId);
    if (this.pool.has(txId) || this.executed().has(txId)) return true;
    const [coins, spent] = [this.#coins(this.pool), this.#spent()];
    if (inputs.some((input) => spent.has(input) || !coins.has(input)) || this.refused.has(txId)) return false;
    const rivals = [...this.pool].filter((id) =>
      this.#get(id).inputs.some((input) => inputs.includes(input)),
    );
    if (rivals.some((id) => this.#get(id).fee >= fee)) return false;
    for (const id of rivals) this.pool.delete(id);
    this.pool.add(txId);
    return true;
  }

  #prepare(request: PrepareRequest): SignedTransaction {
    this.prepared.push(request);
    const { wallet, plan, actionId, unsettled = [], earlier = [] } = request;
    const amount = Number(plan.amount);
    const taken = new Set(unsettled.flatMap(({ claims }) => claims));
    const own = new Set(this.coinsOf(wallet.address));
    const coins = [...this.#coins()].filter(([outpoint]) => own.has(outpoint) && !taken.has(outpoint));
    const unconfirmed = [...this.pool].flatMap((txId) =>
      this.#get(txId).outputs.map((output, index) => [`${txId}:${index}`, output] as [string, typeof output]),
    );
    if (this.options.spendsUnconfirmed === true && coins.length === 0)
      coins.push(...unconfirmed.filter(([coin, { owner }]) => owner === wallet.address && !taken.has(coin)));
    // A coin that every earlier transaction of the action spends comes first.
    const shared = new Set(
      earlier.reduce<readonly string[] | undefined>(
        (all, { claims }) => (all === undefined ? claims : all.filter((claim) => claims.includes(claim))),
        undefined,
      ) ?? [],
    );
    const isExact = ({ amount: held }: { amount: number }) => Number(held === amount);
    coins.sort(([, a], [, b]) => isExact(b) - isExact(a));
    if (this.options.otherCoins !== true)
      coins.sort(([a], [b]) => Number(shared.has(b)) - Number(shared.has(a)));
    const inputs: string[] = [];
    let sum = 0;
    for (const [outpoint, coin] of coins) {
      if (sum >= amount) break;
      inputs.push(outpoint);
      sum += coin.amount;
    }
    if (sum < amount)
      throw adapterError('insufficient-funds', 'The wallet has too few free coins.', { phase: 'prepare' });
    const change = sum > amount ? [{ owner: wallet.address, amount: sum - amount }] : [];
    const outputs = [{ owner: String(plan.to), amount }, ...change];
    return this.#signedOf({ inputs, outputs, fee: 1, salt: actionId });
  }

  #signedOf(transaction: CoinTransaction): SignedTransaction {
    const needs = this.#parentsOf(transaction);
    return {
      ...{ txId: idOf(transaction), bytes: encode(transaction), cost: 0n, mayContinue: true },
      claims: this.options.claimsOthers === true ? ['another'] : transaction.inputs,
      ...(needs.length === 0 ? {} : { needs }),
    };
  }

  /**
   * Returns the transactions that a transaction needs, with their claims. The host knows those that it signed itself.
   */
  #parentsOf({ inputs }: CoinTransaction): ClaimingTransaction[] {
    return inputs.flatMap((input) => {
      const txId = input.slice(0, input.indexOf(':'));
      const parent = this.known.get(txId);
      if (parent === undefined) return [];
      if (parent.salt !== 'outside') return { txId, claims: [] };
      return [{ txId, claims: parent.inputs }, ...this.#parentsOf(parent)];
    });
  }

  #outcome(txId: string, { claims: own = [], needs = [] }: PendingTransaction, final: number): Outcome[] {
    const executed = this.executed();
    const at = executed.get(txId);
    if (at !== undefined) return at > final ? [] : [{ txId, status: 'succeeded', ...this.#place(at) }];
    const spent = this.#spent();
    const claims = this.options.claimsOthers === true ? this.#get(txId).inputs : own;
    const holders = [{ txId, claims }, ...needs];
    for (const [claim, holder] of holders.flatMap((one) => one.claims.map((claim) => [claim, one.txId]))) {
      const by = spent.get(claim ?? '');
      const height = by === undefined ? undefined : executed.get(by);
      if (claim === undefined || by === undefined || by === holder) continue;
      if (height === undefined || height > final) continue;
      const place = { txId, ...this.#place(height) };
      if (this.options.conflict !== 'continue') return [{ ...place, status: 'superseded', claim, by }];
      const transaction = this.#get(txId);
      const [{ owner: to, amount } = { owner: '', amount: 0 }] = transaction.outputs;
      return [{ ...place, status: 'continue', plan: { to, amount }, detail: `The coin ${claim} was spent.` }];
    }
    return [];
  }
}
