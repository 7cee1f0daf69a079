// Transfers on a ledger of coins, through two servers that are killed, while reorgs remove blocks beyond the confirmation depth.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTestSigner } from '@ledger-ops/adapter-kit/conformance';
import {
  createUtxoLedger,
  type UtxoBlock,
  type UtxoLedger,
  UtxoNode,
  type UtxoTransaction,
  utxoAddressOf,
} from '@ledger-ops/adapter-kit/utxo';
import { expect, vi } from 'vitest';
import { createChance } from './faults.ts';
import { type Action, createProduct, type Product } from './product.ts';

// Registered by its file like the plugin of another author, so it runs in its own process.
const module = fileURLToPath(new URL('../../../../examples/bitcoin-plugin/src/plugin.js', import.meta.url));
const walletPassword = 'correct horse battery staple';
const ledgerId = 'coins';
const confirmations = 2;
const [coinAmount, sentAmount] = [1_000_000n, 1_000n];
/** Milliseconds between blocks. */
const blockTime = 100;

export interface CoinRunOptions {
  /** Number of transfers. */
  actions: number;
  wallets: number;
  /** Coins that each wallet starts with. */
  coins: number;
  /** Requests at the same time. */
  clients: number;
  /** How often a server is killed, or asked to stop so that the other takes over, and started again. */
  stops: number;
  /** Reorgs beyond the confirmation depth. */
  reorgs: number;
  /** Number of these reorgs after which another program spends a coin of a finished transfer. */
  thefts: number;
  databaseUrl: string;
  /** Of random choices. */
  seed?: number;
}

/**
 * A fifth of the time between Bitcoin's blocks, in milliseconds, because the intervals of the servers are at most a fifth of
 * their defaults. The blocks of a run are much faster.
 */
const bitcoinBlock = 600_000 / 5;

type Told = Action & { retracted?: { detail: string; at: string } };

/** A transaction of another program. `deepAt`: when it reached the confirmation depth; undefined if it is not there. */
interface Theft {
  txId: string;
  bytes: Uint8Array;
  coin: string;
  deepAt: number | undefined;
}

interface CoinWallet {
  walletId: string;
  address: string;
  privateKey: Uint8Array;
}

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
export class CoinRun {
  readonly #options: CoinRunOptions;
  readonly #ledger: UtxoLedger;
  readonly #node: UtxoNode;
  readonly #chance: ReturnType<typeof createChance>;
  readonly #servers: readonly [Product, Product];
  readonly #wallets = new Map<string, CoinWallet>();
  readonly #sent: Sent[] = [];
  /** Transactions of another program, and the coins that they spent. */
  readonly #thefts: Theft[] = [];
  /** When blocks were created. */
  readonly #minedAt: number[] = [];

  private constructor(options: CoinRunOptions, ledger: UtxoLedger, node: UtxoNode) {
    this.#options = options;
    this.#ledger = ledger;
    this.#node = node;
    this.#chance = createChance('coins', options.seed);
    const { databaseUrl } = options;
    const first = createProduct({ databaseUrl, timing });
    this.#servers = [first, createProduct({ databaseUrl, timing, beside: first })];
  }

