// Transfers through two servers that are killed repeatedly. Reorgs remove blocks beyond the confirmation
// depth, and another program executes transactions that exclude finished transfers.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { createChance } from './faults.ts';
import { type Action, createProduct, type Product } from './product.ts';

export const walletPassword = 'correct horse battery staple';
/** Confirmation depth of the ledger, in blocks. */
export const confirmations = 2;
/** Amount of a transfer in the smallest unit, unless its ledger needs more. */
export const sentAmount = 1_000n;
/** Milliseconds between blocks. */
const blockTime = 100;

export interface TransferRunOptions {
  /** Number of transfers. */
  actions: number;
  wallets: number;
  /** Number of concurrent requests. */
  clients: number;
  /** How often a server is killed or stopped, so that the other server takes over, and started again. */
  stops: number;
  /** Number of reorgs beyond the confirmation depth. */
  reorgs: number;
  /** Number of these reorgs after which another program excludes a finished transfer. */
  thefts: number;
  databaseUrl: string;
  /** Seed of the random choices. */
  seed?: number;
}

/** A transfer in the chain, with the height of its block. */
export interface MinedTransfer {
  txId: string;
  height: number;
}

/** A transaction of another program. `height` is that of its block; undefined if it is not in the chain. */
export interface Theft {
  txId: string;
  height: number | undefined;
}

/** The ledger of a test run. It creates blocks only when the run requests them. */
export interface RunLedger {
  readonly technology: string;
  /** Amount of each transfer, in the smallest unit. */
  readonly amount: bigint;
  /** Creates the ledger and its wallets on a server. Returns the ids of the wallets. */
  create(server: Product, wallets: number): Promise<string[]>;
  /** Returns an unused address. */
  recipient(): string;
  /** Native content of a wallet's next transfer. Undefined if it needs none. */
  content?(walletId: string): object | undefined;
  height(): Promise<number>;
  mine(blocks: number): Promise<void>;
  /** Returns the transfers in the chain, oldest first. */
  transfers(): Promise<MinedTransfer[]>;
  /**
   * Removes the blocks from this height on. With `returns`, their transactions are in the mempool again.
   * Otherwise they are gone, and a transaction of another program excludes one of the transactions in
   * `steal`, if there are any.
   */
  reorganise(height: number, returns: boolean, steal: ReadonlySet<string>): Promise<void>;
  /** Lets the other program send its transactions again if a reorg removed them. Returns all of its transactions. */
  thefts(): Promise<Theft[]>;
  /** Returns the addresses of the transfers that a transaction of the other program excludes. */
  harmedBy(txId: string): Promise<Set<string>>;
  /** Addresses of other transfers that can no longer be executed, because a reorg removed what they depend on. */
  endangered?(): ReadonlySet<string>;
  /** Returns how often the chain pays each address. */
  payments(): Promise<Map<string, number>>;
  /** Returns the claims that transactions of several transfers share. Ignores transfers to the given addresses. */
  sharedClaims(except: ReadonlySet<string>): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Maximum time in milliseconds from the finality of the other program's transaction to the report of the
 * retraction, including kills and further reorgs. It is a fifth of the time between Bitcoin's blocks, because
 * the servers' intervals are at most a fifth of their defaults. The blocks of a run are much faster.
 */
const toldWithin = 600_000 / 5;

/** Maximum time in milliseconds without progress after all transfers were accepted. */
const standstill = 120_000;

type Told = Action & { retracted?: { detail: string; at: string } };

interface Sent {
  actionId: string;
  target: string;
}

/** Intervals of repeated checks, at most a fifth of the server's defaults. */
const timing = {
  ...{ lease: 5_000, idleConfirm: 200, catchUp: 5_000, resend: 500, historyAgain: 200, historyPause: 50 },
  ...{ historyResend: 1_000, resendLost: { first: 200, longest: 2_000 } },
  ...{ signAgain: { first: 100, longest: 500 }, confirmAgain: { first: 50, longest: 500 } },
};

/** A run: a ledger, and two servers of one installation. */
export class TransferRun {
  readonly #options: TransferRunOptions;
  readonly #ledger: RunLedger;
  readonly #chance: ReturnType<typeof createChance>;
  readonly #servers: readonly [Product, Product];
  readonly #sent: Sent[] = [];
  /** Times at which another program's transactions reached the confirmation depth. */
  readonly #deepAt = new Map<string, number>();
  /** Times at which blocks were created. */
  readonly #minedAt: number[] = [];
  #wallets: readonly string[] = [];
  /** Resolves when the last requested change of the chain is done. */
  #blocks: Promise<void> = Promise.resolve();

