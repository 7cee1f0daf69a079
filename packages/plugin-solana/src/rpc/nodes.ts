import { setTimeout as delay } from 'node:timers/promises';
import { type AdapterHost, adapterError, type LedgerConfig, type Phase } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/backoff';
import { NodeError } from '@ledger-ops/outbound';
import type { SolanaProperties } from '../properties.ts';
import type { Timing } from '../timing.ts';
import { answers, ask } from './answers.ts';
import { failureOf, openNode, type SolanaNode } from './node.ts';

/** By node: its answer, or its failure. */
export interface OfEvery<Result> {
  answers: Map<string, Result>;
  failures: Map<string, NodeError>;
}

/** A ledger's nodes, with failover. Each is asked for its first block before it is used, and after a failure. */
export interface Nodes {
  /** How many there are. */
  size: number;
  /**
   * Runs something on one node, and on the next when that one fails. Whatever runs may run more than once.
   * @throws AdapterError when no node could do it
   */
  onNode<Result>(phase: Phase, run: (node: SolanaNode) => Promise<Result>): Promise<Result>;
  /** Runs something on all nodes at once, those that failed just now too. */
  onEvery<Result>(phase: Phase, run: (node: SolanaNode) => Promise<Result>): Promise<OfEvery<Result>>;
  /** Hash of the first block. */
  genesis(phase: Phase): Promise<string>;
  /**
   * The first block as all nodes have it, asked anew; `unsure` says which did not tell.
   * @throws NodeError `unavailable` when nodes have different first blocks, and when none answers
   */
  genesisOfAll(): Promise<{ genesis: string; unsure?: string }>;
  close(): Promise<void>;
}

interface Member {
  node: SolanaNode;
  failures: number;
  /** Not to be used before, by the host's clock, unless there is no other. */
  restsUntil: number;
  isVerified: boolean;
  verifying: Promise<void> | undefined;
}

