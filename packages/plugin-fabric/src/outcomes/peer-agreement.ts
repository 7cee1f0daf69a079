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

/** A transaction's block and validation code, where two peers show the same. */
export interface Agreement {
  block: number;
  code: number;
  envelope: Uint8Array;
}

/**
 * A transaction that is shown as invalid makes its action fail, or has it proposed anew; were it valid after all, it
 * would be executed twice. So a second peer must show the same before. Valid ones, nearly all, need none.
 */
export interface PeerAgreement {
  /** The agreement on a claim; undefined as long as there is none. The first call has another peer asked by {@link ask}. */
  on(claim: PeerClaim): Agreement | undefined;
  /** Whether agreement on it was asked for. From then on no single peer decides it. */
  has(txId: string): boolean;
  /** Begins to ask for what is new, with one query for all of a block. */
  ask(): void;
  /** Forgets what is not waited for any more. */
  keepOnly(pending: { has(txId: string): boolean }): void;
  /** Why nothing was agreed on yet. */
  remarks(): Remark[];
  close(): void;
}

export interface PeerAgreementOptions {
  peers: Pick<Peers, 'order' | 'failed'>;
  qscc: Pick<Qscc, 'blockOf'>;
  host: AdapterHost;
  /** Milliseconds between two queries at most, and before peers that contradict each other are asked again. */
  longestWait: number;
  timing: Timing['outcomes'];
  /** Peers agreed, or the reason why they do not changed. */
  onNews(): void;
}

/** A claim on which agreement was asked for. */
interface Entry {
  claim: PeerClaim;
  agreed?: Agreement;
  /** Why there is no agreement yet. */
  reason?: string;
}

/** The transactions of a block as a peer shows them, or why it shows none. */
type Answer =
  | { peer: Peer; found: ReadonlyMap<string, Agreement>; reason?: undefined }
  | { found?: undefined; reason: string };

/** Queries under way at once. */
const atOnce = 4;