  private constructor(options: TransferRunOptions, ledger: RunLedger) {
    this.#options = options;
    this.#ledger = ledger;
    this.#chance = createChance(ledger.technology, options.seed);
    const { databaseUrl } = options;
    const first = createProduct({ databaseUrl, timing });
    this.#servers = [first, createProduct({ databaseUrl, timing, beside: first })];
  }

  /** Opens a run, which owns the ledger: the run stops the ledger when it ends, or if it cannot be opened. */
  static async open(options: TransferRunOptions, ledger: RunLedger): Promise<TransferRun> {
    const run = new TransferRun(options, ledger);
    try {
      const [first, second] = run.#servers;
      await first.start();
      run.#wallets = await ledger.create(first, options.wallets);
      await second.start();
      return run;
    } catch (error) {
      await run.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    for (const server of this.#servers.toReversed()) await server.stop();
    await this.#ledger.stop();
  }

  /** Sends all transfers while servers stop and blocks are removed, and waits until each transfer is final. */
  async execute(): Promise<void> {
    const isOver = new AbortController();
    const blocks = this.#mine(isOver.signal);
    const events = this.#disturb();
    try {
      const { clients } = this.#options;
      await Promise.all([events, ...Array.from({ length: clients }, (_, index) => this.#client(index))]);
      await this.#settle();
    } finally {
      isOver.abort();
      await blocks;
    }
  }

  /**
   * Fails unless each transfer that is reported as succeeded was executed once, each that is reported as
   * failed or retracted was not executed, and no two transfers have the same claim. Returns counts for the
   * log.
   */
  async check() {
    expect((await this.#wrong()).slice(0, 3)).toEqual([]);
    const found = await this.#actions();
    const failed = found.filter(({ status }) => status !== 'SUCCEEDED');
    for (const { problem } of failed) expect(problem?.type).toMatch(/(?:claim|nonce)-taken$/);
    const retracted = found.filter((one) => one.retracted !== undefined);
    const undone = [...failed, ...retracted];
    const thefts = await this.#ledger.thefts();
    const harmed = new Map<string, number>();
    for (const { txId } of thefts)
      for (const target of await this.#ledger.harmedBy(txId)) {
        const deepAt = this.#deepAt.get(txId) ?? Number.POSITIVE_INFINITY;
        harmed.set(target, Math.min(deepAt, harmed.get(target) ?? Number.POSITIVE_INFINITY));
      }
    // A transfer can lose what it needs only through a transaction of another program, or a reorg.
    const endangered = this.#ledger.endangered?.() ?? new Set();
    const unharmed = undone.filter(({ target }) => !harmed.has(target) && !endangered.has(target));
    expect(unharmed.slice(0, 3)).toEqual([]);
    expect(await this.#ledger.sharedClaims(new Set(undone.map(({ target }) => target)))).toEqual([]);
    const late = retracted.map(({ target, retracted: told }) => {
      const toldAt = Date.parse(told?.at ?? '');
      const finalAt = harmed.get(target) ?? toldAt;
      const blocks = this.#minedAt.filter((at) => at > finalAt && at <= toldAt).length;
      return { time: Math.max(0, toldAt - finalAt), blocks };
    });
    const latest = Math.max(0, ...late.map(({ time }) => time));
    expect(latest).toBeLessThan(toldWithin);
    return {
      // For each retraction, the number of blocks created before it was reported.
      toldWithinBlocks: late.map(({ blocks }) => blocks).toSorted((a, b) => a - b),
      toldAfterSeconds: latest / 1_000,
      succeeded: found.length - undone.length,
      retracted: retracted.length,
      failed: failed.length,
      thefts: thefts.length,
      height: await this.#ledger.height(),
    };
  }

  async #mine(isOver: AbortSignal): Promise<void> {
    while (!isOver.aborted) {
      await this.#withBlocks(() => this.#addBlocks(1));
      await delay(blockTime, undefined, { signal: isOver }).catch(() => undefined);
    }
  }

  /** Changes the chain after all earlier changes are done. */
  async #withBlocks(work: () => Promise<void>): Promise<void> {
    const before = this.#blocks;
    const mine = before.then(work);
    this.#blocks = mine.catch(() => undefined);
    await mine;
  }

  async #client(index: number): Promise<void> {
    const { actions, clients } = this.#options;
    for (let n = index; n < actions; n += clients) {
      const walletId = this.#wallets[n % this.#wallets.length];
      if (walletId !== undefined) this.#sent.push(await this.#send(walletId, n));
    }
  }

  /** Sends a transfer, alternating between the servers with the same idempotency key, until one accepts it. */
  async #send(walletId: string, n: number): Promise<Sent> {
    const target = this.#ledger.recipient();
    const recipient = {
      lookup_service: { type: 'ledger', value: this.#ledger.technology },
      resource: target,
    };
    const options = { recipient, amount: String(this.#ledger.amount) };
    const native = this.#ledger.content?.(walletId);
    const ledger = { [this.#ledger.technology]: { version: '1', native_transaction_content: native } };
    const glo = { version: '0.1.0', type: 'transfer', options, ...(native && { meta: { ledger } }) };
    const body = { walletId, walletPassword, glo };
    const key = { 'Idempotency-Key': randomUUID() };
    for (let tries = n; ; tries += 1) {
      const server = this.#servers[tries % 2 === 0 ? 0 : 1];
      const answer = await server.call('POST', '/v1/ledger-ops/send', body, key).catch(() => undefined);
      if (answer?.status === 201) return { actionId: String(answer.body.actionId), target };
      // The server is down, the node is late, or the request with this key is still being executed.
      if (answer !== undefined) expect([409, 503, 504], JSON.stringify(answer.body)).toContain(answer.status);
      await delay(100);
    }
  }

  /** Stops servers and removes blocks, each spread evenly over the transfers. */
  async #disturb(): Promise<void> {
    const { actions, stops, reorgs, thefts } = this.#options;
    const spread = async (count: number, event: (n: number) => Promise<void>) => {
      for (let n = 0; n < count; n += 1) {
        while (this.#sent.length < Math.floor((actions * (n + 1)) / (count + 1))) await delay(20);
        await event(n);
      }
    };
    await Promise.all([
      spread(stops, (n) => this.#restart(n)),
      spread(reorgs, (n) => this.#reorganise(n < thefts)),
    ]);
  }

  async #restart(n: number): Promise<void> {
    const server = this.#servers[n % 2 === 0 ? 0 : 1];
    if (n % 4 < 2) await server.kill();
    else expect(await server.terminate()).toBe(0);
    await server.start();
  }

  /** Replaces the blocks of final transfers with other blocks in one step, as a node does in a reorg. */
  async #reorganise(hasTheft: boolean): Promise<void> {
    while (!(await this.#tryReorganise(hasTheft))) await delay(20);
  }

  /** Returns false if the ledger no longer had final transfers once mining was stopped. */
  async #tryReorganise(hasTheft: boolean): Promise<boolean> {
    let isDone = false;
    const finals = async () => {
      const final = (await this.#ledger.height()) - confirmations;
      return (await this.#ledger.transfers()).filter(({ height }) => height <= final);
    };
    while ((await finals()).length === 0) await delay(20);
    const finished = hasTheft ? await this.#finished(finals) : new Set<string>();
    await this.#withBlocks(async () => {
      const all = await finals();
      if (all.length === 0) return;
      const last = [...new Set(all.map(({ height }) => height))].slice(-3);
      const ofFinished = all.findLast(({ txId }) => finished.has(txId))?.height;
      const first = ofFinished ?? last[this.#chance(0, last.length)] ?? 0;
      const dropped = all.filter(({ txId, height }) => height >= first && finished.has(txId));
      const count = (await this.#ledger.height()) - first + 2;
      const returns = !hasTheft && this.#chance(0, 2) === 1;
      await this.#ledger.reorganise(first, returns, new Set(dropped.map(({ txId }) => txId)));
      await this.#addBlocks(count);
      isDone = true;
    });
    return isDone;
  }

  async #addBlocks(count: number): Promise<void> {
    await this.#ledger.thefts();
    await this.#ledger.mine(count);
    const at = Date.now();
    for (let n = 0; n < count; n += 1) this.#minedAt.push(at);
    const final = (await this.#ledger.height()) - confirmations + 1;
    for (const { txId, height } of await this.#ledger.thefts()) {
      if (height === undefined || height > final) this.#deepAt.delete(txId);
      else if (!this.#deepAt.has(txId)) this.#deepAt.set(txId, at);
    }
  }

  /** Waits until some of the newest transfers are reported as finished and are final, and returns the ids of their transactions. */
  async #finished(finals: () => Promise<MinedTransfer[]>): Promise<Set<string>> {
    for (;;) {
      const newest = this.#sent.slice(-100);
      const ended = await Promise.any(this.#servers.map((one) => this.#reported(one, newest))).catch(
        () => [],
      );
      const found = ended.flatMap(({ status, retracted, locator }) =>
        status === 'SUCCEEDED' && retracted === undefined ? (locator ?? []) : [],
      );
      // A reorg may have removed them.
      const final = new Set((await finals()).map(({ txId }) => txId));
      const all = found.filter((txId) => final.has(txId));
      if (all.length > 0) return new Set(all);
      await delay(50);
    }
  }

  /**
   * Waits until each transfer is reported with its outcome on the chain. Fails if the number of the others does not
   * decrease for two minutes.
   */
  async #settle(): Promise<void> {
    let fewest = Number.POSITIVE_INFINITY;
    let end = 0;
    for (;;) {
      const wrong = await this.#wrong();
      if (wrong.length === 0) return;
      if (wrong.length < fewest) {
        fewest = wrong.length;
        end = Date.now() + standstill;
      }
      const first = JSON.stringify(wrong.slice(0, 3));
      if (Date.now() > end)
        throw new Error(`${wrong.length} transfers are pending or reported wrongly: ${first}`);
      // Reading all transfers more often would slow the servers down.
      await delay(this.#sent.length / 2);
    }
  }

  /** Returns transfers that are pending, or were not executed as often as they are reported. */
  async #wrong() {
    const paid = await this.#ledger.payments();
    return (await this.#actions()).filter(({ status, retracted, target }) => {
      const expected = status === 'SUCCEEDED' && retracted === undefined ? 1 : 0;
      return status === 'PENDING' || (paid.get(target) ?? 0) !== expected;
    });
  }

  async #actions(): Promise<(Told & Sent)[]> {
    const all = await this.#reported(this.#servers[0], this.#sent);
    expect(all).toHaveLength(this.#sent.length);
    return all;
  }

  async #reported(server: Product, sent: readonly Sent[]): Promise<(Told & Sent)[]> {
    const all: (Told & Sent)[] = [];
    for (let from = 0; from < sent.length; from += 100) {
      const part = sent.slice(from, from + 100);
      const targets = new Map(part.map(({ actionId, target }) => [actionId, target]));
      const found: Told[] = await server.actions([...targets.keys()]);
      all.push(...found.map((one) => ({ ...one, target: targets.get(one.actionId) ?? '' })));
    }
    return all;
  }
}

/** Applies `work` to all items in order, at most fifty at a time: a node cannot serve thousands of connections. */
export async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += 50)
    results.push(...(await Promise.all(items.slice(from, from + 50).map(work))));
  return results;
}