/** @throws AdapterError `invalid-argument` when there is no node or one has a wrong address. */
export function openNodes(
  ledger: LedgerConfig,
  properties: SolanaProperties,
  host: AdapterHost,
  end: AbortSignal,
  { nodes: timing }: Timing,
): Nodes {
  if (ledger.nodes.length === 0) {
    const detail = `Ledger ${ledger.ledgerId} has no node: create one for it.`;
    throw adapterError('invalid-argument', detail, { phase: 'open' });
  }
  const members = ledger.nodes.map(
    (node): Member => ({
      node: openNode(node, properties, ledger.outbound, end, host.requested),
      failures: 0,
      restsUntil: 0,
      isVerified: false,
      verifying: undefined,
    }),
  );
  let genesis = properties.genesisHash;

  const closedError = (phase: Phase) =>
    adapterError('unavailable', `The session of ledger ${ledger.ledgerId} is closed.`, { phase });

  async function readGenesis({ nodeId, rpc }: SolanaNode): Promise<string> {
    try {
      return await ask(nodeId, rpc.getGenesisHash(), answers.genesis);
    } catch (error) {
      throw failureOf(error, nodeId);
    }
  }

  async function verify(member: Member): Promise<void> {
    const found = await readGenesis(member.node);
    // A ledger of one node that nobody holds to a first block may be made anew; with several, one could be a stranger.
    if (members.length === 1) genesis = properties.genesisHash ?? found;
    genesis ??= found;
    if (found !== genesis) throw stranger(member.node, found);
    member.isVerified = true;
  }

  function stranger({ nodeId }: SolanaNode, found: string): NodeError {
    const detail = `Node ${nodeId} has the first block ${found}, the ledger has ${genesis}: the node is not used.`;
    return new NodeError('wrong-chain', detail);
  }

  async function runOn<Result>(member: Member, run: (node: SolanaNode) => Promise<Result>): Promise<Result> {
    try {
      if (!member.isVerified) {
        member.verifying ??= verify(member).finally(() => {
          member.verifying = undefined;
        });
        await member.verifying;
      }
      const result = await run(member.node);
      member.failures = 0;
      member.restsUntil = 0;
      return result;
    } catch (error) {
      const failure = failureOf(error, member.node.nodeId);
      if (failure.code !== 'behind' && !end.aborted) rest(member, failure);
      throw failure;
    }
  }

  function rest(member: Member, { code, message: detail }: NodeError): void {
    member.failures += 1;
    member.isVerified = false;
    member.restsUntil = host.now() + backoff(member.failures, timing.backoff, Math.random());
    if (member.failures > 1) return;
    const { nodeId } = member.node;
    host.log('warn', 'solana.node-failed', { ledgerId: ledger.ledgerId, nodeId, code, detail });
  }

  async function onNode<Result>(phase: Phase, run: (node: SolanaNode) => Promise<Result>): Promise<Result> {
    const now = host.now();
    const order = members.toSorted(
      (a, b) => Math.max(0, a.restsUntil - now) - Math.max(0, b.restsUntil - now),
    );
    // With one node, a second try: the connection may just have been closed by an idle server.
    const tries = order.length === 1 ? [...order, ...order] : order;
    let last: NodeError | undefined;
    for (const [index, member] of tries.entries()) {
      if (index > 0) await delay(timing.nextTry, undefined, { signal: end }).catch(() => undefined);
      if (end.aborted) break;
      try {
        return await runOn(member, run);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        last = preferred(last, error);
        // A second wait for the same silent node would double every time limit.
        if (order.length === 1 && error.code === 'timeout') break;
      }
    }
    if (end.aborted || last === undefined) throw closedError(phase);
    throw last.toAdapterError(phase);
  }

  return {
    size: members.length,
    onNode,
    async onEvery(phase, run) {
      const answers = new Map();
      const failures = new Map<string, NodeError>();
      await Promise.all(
        members.map(async (member) => {
          const { nodeId } = member.node;
          try {
            answers.set(nodeId, await runOn(member, run));
          } catch (error) {
            if (!(error instanceof NodeError)) throw error;
            failures.set(nodeId, error);
          }
        }),
      );
      if (end.aborted) throw closedError(phase);
      return { answers, failures };
    },
    async genesis(phase) {
      if (genesis === undefined || !members.some(({ isVerified }) => isVerified)) {
        await onNode(phase, async () => undefined);
      }
      if (genesis === undefined) throw closedError(phase);
      return genesis;
    },
    async genesisOfAll() {
      const silent: string[] = [];
      const found = new Map<string, string>();
      await Promise.all(
        members.map(async ({ node }) => {
          try {
            found.set(node.nodeId, await readGenesis(node));
          } catch (error) {
            if (!(error instanceof NodeError)) throw error;
            silent.push(error.message);
          }
        }),
      );
      const [first, ...others] = new Set(found.values());
      if (first === undefined) throw new NodeError('unavailable', silent.join(' '));
      if (others.length > 0 || (properties.genesisHash ?? first) !== first) {
        const nodes = [...found].map(([nodeId, hash]) => `node ${nodeId} has ${hash}`).join(', ');
        throw new NodeError(
          'unavailable',
          `The first block of the chain is not the same everywhere: ${nodes}.`,
        );
      }
      if (silent.length > 0) return { genesis: first, unsure: silent.join(' ') };
      if (genesis !== first) for (const member of members) member.isVerified = false;
      genesis = first;
      return { genesis: first };
    },
    close: async () => {
      await Promise.all(members.map(({ node }) => node.close()));
    },
  };
}

/** The failure to report: one that may pass says more than what does not, and the first node counts most. */
function preferred(first: NodeError | undefined, next: NodeError): NodeError {
  const lasts = ({ code }: NodeError) => code === 'wrong-chain' || code === 'not-opened';
  return first === undefined || (lasts(first) && !lasts(next)) ? next : first;
}
