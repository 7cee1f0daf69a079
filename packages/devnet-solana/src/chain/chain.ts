import { createHash, randomBytes } from 'node:crypto';
import { DevnetError } from '@ledger-ops/devnet';
import { addressOf, type Base58, bytesOf } from '../base58.ts';
import { Bank } from '../runtime/bank.ts';
import {
  type DecodedMessage,
  type DecodedTransaction,
  decodeTransaction,
  isWritable,
} from '../transactions/decode.ts';
import { accountsIn, type ExecutedTransaction, executeTransaction } from '../transactions/execute.ts';
import { unitPrice } from '../transactions/fee.ts';
import { durableNonce, nonceAccountOf, readNonce, systemProgram } from '../transactions/nonce.ts';
import { type Faucet, faucetLamports, openFaucet } from './faucet.ts';
import { type Block, type BlockHead, Store } from './store.ts';

/** Stage of a block, which depends on the number of blocks on top of it. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

export const commitments: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

/** The chain as seen at one commitment. */
export interface View {
  readonly head: BlockHead;
  readonly bank: Bank;
}

export interface ChainOptions {
  stateFile: string | undefined;
  /** Number of blocks on top of a block with this commitment. */
  depth: { confirmed: number; finalized: number };
  /** Milliseconds since 1970. */
  now: () => number;
}

/** A mined transaction's price per compute unit and the accounts that its message can write. */
interface Offer {
  readonly price: bigint;
  readonly writable: ReadonlySet<Base58>;
}

/** Number of blocks for which a blockhash is valid. */
const maxAge = 150;
/** Number of block heads kept in memory for the sysvars and the blockhash queue. */
const keptHeads = 512;
const mostPerBlock = 2_000;
const mostPending = 10_000;
const mostOffers = 1_000;
const slotSetting = 'nextSlot';
const finalizedSetting = 'finalized';

/** Creates blocks from submitted transactions, and shows the chain at each commitment. */
export class Chain {
  readonly store: Store;
  readonly faucet: Faucet;
  readonly genesisHash: Base58;
  readonly #depth: Readonly<Record<Commitment, number>>;
  readonly #now: () => number;
  readonly #pending = new Map<Base58, DecodedTransaction>();
  readonly #listeners = new Set<(commitment: Commitment, block: Block) => void>();
  readonly #heights = new Map<Base58, number>();
  /**
   * Offers in decoded blocks, by slot. Clients request the fees of the same blocks before each transaction, and
   * decoding is slow.
   */
  readonly #offers = new Map<number, readonly Offer[]>();
  /** Block heads, newest last. */
  #heads: BlockHead[];
  /** Blocks above the finalized view. */
  #window: Block[] = [];
  /** The bank on which new blocks are executed. */
  #executor: Bank;
  readonly #views: Record<Commitment, { head: BlockHead; bank: Bank }>;
  #nextSlot: number;
  #storedHeight: number;
  #behind = 0;
  #dropping = false;