export function createPeerAgreement(options: PeerAgreementOptions): PeerAgreement {
  const { peers, qscc, host, longestWait, timing, onNews } = options;
  const entries = new Map<string, Entry>();
  const semaphore = createSemaphore(atOnce);
  const timers = new Set<NodeJS.Timeout>();
  let fresh: Entry[] = [];
  let isNews = false;
  let closed = false;

  const isOpen = (entry: Entry) =>
    !closed && entry.agreed === undefined && entries.get(entry.claim.txId) === entry;

  /** Asks until all are agreed on, contradicted, or not waited for. */
  function poll(group: readonly Entry[], waited: number): void {
    own(async () => {
      const left = await semaphore.run(() => pollOnce(group.filter(isOpen)));
      const open = left.filter(isOpen);
      const [first] = open;
      if (first === undefined) return;
      const pause = Math.min(longestWait, Math.max(timing.agreement, waited));
      if (waited < longestWait && waited + pause >= longestWait) {
        const { channel, block } = first.claim;
        host.log('warn', 'fabric.agreement.missing', { channel, block, why: first.reason ?? '' });
      }
      // Another one begins the next time: the other peer may never get the first.
      later(pause, () => poll([...open.slice(1), first], waited + pause));
    });
  }

  /** One round of queries. Gives those that no other peer knows yet. */
  async function pollOnce(group: readonly Entry[]): Promise<readonly Entry[]> {
    let open = group;
    for (let [first] = open; first !== undefined; [first] = open) {
      const { claim } = first;
      const answer = await queryOthers(claim);
      if (answer.found === undefined) {
        for (const entry of open)
          setReason(
            entry,
            `${describe(claim)}. Before that counts, another peer must say the same: ${answer.reason}.`,
          );
        return open;
      }
      for (const entry of open) {
        const found = answer.found.get(entry.claim.txId);
        if (found !== undefined) compare(entry, answer.peer, found);
      }
      open = open.filter((entry) => !answer.found.has(entry.claim.txId));
    }
    return [];
  }

  /** The answer of the first other peer that knows the transaction, or why there is none. */
  async function queryOthers({ txId, channel, peer }: PeerClaim): Promise<Answer> {
    const reasons: string[] = [];
    for (const other of othersThan(peer)) {
      const answer = await queryPeer(other, channel, txId);
      if (answer.found !== undefined) return answer;
      reasons.push(answer.reason);
    }
    return { reason: reasons.join(', ') };
  }

  async function queryPeer(peer: Peer, channel: string, txId: string): Promise<Answer> {
    try {
      const { number = 0, transactions = [] } = (await qscc.blockOf(channel, txId, peer)) ?? {};
      const found = new Map(
        deciding(transactions).map(({ txId: id, code, envelope }) => [id, { block: number, code, envelope }]),
      );
      return found.has(txId) ? { peer, found } : { reason: `${nameOf(peer)} does not have it yet` };
    } catch (error) {
      if (error instanceof PeerError) {
        if (isPeersFault(error)) peers.failed(peer);
      } else if (!closed) {
        const why = error instanceof Error ? error.name : 'unknown';
        host.log('error', 'fabric.agreement.unread', { channel, txId, node: peer.properties.nodeId, why });
      }
      return { reason: `${nameOf(peer)} does not answer` };
    }
  }

  /** Peers of other organizations, where the ledger has any; else others of the same; else the only one. */
  function othersThan(peer: Peer): readonly Peer[] {
    const others = peers.order().filter((one) => one !== peer);
    const foreign = others.filter((one) => one.properties.mspId !== peer.properties.mspId);
    if (foreign.length > 0) return foreign;
    return others.length > 0 ? others : [peer];
  }

  function compare(entry: Entry, peer: Peer, found: Agreement): void {
    const { claim } = entry;
    if (found.code === claim.code) {
      agree(entry, found);
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
    setReason(
      entry,
      `The peers contradict each other: ${describe(claim)}, ${nameOf(peer)} shows it as ${codes[1]}. It neither ends nor is made anew before they agree, or the node that is wrong is taken out of the ledger.`,
    );
    pollBoth(entry, peer);
  }

  /** Asks both again and again: the one that was wrong may be mended. */
  function pollBoth(entry: Entry, other: Peer): void {
    later(longestWait, () =>
      own(async () => {
        if (!isOpen(entry)) return;
        const { channel, txId, peer } = entry.claim;
        const answers = await semaphore.run(() =>
          Promise.all([peer, other].map((one) => queryPeer(one, channel, txId))),
        );
        const [one, same] = answers.map(({ found }) => found?.get(txId));
        if (one !== undefined && one.code === same?.code) agree(entry, one);
        else pollBoth(entry, other);
      }),
    );
  }

  function agree(entry: Entry, agreement: Agreement): void {
    if (!isOpen(entry)) return;
    entry.agreed = agreement;
    isNews = true;
  }

  function setReason(entry: Entry, reason: string): void {
    if (!isOpen(entry) || entry.reason === reason) return;
    entry.reason = reason;
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
      host.log('error', 'fabric.agreement.broken', { why: error instanceof Error ? error.name : 'unknown' }),
    );
  }

  return {
    on(claim) {
      const known = entries.get(claim.txId);
      if (known !== undefined) return known.agreed;
      const entry: Entry = { claim };
      entries.set(claim.txId, entry);
      fresh.push(entry);
      return undefined;
    },
    has: (txId) => entries.has(txId),
    ask() {
      const groups = Map.groupBy(
        fresh,
        ({ claim: { channel, block, peer } }) => `${channel} ${block} ${peer.properties.nodeId}`,
      );
      fresh = [];
      for (const group of groups.values()) poll(group, 0);
    },
    keepOnly(pending) {
      for (const txId of entries.keys()) if (!pending.has(txId)) entries.delete(txId);
    },
    remarks: () =>
      [...entries].flatMap(([txId, { agreed, reason }]) =>
        agreed === undefined && reason !== undefined ? [{ txId, detail: reason }] : [],
      ),
    close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

function describe({ peer, code, channel, block }: PeerClaim): string {
  return `${nameOf(peer)} shows it as ${validationCodeName(code)} in block ${block} of ${channel}`;
}

function nameOf({ properties: { nodeId, mspId } }: Peer): string {
  return `${nodeId} (${mspId})`;
}
