import type { AdapterHost, Remark } from '@ledger-ops/adapter';
import { deciding, validationCodeName } from '../blocks/validation-code.ts';
import { isPeersFault } from '../gateway/errors.ts';
import type { Peer } from '../gateway/peer.ts';
import { PeerError } from '../gateway/peer-error.ts';
import type { Peers } from '../gateway/peers.ts';
import type { Qscc } from '../gateway/qscc.ts';
import { createSemaphore } from '../gateway/semaphore.ts';
import type { Timing } from '../timing.ts';
import type { PeerClaim } from './outcome.ts';

/** A transaction's block and validation code, on which two peers agree. */
export interface Agreement {
  block: number;
  code: number;
  envelope: Uint8Array;
}

export interface PeerAgreementOptions {
  peers: Pick<Peers, 'order' | 'failed'>;
  qscc: Pick<Qscc, 'blockOf'>;
  host: AdapterHost;
  /**
   * Maximum number of milliseconds between two queries, and until peers that contradict each other are
   * queried again.
   */
  longestWait: number;
  timing: Timing['outcomes'];
  /** Called when peers agree, or when the reason for their disagreement changes. */
  onNews(): void;
}

/** A claim whose agreement was requested. */
interface Entry {
  claim: PeerClaim;
  agreed?: Agreement;
  /** Why there is no agreement yet. */
  reason?: string;
}

/** The transactions of a block according to a peer, or why the peer returned none. */
type Answer =
  | { peer: Peer; found: ReadonlyMap<string, Agreement>; reason?: undefined }
  | { found?: undefined; reason: string };

/** Maximum number of concurrent queries. */
const atOnce = 4;

/**
 * A second peer must agree before a transaction counts as invalid: its action then fails or is proposed
 * again. If the transaction were valid after all, a new proposal would execute the action twice. Valid
 * transactions, which are nearly all, need no agreement.
 */
export class PeerAgreement {
  readonly #peers: Pick<Peers, 'order' | 'failed'>;
  readonly #qscc: Pick<Qscc, 'blockOf'>;
  readonly #host: AdapterHost;
  readonly #longestWait: number;
  readonly #timing: Timing['outcomes'];
  readonly #onNews: PeerAgreementOptions['onNews'];
  readonly #entries = new Map<string, Entry>();
  readonly #semaphore = createSemaphore(atOnce);
  readonly #timers = new Set<NodeJS.Timeout>();
  #fresh: Entry[] = [];
  #isNews = false;
  #closed = false;

  constructor(options: PeerAgreementOptions) {
    this.#peers = options.peers;
    this.#qscc = options.qscc;
    this.#host = options.host;
    this.#longestWait = options.longestWait;
    this.#timing = options.timing;
    this.#onNews = options.onNews;
  }

  /**
   * Returns the block and code on which two peers agree; undefined until they do. The first call queues a
   * query of another peer, which {@link ask} sends.
   */
  on(claim: PeerClaim): Agreement | undefined {
    const known = this.#entries.get(claim.txId);
    if (known !== undefined) return known.agreed;
    const entry: Entry = { claim };
    this.#entries.set(claim.txId, entry);
    this.#fresh.push(entry);
    return undefined;
  }

  /** Whether agreement on the transaction was requested. If so, a single peer cannot decide its outcome. */
  has(txId: string): boolean {
    return this.#entries.has(txId);
  }

  /** Sends the queued queries, one for all transactions of a block. */
  ask(): void {
    const groups = Map.groupBy(
      this.#fresh,
      ({ claim: { channel, block, peer } }) => `${channel} ${block} ${peer.properties.nodeId}`,
    );
    this.#fresh = [];
    for (const group of groups.values()) this.#poll(group, 0);
  }

  /** Drops claims about transactions that are no longer pending. */
  keepOnly(pending: { has(txId: string): boolean }): void {
    for (const txId of this.#entries.keys()) if (!pending.has(txId)) this.#entries.delete(txId);
  }

  /** Why transactions have no agreement yet. */
  remarks(): Remark[] {
    return [...this.#entries].flatMap(([txId, { agreed, reason }]) =>
      agreed === undefined && reason !== undefined ? [{ txId, detail: reason }] : [],
    );
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #isOpen(entry: Entry) {
    return !this.#closed && entry.agreed === undefined && this.#entries.get(entry.claim.txId) === entry;
  }

  /** Queries other peers until all claims are agreed on, contradicted, or no longer pending. */
  #poll(group: readonly Entry[], waited: number): void {
    this.#own(async () => {
      const left = await this.#semaphore.run(() => this.#pollOnce(group.filter((one) => this.#isOpen(one))));
      const open = left.filter((one) => this.#isOpen(one));
      const [first] = open;
      if (first === undefined) return;
      const pause = Math.min(this.#longestWait, Math.max(this.#timing.agreement, waited));
      if (waited < this.#longestWait && waited + pause >= this.#longestWait) {
        const { channel, block } = first.claim;
        this.#host.log('warn', 'fabric.agreement.missing', { channel, block, why: first.reason ?? '' });
      }
      // Starts with another transaction next time, because the other peer may never receive the first one.
      this.#later(pause, () => this.#poll([...open.slice(1), first], waited + pause));
    });
  }