  /** @throws DevnetError if the state file cannot be used */
  constructor({ stateFile, depth, now }: ChainOptions) {
    this.#now = now;
    this.#depth = { processed: 0, ...depth };
    this.store = new Store(stateFile);
    this.faucet = this.store.atomically(() => openFaucet(this.store));
    const bank = Bank.create();
    const genesis = this.store.firstBlock() ?? this.#begin(bank.firstSlot());
    this.genesisHash = genesis.blockhash;
    bank.setAll(this.store.accounts());

    const finalized = this.store.block(Number(this.store.setting(finalizedSetting)));
    if (finalized === undefined)
      throw new DevnetError('The state file has no finalized block. Delete it to start a new chain.');
    this.#storedHeight = finalized.height;
    const above = (this.store.newestBlocks(1)[0] ?? finalized).height - finalized.height;
    this.#heads = this.store.newestBlocks(keptHeads + above).reverse();
    for (const head of this.#heads) this.#heights.set(head.blockhash, head.height);
    this.#window = this.#heads
      .filter((head) => head.height > finalized.height)
      .map((head) => this.#storedBlock(head));
    this.#nextSlot = Math.max(this.tip.slot + 1, Number(this.store.setting(slotSetting) ?? 0));
    this.#enter(bank, finalized);
    this.#executor = bank;
    this.#views = {
      processed: { head: finalized, bank },
      confirmed: { head: finalized, bank },
      finalized: { head: finalized, bank },
    };
    this.#executor = this.#bankAt(this.tip);
    this.#openViews();
  }

  #storedBlock(head: BlockHead): Block {
    const transactions = this.store
      .transactionsOf(head.slot)
      .map(({ id, wire, meta }) => ({ id, wire, meta, accounts: accountsIn(decodeTransaction(wire), meta) }));
    return { ...head, transactions, writes: new Map(this.store.writesOf(head.slot)) };
  }

  #begin(slot: number): BlockHead {
    const blockhash = addressOf(randomBytes(32));
    const time = Math.floor(this.#now() / 1000);
    const genesis = { slot, parentSlot: slot, height: 0, blockhash, previousBlockhash: systemProgram, time };
    const account = {
      lamports: faucetLamports,
      owner: systemProgram,
      executable: false,
      rentEpoch: 2n ** 64n - 1n,
      data: new Uint8Array(),
    };
    this.store.atomically(() => {
      this.store.addBlock({
        ...genesis,
        transactions: [],
        writes: new Map([[this.faucet.address, account]]),
      });
      this.store.finalize(slot);
    });
    return genesis;
  }

  /** The newest block, even if no view shows it yet. */
  get tip(): BlockHead {
    const tip = this.#heads.at(-1);
    if (tip === undefined) throw new Error('The chain has no blocks.');
    return tip;
  }

  get pending(): number {
    return this.#pending.size;
  }

  view(commitment: Commitment): View {
    return this.#views[commitment];
  }

