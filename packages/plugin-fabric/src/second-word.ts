import type { AdapterHost, Remark } from '@ledger-ops/adapter';
import { isNodesFault } from './errors.ts';
import { createLimiter } from './limiter.ts';
import { PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import type { Peers } from './peers.ts';
import type { SystemChaincode } from './system-chaincode.ts';
import { deciding, validationCodeName } from './validation-code.ts';

/** What one peer says became of a transaction. */
export interface Claim {
  txId: string;
  channel: string;
  block: number;
  /** `TxValidationCode`. */
  code: number;
  peer: PeerNode;
}

/** What two peers say became of a transaction. */
export interface Agreement {
  block: number;
  code: number;
  envelope: Uint8Array;
}

/**
 * A transaction that is shown as invalid makes its action fail, or has it proposed anew; were it valid after all, it
 * would be executed twice. So another peer must say the same before. Valid ones, nearly all, need no second word.
 */
export interface SecondWords {
  /** What the peers agree on; undefined as long as they do not. The first call has another one asked by {@link ask}. */
  on(claim: Claim): Agreement | undefined;
  /** Whether a word on it was asked for. From then on no single peer decides it. */
  has(txId: string): boolean;
  /** Begins to ask for what is new, with one question for all of a block. */
  ask(): void;
  /** Forgets what is not waited for any more. */
  keepOnly(pending: { has(txId: string): boolean }): void;
  /** Why nothing was agreed on yet. */
  remarks(): Remark[];
  close(): void;
}

export interface SecondWordsOptions {
  peers: Pick<Peers, 'order' | 'failed'>;
  system: Pick<SystemChaincode, 'blockOf'>;
  host: AdapterHost;
  /** Milliseconds between two questions, once so much has passed; and before peers that disagree are asked again. */
  patience: number;
  /** Peers agreed, or it became known why they did not. */
  onNews(): void;
}

interface Doubt {
  claim: Claim;
  agreed?: Agreement;
  /** Why there is none. */
  why?: string;
}

/** What a peer says of the transactions of a block, or why it says nothing. */
interface Answer {
  word?: { peer: PeerNode; found: ReadonlyMap<string, Agreement> };
  why?: string;
}

/** Questions under way at once. */
const questions = 4;
/** Milliseconds before a peer that is behind is asked again at first. */
const firstPause = 50;

export function createSecondWords(options: SecondWordsOptions): SecondWords {
  const { peers, system, host, patience, onNews } = options;
  const doubts = new Map<string, Doubt>();
  const limiter = createLimiter(questions);
  const timers = new Set<NodeJS.Timeout>();
  let fresh: Doubt[] = [];
  let isNews = false;
  let closed = false;

  const isOpen = (doubt: Doubt) =>
    !closed && doubt.agreed === undefined && doubts.get(doubt.claim.txId) === doubt;

  /** Asks until all are agreed on, disputed, or not waited for. */
  function pursue(group: readonly Doubt[], waited: number): void {
    own(async () => {
      const left = await limiter.run(() => hear(group.filter(isOpen)));
      const open = left.filter(isOpen);
      const [first] = open;
      if (first === undefined) return;
      const pause = Math.min(patience, Math.max(firstPause, waited));
      if (waited < patience && waited + pause >= patience) {
        const { channel, block } = first.claim;
        host.log('warn', 'fabric.word.missing', { channel, block, why: first.why ?? '' });
      }
      // Another one begins the next time: of the first the other peer may never hear.
      later(pause, () => pursue([...open.slice(1), first], waited + pause));
    });
  }

  /** One round of questions. Gives those of which nobody knows yet. */
  async function hear(group: readonly Doubt[]): Promise<readonly Doubt[]> {
    let open = group;
    for (let [first] = open; first !== undefined; [first] = open) {
      const { claim } = first;
      const { word, why } = await wordOn(claim);
      if (word === undefined) {
        for (const doubt of open) remark(doubt, `${shows(claim)}. Before that counts, ${why}.`);
        return open;
      }
      for (const doubt of open) {
        const found = word.found.get(doubt.claim.txId);
        if (found !== undefined) weigh(doubt, word.peer, found);
      }
      open = open.filter((doubt) => !word.found.has(doubt.claim.txId));
    }
    return [];
  }

  /** The word of the first other peer that knows the transaction, or why there is none. */
  async function wordOn({ txId, channel, peer }: Claim): Promise<Answer> {
    const reasons: string[] = [];
    for (const other of witnesses(peer)) {
      const { word, why = '' } = await askPeer(other, channel, txId);
      if (word !== undefined) return { word };
      reasons.push(why);
    }
    return { why: `another peer must say the same: ${reasons.join(', ')}` };
  }

  async function askPeer(peer: PeerNode, channel: string, txId: string): Promise<Answer> {
    try {
      const { number = 0, transactions = [] } = (await system.blockOf(channel, txId, peer)) ?? {};
      const found = new Map(
        deciding(transactions).map(({ txId: id, code, envelope }) => [id, { block: number, code, envelope }]),
      );
      return found.has(txId) ? { word: { peer, found } } : { why: `${nameOf(peer)} does not have it yet` };
    } catch (error) {
      if (error instanceof PeerFailure) {
        if (isNodesFault(error)) peers.failed(peer);
      } else if (!closed) {
        const why = error instanceof Error ? error.name : 'unknown';
        host.log('error', 'fabric.word.unread', { channel, txId, node: peer.properties.nodeId, why });
      }
      return { why: `${nameOf(peer)} does not answer` };
    }
  }

  /** Peers of other organizations, where the ledger has any; else others of the same; else the only one. */
  function witnesses(peer: PeerNode): readonly PeerNode[] {
    const others = peers.order().filter((one) => one !== peer);
    const foreign = others.filter((one) => one.properties.mspId !== peer.properties.mspId);
    if (foreign.length > 0) return foreign;
    return others.length > 0 ? others : [peer];
  }

  function weigh(doubt: Doubt, peer: PeerNode, found: Agreement): void {
    const { claim } = doubt;
    if (found.code === claim.code) {
      agree(doubt, found);
      return;
    }
    const { txId, channel } = claim;
    const codes = [claim.code, found.code].map(validationCodeName);
    const nodes = [claim.peer, peer].map(({ properties }) => properties.nodeId);
    host.log('error', 'fabric.peers.contradict', {
      ...{ channel, txId, block: claim.block },
      nodes: nodes.join(', '),
      codes: codes.join(', '),
    });
    remark(
      doubt,
      `The peers contradict each other: ${shows(claim)}, ${nameOf(peer)} shows it as ${codes[1]}. It neither ends nor is made anew before they agree, or the node that is wrong is taken out of the ledger.`,
    );
    dispute(doubt, peer);
  }

  /** Asks both again and again: one that was wrong may come to its senses. */
  function dispute(doubt: Doubt, other: PeerNode): void {
    later(patience, () =>
      own(async () => {
        if (!isOpen(doubt)) return;
        const { channel, txId, peer } = doubt.claim;
        const words = await limiter.run(() =>
          Promise.all([peer, other].map((one) => askPeer(one, channel, txId))),
        );
        const [one, same] = words.map(({ word }) => word?.found.get(txId));
        if (one !== undefined && one.code === same?.code) agree(doubt, one);
        else dispute(doubt, other);
      }),
    );
  }

  function agree(doubt: Doubt, agreement: Agreement): void {
    if (!isOpen(doubt)) return;
    doubt.agreed = agreement;
    isNews = true;
  }

  function remark(doubt: Doubt, why: string): void {
    if (!isOpen(doubt) || doubt.why === why) return;
    doubt.why = why;
    isNews = true;
  }

  function later(pause: number, run: () => void): void {
    if (closed) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, pause);
    timer.unref();
    timers.add(timer);
  }

  function own(work: () => Promise<void>): void {
    const told = work().then(() => {
      if (isNews && !closed) onNews();
      isNews = false;
    });
    told.catch((error: unknown) =>
      host.log('error', 'fabric.word.broken', { why: error instanceof Error ? error.name : 'unknown' }),
    );
  }

  return {
    on(claim) {
      const known = doubts.get(claim.txId);
      if (known !== undefined) return known.agreed;
      const doubt: Doubt = { claim };
      doubts.set(claim.txId, doubt);
      fresh.push(doubt);
      return undefined;
    },
    has: (txId) => doubts.has(txId),
    ask() {
      const groups = Map.groupBy(
        fresh,
        ({ claim: { channel, block, peer } }) => `${channel} ${block} ${peer.properties.nodeId}`,
      );
      fresh = [];
      for (const group of groups.values()) pursue(group, 0);
    },
    keepOnly(pending) {
      for (const txId of doubts.keys()) if (!pending.has(txId)) doubts.delete(txId);
    },
    remarks: () =>
      [...doubts].flatMap(([txId, { agreed, why }]) =>
        agreed === undefined && why !== undefined ? [{ txId, detail: why }] : [],
      ),
    close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

function shows({ peer, code, channel, block }: Claim): string {
  return `${nameOf(peer)} shows it as ${validationCodeName(code)} in block ${block} of ${channel}`;
}

function nameOf({ properties: { nodeId, mspId } }: PeerNode): string {
  return `${nodeId} (${mspId})`;
}
