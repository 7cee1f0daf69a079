import { setTimeout as delay } from 'node:timers/promises';
import { type AdapterHost, adapterError, type LedgerConfig, type Phase } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { backoff } from '@ledger-ops/base/backoff';
import type { SolanaProperties } from '../properties.ts';
import type { Timing } from '../timing.ts';
import { answers } from './answers.ts';
import { finishBegunWork } from './begun-work.ts';
import { openNode, type SolanaNode } from './node.ts';

/** The answer or failure of each node. */
export interface NodeAnswers<Result> {
  answers: Map<string, Result>;
  failures: Map<string, NodeError>;
}

interface Member {
  node: SolanaNode;
  failures: number;
  /** Time of the host's clock until which the node is skipped, unless there is no other node. */
  backoffUntil: number;
  isVerified: boolean;
  verifying: Promise<void> | undefined;
}

/** A ledger's nodes, with failover. The first block of each is verified before its first use and after a failure. */
export class Nodes {
  readonly size: number;
  readonly #ledger: LedgerConfig;
  readonly #properties: SolanaProperties;
  readonly #host: AdapterHost;
  readonly #signal: AbortSignal;
  readonly #timing: Timing['nodes'];
  readonly #members: readonly Member[];
  #genesis;

  /** @throws AdapterError `invalid-argument` if there is no node, or one has an invalid address */
  constructor(
    ledger: LedgerConfig,
    properties: SolanaProperties,
    host: AdapterHost,
    signal: AbortSignal,
    { nodes: timing }: Timing,
  ) {
    this.#ledger = ledger;
    this.#properties = properties;
    this.#host = host;
    this.#signal = signal;
    this.#timing = timing;
    if (ledger.nodes.length === 0) {
      const detail = `The ledger ${ledger.ledgerId} has no nodes. Add one.`;
      throw adapterError('invalid-argument', detail, { phase: 'open' });
    }
    this.#members = ledger.nodes.map(
      (node): Member => ({
        node: openNode(node, this.#properties, this.#ledger.outbound, this.#signal, this.#host),
        failures: 0,
        backoffUntil: 0,
        isVerified: false,
        verifying: undefined,
      }),
    );
    this.#genesis = properties.genesisHash;
    this.size = this.#members.length;
  }