  /** Returns the highest commitment of a block at this height; undefined if no view shows it. */
  commitmentOf(height: number): Commitment | undefined {
    return commitments.findLast((one) => this.#views[one].head.height >= height);
  }

  /** Returns the number of slots by which the processed view is behind the newest block. */
  slotsBehind(): number {
    return this.tip.slot - this.#views.processed.head.slot;
  }

  /**
   * Returns the last height at which a blockhash is valid for clients; undefined if the hash is too old or
   * unknown.
   */
  lastValidBlockHeight(blockhash: Base58, { head }: View): number | undefined {
    const height = this.#heights.get(blockhash);
    if (height === undefined || height > head.height || head.height - height > maxAge) return undefined;
    return height + maxAge;
  }

  /** Returns the kind of the message's lifetime in this view; undefined if the lifetime is over. */
  lifetimeOf(message: DecodedMessage, view: View): 'blockhash' | 'nonce' | undefined {
    if (this.lastValidBlockHeight(message.recentBlockhash, view) !== undefined) return 'blockhash';
    const used = nonceAccountOf(message);
    const nonce = used === undefined ? undefined : readNonce(view.bank.get(used.address));
    return nonce !== undefined &&
      nonce.value === message.recentBlockhash &&
      nonce.value !== durableNonce(view.head.blockhash) &&
      used?.signers.includes(nonce.authority)
      ? 'nonce'
      : undefined;
  }

  /** Whether a block in this view contains the transaction. */
  isProcessed(id: Base58, { head }: View): boolean {
    const slot = this.store.slotOf(id);
    return slot !== undefined && slot <= head.slot;
  }

  /** Unit prices and writable accounts of the transactions in a slot. A slot with a block never gets another block. */
  offersOf(slot: number): readonly Offer[] {
    const known = this.#offers.get(slot);
    if (known !== undefined) return known;
    const offers = this.store.transactionsOf(slot).map(({ wire }) => {
      const message = decodeTransaction(wire);
      const writable = new Set(message.accounts.filter((_, index) => isWritable(message, index)));
      return { price: unitPrice(message), writable };
    });
    if (this.#offers.size >= mostOffers) this.#offers.clear();
    this.#offers.set(slot, offers);
    return offers;
  }

  /** Queues a transaction for the next block. @throws DevnetError if too many are waiting */
  submit(transaction: DecodedTransaction): void {
    if (this.#dropping) return;
    if (this.#pending.size >= mostPending && !this.#pending.has(transaction.id))
      throw new DevnetError(`${mostPending} transactions are waiting for a block, which is the maximum.`);
    this.#pending.set(transaction.id, transaction);
  }

  /** Silently drops all transactions submitted from now on. */
  setDropping(dropping: boolean): void {
    this.#dropping = dropping;
  }

  /**
   * Drops a waiting transaction.
   * @returns whether it was waiting
   */
  drop(id: Base58): boolean {
    return this.#pending.delete(id);
  }

  /** Skips slots: no block is created in them. */
  skipSlots(count: number): void {
    this.#nextSlot += count;
    this.store.setSetting(slotSetting, String(this.#nextSlot));
  }

  /**
   * Creates blocks. The first ones contain the waiting transactions. Blocks are stored before listeners are
   * notified.
   */
  mine(count = 1): void {
    const made: Block[] = [];
    this.store.atomically(() => {
      for (let index = 0; index < count; index += 1) made.push(this.#make());
    });
    for (const block of made) this.#advance(block.height);
  }

  #make(): Block {
    const parent = this.tip;
    const slot = this.#nextSlot;
    const time = Math.max(parent.time, Math.floor(this.#now() / 1000));
    this.#executor.enter({ slot, time, ancestors: this.#ancestorsOf(parent) });
    const transactions: ExecutedTransaction[] = [];
    const writes: Block['writes'] = new Map();
    const view = { head: parent, bank: this.#executor };
    for (const transaction of [...this.#pending.values()].slice(0, mostPerBlock)) {
      this.#pending.delete(transaction.id);
      const lifetime = this.lifetimeOf(transaction, view);
      if (lifetime === undefined || this.store.slotOf(transaction.id) !== undefined) continue;
      const executed = executeTransaction(
        this.#executor,
        transaction,
        { lastBlockhash: parent.blockhash, byNonce: lifetime === 'nonce' },
        writes,
      );
      if (executed !== undefined) transactions.push(executed);
    }
    const head: BlockHead = {
      slot,
      parentSlot: parent.slot,
      height: parent.height + 1,
      blockhash: hashOf(parent, slot, transactions),
      previousBlockhash: parent.blockhash,
      time,
    };
    const block = { ...head, transactions, writes };
    this.store.addBlock(block);
    this.#heads.push(head);
    this.#heights.set(head.blockhash, head.height);
    this.#window.push(block);
    this.#nextSlot = slot + 1;
    this.#storeFinalized();
    return block;
  }

  #storeFinalized(): void {
    for (const { height, slot } of this.#window) {
      if (height <= this.#storedHeight) continue;
      if (this.#targetHeight('finalized', this.tip.height) < height) break;
      this.store.finalize(slot);
      this.#storedHeight = height;
    }
  }

  #targetHeight(commitment: Commitment, tipHeight: number): number {
    return tipHeight - this.#depth[commitment] - this.#behind;
  }

  /** Updates the views for this newest height and notifies listeners. */
  #advance(tipHeight: number): void {
    for (const commitment of commitments) {
      const view = this.#views[commitment];
      const target = this.#targetHeight(commitment, tipHeight);
      for (const block of this.#window) {
        if (block.height <= view.head.height) continue;
        if (block.height > target) break;
        if (view.bank !== this.#executor) this.#apply(view.bank, block);
        view.head = block;
        for (const listener of this.#listeners) listener(commitment, block);
      }
    }
    const finalized = this.#views.finalized.head.height;
    this.#window = this.#window.filter(({ height }) => height > finalized);
    const old = this.#heads.findIndex(({ height }) => height > finalized - keptHeads);
    for (const { blockhash } of this.#heads.splice(0, old)) this.#heights.delete(blockhash);
  }

  /** Reports each block that a view reaches, in order. @returns a function that unsubscribes */
  onBlock(listener: (commitment: Commitment, block: Block) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Removes the newest blocks, as if the chain continued on another fork. Their slots are not reused.
   *
   * @returns the lost transactions
   * @throws DevnetError if one of the blocks is finalized
   */
  takeBack(count: number): Base58[] {
    if (count > this.#window.length)
      throw new DevnetError(
        `Only ${this.#window.length} blocks are not finalized, so ${count} cannot be removed.`,
      );
    const lost = this.#window.splice(this.#window.length - count);
    this.#heads.splice(this.#heads.length - count);
    for (const { blockhash } of lost) this.#heights.delete(blockhash);
    const ids = lost.flatMap(({ slot }) => this.store.transactionsOf(slot).map(({ id }) => id));
    this.store.atomically(() => {
      this.store.removeAbove(this.tip.slot);
      this.store.setSetting(slotSetting, String(this.#nextSlot));
    });
    this.#executor = this.#bankAt(this.tip);
    this.#openViews();
    return ids;
  }

  /** From now on, shows the chain as it was this number of blocks ago. Finalized blocks stay finalized. */
  setBehind(blocks: number): void {
    const catchesUp = blocks < this.#behind;
    this.#behind = blocks;
    if (catchesUp) {
      this.store.atomically(() => this.#storeFinalized());
      this.#advance(this.tip.height);
    }
    this.#openViews();
  }

  close(): void {
    this.store.close();
  }

  /** Sets the views `processed` and `confirmed` to the blocks at their heights, but not below the finalized block. */
  #openViews(): void {
    for (const commitment of ['processed', 'confirmed'] as const) {
      const target = this.#targetHeight(commitment, this.tip.height);
      const finalized = this.#views.finalized.head;
      const head = this.#window.findLast(({ height }) => height <= target) ?? finalized;
      const shared = commitment === 'processed' && head.height === this.tip.height && this.#behind === 0;
      this.#views[commitment] = { head, bank: shared ? this.#executor : this.#bankAt(head) };
    }
  }

  /** Returns a bank with the accounts as of a block. The block must not be below the finalized view. */
  #bankAt({ height }: BlockHead): Bank {
    const bank = this.#views.finalized.bank.copy();
    for (const block of this.#window) if (block.height <= height) this.#apply(bank, block);
    return bank;
  }

  #apply(bank: Bank, block: Block): void {
    bank.setAll(block.writes);
    this.#enter(bank, block);
  }

  #enter(bank: Bank, head: BlockHead): void {
    const parent = this.#heads.find(({ slot }) => slot === head.parentSlot);
    bank.enter({
      slot: head.slot,
      time: head.time,
      ancestors: parent === undefined || parent.slot === head.slot ? [] : this.#ancestorsOf(parent),
    });
  }

  /** Returns a block and its ancestors, newest first, at most `keptHeads`. */
  #ancestorsOf(head: BlockHead): BlockHead[] {
    const end = this.#heads.findLastIndex(({ slot }) => slot === head.slot);
    return this.#heads.slice(Math.max(0, end + 1 - keptHeads), end + 1).reverse();
  }
}

function hashOf(parent: BlockHead, slot: number, transactions: readonly ExecutedTransaction[]): Base58 {
  const hash = createHash('sha256').update(bytesOf(parent.blockhash)).update(String(slot));
  for (const { id } of transactions) hash.update(bytesOf(id));
  return addressOf(hash.digest());
}