  static async open(options: CoinRunOptions): Promise<CoinRun> {
    const ledger = createUtxoLedger({ blockSize: 10_000 });
    const run = new CoinRun(options, ledger, await UtxoNode.start(ledger));
    try {
      await run.#setUp();
      return run;
    } catch (error) {
      await run.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    for (const server of this.#servers.toReversed()) await server.stop();
    await this.#node.close();
  }

  /** Sends all transfers while servers stop and blocks are removed, and waits until every one has ended. */
  async execute(): Promise<void> {
    const isOver = new AbortController();
    const blocks = this.#mine(isOver.signal);
    const events = this.#trouble();
    try {
      const { clients } = this.#options;
      await Promise.all([events, ...Array.from({ length: clients }, (_, index) => this.#client(index))]);
      const [server] = this.#servers;
      await server.ended(this.#sent.map(({ actionId }) => actionId));
      await this.#settle();
    } finally {
      isOver.abort();
      await blocks;
    }
  }

  /**
   * Fails unless each transfer that is reported as succeeded happened once, each that is reported as failed or retracted
   * did not happen, and no two transfers spent the same coin. Returns counts for the log.
   */
  async check() {
    const paid = this.#payments();
    const found = await this.#actions();
    const wrong = found.filter(({ status, retracted, target }) => {
      const expected = status === 'SUCCEEDED' && retracted === undefined ? 1 : 0;
      return (paid.get(target) ?? 0) !== expected;
    });
    expect(wrong.slice(0, 3)).toEqual([]);
    const failed = found.filter(({ status }) => status !== 'SUCCEEDED');
    for (const { problem } of failed) expect(problem?.type).toMatch(/claim-taken$/);
    const retracted = found.filter((one) => one.retracted !== undefined);
    const undone = [...failed, ...retracted];
    // Only another program's transaction can take a claim from a transfer.
    const harmed = this.#harmed();
    expect(undone.filter(({ target }) => !harmed.has(target)).slice(0, 3)).toEqual([]);
    expect(this.#sharedCoins(new Set(undone.map(({ target }) => target)))).toEqual([]);
    const late = this.#lateness(retracted);
    const latest = Math.max(0, ...late.map(({ time }) => time));
    // Every retraction is told within one block after the theft is final, kills and further reorgs included.
    expect(latest / bitcoinBlock).toBeLessThan(1);
    return {
      toldWithinBitcoinBlocks: latest / bitcoinBlock,
      toldWithinBlocks: Math.max(0, ...late.map(({ blocks }) => blocks)),
      toldAfterSeconds: latest / 1_000,
      succeeded: found.length - undone.length,
      retracted: retracted.length,
      failed: failed.length,
      thefts: this.#thefts.length,
      height: this.#ledger.head.height,
      submissions: this.#ledger.submissions.length,
    };
  }

  async #setUp(): Promise<void> {
    const [first, second] = this.#servers;
    await first.start();
    const created = async <Body>(path: string, input: object) => {
      const { status, body } = await first.call<Body>('POST', path, input);
      expect(status, JSON.stringify(body)).toBe(201);
      return body;
    };
    await created('/v1/plugins', {
      ...{ name: 'Bitcoin', projectId: 'job-project', url: `file:${module}`, tags: ['bitcoin'] },
    });
    const properties = {
      ...{ network: 'regtest', confirmations, polling_interval: 50, max_in_flight: 10_000 },
    };
    await created('/v1/ledgers', {
      ...{ ledgerID: ledgerId, name: 'Coins', ledgerTechnology: { ledgerTechnologyID: 'bitcoin' } },
      properties: Object.entries(properties).map(([name, value]) => ({ type: { name }, value })),
      nodes: [{ nodeID: 'coins-node', options: { uri: this.#node.url } }],
    });
    for (let index = 0; index < this.#options.wallets; index += 1) {
      const { privateKey } = createTestSigner('secp256k1');
      const walletId = `wallet-${index}`;
      const imported = { walletPassword, privateKey: `0x${Buffer.from(privateKey).toString('hex')}` };
      const { walletAddress: address } = await created<{ walletAddress: string }>(
        '/v1/cloud-wallet/wallets',
        { walletId, ledgerId, pluginParameters: imported },
      );
      this.#wallets.set(address, { walletId, address, privateKey });
      for (let coin = 0; coin < this.#options.coins; coin += 1) this.#ledger.fund(address, coinAmount);
    }
    this.#ledger.mine(confirmations);
    await second.start();
  }

  async #mine(isOver: AbortSignal): Promise<void> {
    while (!isOver.aborted) {
      // The other program sends its transactions again.
      for (const { txId, bytes } of this.#thefts)
        if (this.#ledger.transaction(txId) === undefined) this.#ledger.include(bytes);
      this.#addBlocks();
      await delay(blockTime, undefined, { signal: isOver }).catch(() => undefined);
    }
  }

  async #client(index: number): Promise<void> {
    const { actions, clients } = this.#options;
    const wallets = [...this.#wallets.values()];
    for (let n = index; n < actions; n += clients) {
      const wallet = wallets[n % wallets.length];
      if (wallet !== undefined) this.#sent.push(await this.#send(wallet, n));
    }
  }

  /** Repeats a request with its key until a server accepts it. */
  async #send({ walletId }: CoinWallet, n: number): Promise<Sent> {
    const target = utxoAddressOf(createTestSigner('secp256k1').publicKey, this.#ledger.network);
    const recipient = { lookup_service: { type: 'ledger', value: 'bitcoin' }, resource: target };
    const options = { recipient, amount: String(sentAmount) };
    const body = { walletId, walletPassword, glo: { version: '0.1.0', type: 'transfer', options } };
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
  async #trouble(): Promise<void> {
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

  /** Replaces blocks with final transfers by others, at once, as a node does. */
  async #reorganise(hasTheft: boolean): Promise<void> {
    const isFinal = ({ height }: UtxoBlock) => height <= this.#ledger.head.height - confirmations;
    const isTransfer = ({ inputs }: UtxoTransaction) => inputs.length > 0;
    const finals = () =>
      this.#ledger.blocks.filter((block) => isFinal(block) && block.transactions.some(isTransfer));
    while (finals().length === 0) await delay(20);
    const finished = hasTheft ? await this.#finished() : new Set<string>();
    const last = finals().slice(-3);
    const ofFinished = finals().findLast(({ transactions }) =>
      transactions.some(({ txId }) => finished.has(txId)),
    );
    const first = ofFinished ?? last[this.#chance(0, last.length)] ?? this.#ledger.head;
    const dropped = this.#ledger.blocks.slice(first.height).flatMap(({ transactions }) => transactions);
    const depth = this.#ledger.head.height - first.height + 1;

    this.#ledger.reorganise(depth, hasTheft || this.#chance(0, 2) === 0 ? 'vanish' : 'return');
    if (hasTheft) this.#steal(dropped.filter(({ txId }) => finished.has(txId)));
    this.#addBlocks(depth + 1);
  }

  #addBlocks(count = 1): void {
    const { head } = this.#ledger;
    for (let n = 0; n < count; n += 1) {
      this.#ledger.mine();
      this.#minedAt.push(Date.now());
    }
    const final = head.height + count - confirmations + 1;
    for (const theft of this.#thefts) {
      const height = this.#ledger.transaction(theft.txId)?.block?.height;
      theft.deepAt = height !== undefined && height <= final ? (theft.deepAt ?? Date.now()) : undefined;
    }
  }

  /** How long after a theft was final each retraction was told: in milliseconds, and in blocks of the run. */
  #lateness(retracted: readonly (Told & Sent)[]): { time: number; blocks: number }[] {
    return retracted.map(({ target, retracted: told }) => {
      const toldAt = Date.parse(told?.at ?? '');
      const finalAt = Math.min(
        ...this.#thefts.flatMap((theft) =>
          this.#spending([theft.coin], []).has(target) ? (theft.deepAt ?? []) : [],
        ),
      );
      const blocks = this.#minedAt.filter((at) => at > finalAt && at <= toldAt).length;
      return { time: Math.max(0, toldAt - finalAt), blocks };
    });
  }

  /** Waits until some of the newest transfers are reported as finished, and returns the ids of their transactions. */
  async #finished(): Promise<Set<string>> {
    for (;;) {
      const newest = this.#sent.slice(-100);
      const ended = await Promise.any(this.#servers.map((one) => this.#reported(one, newest))).catch(
        () => [],
      );
      const found = ended.flatMap(({ status, retracted, locator }) =>
        status === 'SUCCEEDED' && retracted === undefined ? (locator ?? []) : [],
      );
      if (found.length > 0) return new Set(found);
      await delay(50);
    }
  }

  /** Spends a coin of a transfer whose block was dropped, with the key of its wallet. */
  #steal(dropped: readonly UtxoTransaction[]): void {
    for (const { inputs } of dropped) {
      const [coin] = inputs.flatMap((input) => this.#ledger.coin(input.coin) ?? []);
      const owner = [...this.#wallets.values()].find(({ address }) =>
        this.#ledger.coinsOf(address).some(({ id }) => id === coin?.id),
      );
      if (coin === undefined || owner === undefined) continue;
      const { address: recipient, privateKey } = owner;
      const theft = this.#ledger.signOutside({ privateKey, coins: [coin.id], recipient });
      this.#thefts.push({ txId: theft.txId, bytes: theft.bytes, coin: coin.id, deepAt: undefined });
      this.#ledger.include(theft.bytes);
      return;
    }
  }

  /** Waits until each transfer that succeeded is in the chain, or is reported as retracted. */
  async #settle(): Promise<void> {
    await vi.waitFor(
      async () => {
        const paid = this.#payments();
        const lost = (await this.#actions()).filter(
          ({ status, retracted, target }) =>
            status === 'SUCCEEDED' && retracted === undefined && paid.get(target) === undefined,
        );
        expect(lost.slice(0, 3), `${lost.length} are lost`).toEqual([]);
      },
      { timeout: 120_000, interval: 500 },
    );
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

  /** Addresses of transfers that another program harmed. */
  #harmed(): Set<string> {
    return this.#spending(
      this.#thefts.map(({ coin }) => coin),
      this.#thefts.map(({ txId }) => txId),
    );
  }

  /** Addresses of transfers that spend these coins, or outputs of these transactions or of such transfers. */
  #spending(coins: readonly string[], txIds: readonly string[]): Set<string> {
    const all = this.#ledger.submissions.flatMap(({ transaction }) => transaction ?? []);
    const stolen = new Set(coins);
    const gone = new Set(txIds);
    const isGone = ({ coin }: { coin: string }) =>
      stolen.has(coin) || gone.has(coin.slice(0, coin.indexOf(':')));
    for (let before = -1; before < gone.size; ) {
      before = gone.size;
      for (const { txId, inputs } of all) if (inputs.some(isGone)) gone.add(txId);
    }
    return new Set(all.filter(({ txId }) => gone.has(txId)).map(({ outputs }) => outputs[0]?.address ?? ''));
  }

  /** How often each address was paid in the chain. */
  #payments(): Map<string, number> {
    const paid = new Map<string, number>();
    for (const { outputs } of this.#ledger.transactions) {
      for (const { address } of outputs)
        if (address !== undefined) paid.set(address, (paid.get(address) ?? 0) + 1);
    }
    return paid;
  }

  /** Coins that transactions of several transfers spend, except transfers that did not happen. */
  #sharedCoins(undone: ReadonlySet<string>): string[] {
    const targets = new Map<string, Set<string>>();
    for (const { transaction } of this.#ledger.submissions) {
      const target = transaction?.outputs[0]?.address ?? '';
      if (undone.has(target) || this.#wallets.has(target)) continue;
      for (const { coin } of transaction?.inputs ?? [])
        targets.set(coin, (targets.get(coin) ?? new Set()).add(target));
    }
    return [...targets].filter(([, all]) => all.size > 1).map(([coin]) => coin);
  }
}