  /**
   * Runs work on one node, and on the next one if that fails, so it may run more than once.
   * @throws AdapterError if no node succeeded
   */
  async onNode<Result>(phase: Phase, run: (node: SolanaNode) => Promise<Result>): Promise<Result> {
    const now = this.#host.now();
    const order = this.#members.toSorted(
      (a, b) => Math.max(0, a.backoffUntil - now) - Math.max(0, b.backoffUntil - now),
    );
    // With a single node, tries twice, because an idle server may just have closed the connection.
    const tries = order.length === 1 ? [...order, ...order] : order;
    let last: NodeError | undefined;
    for (const [index, member] of tries.entries()) {
      if (index > 0)
        await delay(this.#timing.nextTry, undefined, { signal: this.#signal }).catch(() => undefined);
      if (this.#signal.aborted) break;
      try {
        return await this.#runOn(member, run);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        last = preferred(last, error);
        // Waiting twice for the same silent node would double every time limit, and a rate limit still applies.
        if (order.length === 1 && (error.code === 'timeout' || error.retryAfterMs !== undefined)) break;
      }
    }
    if (this.#signal.aborted || last === undefined) throw this.#closedError(phase);
    throw last.toAdapterError(phase);
  }

  /** Runs work on all nodes concurrently, including recently failed nodes. */
  async onEach<Result>(
    phase: Phase,
    run: (node: SolanaNode) => Promise<Result>,
  ): Promise<NodeAnswers<Result>> {
    const answers = new Map();
    const failures = new Map<string, NodeError>();
    await Promise.all(
      this.#members.map(async (member) => {
        const { nodeId } = member.node;
        try {
          answers.set(nodeId, await this.#runOn(member, run));
        } catch (error) {
          if (!(error instanceof NodeError)) throw error;
          failures.set(nodeId, error);
        }
      }),
    );
    if (this.#signal.aborted) throw this.#closedError(phase);
    return { answers, failures };
  }

  /** Hash of the first block. */
  async genesis(phase: Phase): Promise<string> {
    if (this.#genesis === undefined || !this.#members.some(({ isVerified }) => isVerified)) {
      await this.onNode(phase, async () => undefined);
    }
    if (this.#genesis === undefined) throw this.#closedError(phase);
    return this.#genesis;
  }

  /**
   * Queries all nodes for the first block again. `unsure` names the nodes that did not respond.
   * @throws NodeError `unavailable` if nodes have different first blocks, or none answers
   */
  async genesisOfAll(): Promise<{ genesis: string; unsure?: string }> {
    const silent: string[] = [];
    const found = new Map<string, string>();
    await Promise.all(
      this.#members.map(async ({ node }) => {
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
    if (others.length > 0 || (this.#properties.genesisHash ?? first) !== first) {
      const nodes = [...found].map(([nodeId, hash]) => `node ${nodeId} has ${hash}`).join(', ');
      throw new NodeError('unavailable', `The nodes have different first blocks: ${nodes}.`);
    }
    if (silent.length > 0) return { genesis: first, unsure: silent.join(' ') };
    if (this.#genesis !== first) for (const member of this.#members) member.isVerified = false;
    this.#genesis = first;
    return { genesis: first };
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ node }) => node.close()));
  }

  #closedError(phase: Phase) {
    return adapterError('unavailable', `The session of ledger ${this.#ledger.ledgerId} is closed.`, {
      phase,
    });
  }

  async #verify(member: Member): Promise<void> {
    const found = await readGenesis(member.node);
    // With one node and no `genesis_hash`, the chain may have been reset. With several nodes, one of them may
    // be on another chain.
    if (this.#members.length === 1) this.#genesis = this.#properties.genesisHash ?? found;
    this.#genesis ??= found;
    if (found !== this.#genesis) throw this.#wrongChainError(member.node, found);
    member.isVerified = true;
  }

  #wrongChainError({ nodeId }: SolanaNode, found: string): NodeError {
    const detail = `Node ${nodeId} has the first block ${found}, but the ledger has ${this.#genesis}. The node is not used.`;
    return new NodeError('wrong-chain', detail);
  }

  async #runOn<Result>(member: Member, run: (node: SolanaNode) => Promise<Result>): Promise<Result> {
    try {
      if (!member.isVerified) {
        member.verifying ??= this.#verify(member).finally(() => {
          member.verifying = undefined;
        });
        await member.verifying;
      }
      const result = await run(this.size === 1 ? this.#patient(member.node) : member.node);
      member.failures = 0;
      member.backoffUntil = 0;
      return result;
    } catch (error) {
      if (error instanceof NodeError && error.code !== 'behind' && !this.#signal.aborted)
        this.#backOff(member, error);
      throw error;
    }
  }

  /** If no other node can take over, work waits until the rate limit ends. */
  #patient(node: SolanaNode): SolanaNode {
    const mostMs = this.#timing.limited;
    return finishBegunWork(node, { now: () => this.#host.now(), signal: this.#signal, mostMs });
  }

  #backOff(member: Member, { code, message: detail, retryAfterMs }: NodeError): void {
    if (retryAfterMs !== undefined && member.failures > 0) {
      // A rate limit is not counted as another failure: nothing is sent until it ends.
      member.backoffUntil = this.#host.now() + retryAfterMs;
      return;
    }
    member.failures += 1;
    if (retryAfterMs === undefined) member.isVerified = false;
    member.backoffUntil =
      this.#host.now() + (retryAfterMs ?? backoff(member.failures, this.#timing.backoff, Math.random()));
    if (member.failures > 1) return;
    const { nodeId } = member.node;
    this.#host.log('warn', 'solana.node-failed', { ledgerId: this.#ledger.ledgerId, nodeId, code, detail });
  }
}

const readGenesis = (node: SolanaNode) => node.ask('getGenesisHash', [], answers.genesis);

/**
 * Returns the failure to report: the first temporary failure or, if there is none, the first permanent
 * failure.
 */
function preferred(first: NodeError | undefined, next: NodeError): NodeError {
  const lasts = ({ code }: NodeError) => code === 'wrong-chain' || code === 'not-opened';
  return first === undefined || (lasts(first) && !lasts(next)) ? next : first;
}