  /** One round of queries. Returns the claims that no other peer knows yet. */
  async #pollOnce(group: readonly Entry[]): Promise<readonly Entry[]> {
    let open = group;
    for (let [first] = open; first !== undefined; [first] = open) {
      const { claim } = first;
      const answer = await this.#queryOthers(claim);
      if (answer.found === undefined) {
        for (const entry of open)
          this.#setReason(
            entry,
            `${describe(claim)}. Another peer must confirm this first: ${answer.reason}.`,
          );
        return open;
      }
      for (const entry of open) {
        const found = answer.found.get(entry.claim.txId);
        if (found !== undefined) this.#compare(entry, answer.peer, found);
      }
      open = open.filter((entry) => !answer.found.has(entry.claim.txId));
    }
    return [];
  }

  /** Returns the answer of the first other peer that knows the transaction, or the reason why no peer answered. */
  async #queryOthers({ txId, channel, peer }: PeerClaim): Promise<Answer> {
    const reasons: string[] = [];
    for (const other of this.#othersThan(peer)) {
      const answer = await this.#queryPeer(other, channel, txId);
      if (answer.found !== undefined) return answer;
      reasons.push(answer.reason);
    }
    return { reason: reasons.join(', ') };
  }

  async #queryPeer(peer: Peer, channel: string, txId: string): Promise<Answer> {
    try {
      const { number = 0, transactions = [] } = (await this.#qscc.blockOf(channel, txId, peer)) ?? {};
      const found = new Map(
        deciding(transactions).map(({ txId: id, code, envelope }) => [id, { block: number, code, envelope }]),
      );
      return found.has(txId) ? { peer, found } : { reason: `${nameOf(peer)} does not have it yet` };
    } catch (error) {
      if (error instanceof PeerError) {
        if (isPeersFault(error)) this.#peers.failed(peer);
      } else if (!this.#closed) {
        const why = error instanceof Error ? error.name : 'unknown';
        this.#host.log('error', 'fabric.agreement.unread', {
          channel,
          txId,
          node: peer.properties.nodeId,
          why,
        });
      }
      return { reason: `${nameOf(peer)} does not answer` };
    }
  }

  /**
   * Returns the peers of other organizations if the ledger has any. Otherwise, other peers of the same
   * organization. If there are none, the only peer.
   */
  #othersThan(peer: Peer): readonly Peer[] {
    const others = this.#peers.order().filter((one) => one !== peer);
    const foreign = others.filter((one) => one.properties.mspId !== peer.properties.mspId);
    if (foreign.length > 0) return foreign;
    return others.length > 0 ? others : [peer];
  }

  #compare(entry: Entry, peer: Peer, found: Agreement): void {
    const { claim } = entry;
    if (found.code === claim.code) {
      this.#agree(entry, found);
      return;
    }
    const { txId, channel } = claim;
    const codes = [claim.code, found.code].map(validationCodeName);
    const nodes = [claim.peer, peer].map(({ properties }) => properties.nodeId);
    this.#host.log('error', 'fabric.peers.contradict', {
      ...{ channel, txId, block: claim.block },
      nodes: nodes.join(', '),
      codes: codes.join(', '),
    });
    this.#setReason(
      entry,
      `The peers disagree: ${describe(claim)}, ${nameOf(peer)} shows it as ${codes[1]}. The transaction stays pending until they agree. If a node is wrong, remove it from the ledger.`,
    );
    this.#pollBoth(entry, peer);
  }

  /** Keeps querying both peers, because an operator may fix the wrong one. */
  #pollBoth(entry: Entry, other: Peer): void {
    this.#later(this.#longestWait, () =>
      this.#own(async () => {
        if (!this.#isOpen(entry)) return;
        const { channel, txId, peer } = entry.claim;
        const answers = await this.#semaphore.run(() =>
          Promise.all([peer, other].map((one) => this.#queryPeer(one, channel, txId))),
        );
        const [one, same] = answers.map(({ found }) => found?.get(txId));
        if (one !== undefined && one.code === same?.code) this.#agree(entry, one);
        else this.#pollBoth(entry, other);
      }),
    );
  }

  #agree(entry: Entry, agreement: Agreement): void {
    if (!this.#isOpen(entry)) return;
    entry.agreed = agreement;
    this.#isNews = true;
  }

  #setReason(entry: Entry, reason: string): void {
    if (!this.#isOpen(entry) || entry.reason === reason) return;
    entry.reason = reason;
    this.#isNews = true;
  }

  #later(pause: number, run: () => void): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, pause);
    timer.unref();
    this.#timers.add(timer);
  }

  #own(work: () => Promise<void>): void {
    const told = work().then(() => {
      if (this.#isNews && !this.#closed) this.#onNews();
      this.#isNews = false;
    });
    told.catch((error: unknown) =>
      this.#host.log('error', 'fabric.agreement.broken', {
        why: error instanceof Error ? error.name : 'unknown',
      }),
    );
  }
}

function describe({ peer, code, channel, block }: PeerClaim): string {
  return `${nameOf(peer)} shows it as ${validationCodeName(code)} in block ${block} of ${channel}`;
}

function nameOf({ properties: { nodeId, mspId } }: Peer): string {
  return `${nodeId} (${mspId})`;
}
