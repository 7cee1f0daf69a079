import type { Base58 } from '../base58.ts';
import type { Chain, Commitment } from '../chain/chain.ts';
import type { Block } from '../chain/store.ts';
import { writeJson } from '../json.ts';
import { blockAnswer } from '../methods/blocks.ts';
import { type Node, version } from '../methods/node.ts';
import { accountAnswer, accountFilter, accountViewOf } from './account-answers.ts';
import type { Call } from './dispatch.ts';
import { codes, invalid, RpcError } from './error.ts';
import { address, type Config, commitmentOf, flag, object, type Params } from './params.ts';
import { transactionViewOf } from './transaction-answers.ts';

/** Reports when blocks reach a commitment. If `ends`, the subscription sends a single notification. */
interface Subscription {
  notification: string;
  commitment: Commitment;
  results(block: Block): unknown[];
  ends?: boolean;
  /** Notifications to send immediately. */
  first?(): unknown[];
}

const mostSubscriptions = 1000;
/** Delay between the response to a subscription and its first notifications. */
const firstDelayMs = 50;

const context = (block: { slot: number }, value: unknown) => ({
  context: { apiVersion: version, slot: block.slot },
  value,
});

/** The subscriptions of one connection. */
export class Subscriptions {
  readonly #node: Node;
  readonly #send: (text: string) => void;
  readonly #open = new Map<number, Subscription>();
  readonly #end: () => void;

  constructor(node: Node, send: (text: string) => void) {
    this.#node = node;
    this.#send = send;
    this.#end = node.chain.onBlock((commitment, block) => this.#heard(commitment, block));
  }

  /** Executes the calls of a connection. */
  readonly call: Call = (method, params) => {
    const kind = method.replace(/(Unsubscribe|Subscribe)$/, '');
    const make = kinds[kind];
    if (make === undefined || kind === method)
      throw new RpcError(codes.method, `Method not found: ${method.slice(0, 100)}`);
    if (method.endsWith('Unsubscribe')) {
      const id = params.integer(0, 'the subscription');
      if (!this.#open.delete(id)) throw invalid('Invalid subscription id.');
      return true;
    }
    if (this.#open.size >= mostSubscriptions)
      throw invalid(`a connection can have at most ${mostSubscriptions} subscriptions`);
    const subscription = make(this.#node, params);
    nextId += 1;
    const id = nextId;
    this.#open.set(id, subscription);
    // The first notifications follow the response with the subscription id, because the client must know the id first.
    const { first } = subscription;
    if (first !== undefined)
      setTimeout(() => {
        if (this.#open.has(id)) this.#say(id, subscription, first());
      }, firstDelayMs).unref();
    return id;
  };

  close(): void {
    this.#open.clear();
    this.#end();
  }

  #heard(commitment: Commitment, block: Block): void {
    for (const [id, subscription] of this.#open)
      if (subscription.commitment === commitment) this.#say(id, subscription, subscription.results(block));
  }

  #say(subscription: number, { notification, ends }: Subscription, results: unknown[]): void {
    for (const result of results) {
      if (!this.#open.has(subscription)) return;
      this.#send(writeJson({ jsonrpc: '2.0', method: notification, params: { result, subscription } }));
      if (ends) this.#open.delete(subscription);
    }
  }
}

/** Unique across connections, so that tests detect mixed-up ids. */
let nextId = 0;

const kinds: Record<string, (node: Node, params: Params) => Subscription> = {
  slot: ({ chain }) => ({
    notification: 'slotNotification',
    commitment: 'processed',
    results: ({ slot, parentSlot }) => [
      { slot, parent: parentSlot, root: chain.view('finalized').head.slot },
    ],
  }),

  root: () => ({
    notification: 'rootNotification',
    commitment: 'finalized',
    results: ({ slot }) => [slot],
  }),

  signature({ chain }, params) {
    const id = params.signature(0, 'the signature');
    const config = params.config(1);
    if (flag(config, 'enableReceivedNotification'))
      throw invalid('enableReceivedNotification is not supported');
    const commitment = commitmentOf(config);
    return {
      notification: 'signatureNotification',
      commitment,
      ends: true,
      results: (block) => errorIn(chain, block, id).map((err) => context(block, { err })),
      first() {
        const { head } = chain.view(commitment);
        const found = chain.store.transaction(id);
        return found !== undefined && found.slot <= head.slot ? [context(head, { err: found.meta.err })] : [];
      },
    };
  },

  logs(_node, params) {
    const mentioned = mentionedIn(params.at(0));
    return {
      notification: 'logsNotification',
      commitment: commitmentOf(params.config(1)),
      results: (block) =>
        block.transactions
          .filter(({ accounts }) => mentioned === undefined || accounts.includes(mentioned))
          .map(({ id, meta }) => context(block, { signature: id, err: meta.err, logs: meta.logMessages })),
    };
  },

  account({ chain }, params) {
    const wanted = params.address(0, 'the address');
    const config = params.config(1);
    const shown = accountViewOf(config);
    const commitment = commitmentOf(config);
    return {
      notification: 'accountNotification',
      commitment,
      results: (block) =>
        block.writes.has(wanted)
          ? [
              context(
                block,
                accountAnswer(block.writes.get(wanted) ?? gone, shown, chain.view(commitment).bank),
              ),
            ]
          : [],
    };
  },

  program({ chain }, params) {
    const program = params.address(0, 'the program');
    const config = params.config(1);
    const shown = accountViewOf(config);
    const filter = accountFilter(config.filters);
    const commitment = commitmentOf(config);
    return {
      notification: 'programNotification',
      commitment,
      results: (block) =>
        [...block.writes].flatMap(([pubkey, account]) =>
          account?.owner === program && filter(account)
            ? [
                context(block, {
                  pubkey,
                  account: accountAnswer(account, shown, chain.view(commitment).bank),
                }),
              ]
            : [],
        ),
    };
  },

  block(node, params) {
    const mentioned = mentionedIn(params.at(0));
    const config = params.config(1);
    const commitment = commitmentOf(config);
    if (commitment === 'processed')
      throw invalid('block notifications require commitment `confirmed` or `finalized`');
    const view = transactionViewOf(config);
    const rewards = flag(config, 'showRewards', true);
    return {
      notification: 'blockNotification',
      commitment,
      results: (block) =>
        mentioned === undefined || block.transactions.some(({ accounts }) => accounts.includes(mentioned))
          ? [
              context(block, {
                slot: block.slot,
                err: null,
                block: blockAnswer(node, block, view, rewards, mentioned),
              }),
            ]
          : [],
    };
  },
};

/** The notification for a deleted account. */
const gone = {
  lamports: 0n,
  owner: '11111111111111111111111111111111',
  executable: false,
  rentEpoch: 0n,
  data: new Uint8Array(),
};

/**
 * Returns the error of a transaction in a block, or null, as a list of one. Empty if the block does not
 * contain it.
 */
function errorIn(chain: Chain, { slot }: Block, id: Base58): unknown[] {
  const found = chain.store.transaction(id);
  return found?.slot === slot ? [found.meta.err] : [];
}

/** Returns undefined if the filter does not require an address. */
function mentionedIn(value: unknown): Base58 | undefined {
  if (value === 'all' || value === 'allWithVotes') return undefined;
  const filter: Config = object(value, 'the filter');
  if (Array.isArray(filter.mentions)) {
    if (filter.mentions.length !== 1) throw invalid('Invalid Request: Only 1 address supported');
    return address(filter.mentions[0], 'mentions[0]');
  }
  return address(filter.mentionsAccountOrProgram, 'mentionsAccountOrProgram');
}
