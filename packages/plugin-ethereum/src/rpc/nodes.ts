import { type AdapterHost, adapterError, type LedgerConfig, type Phase } from '@ledger-ops/adapter';
import { NodeError, type NodeErrorCode } from '@ledger-ops/adapter/outbound';
import { backoff } from '@ledger-ops/base/backoff';
import type { EthereumProperties } from '../properties.ts';
import type { Timing } from '../timing.ts';
import { BatchLimit } from './batch-limit.ts';
import { askEveryNode, type Identity, readIdentity } from './chain-identity.ts';
import { type Endpoint, openEndpoint } from './endpoint.ts';
import { BatchingNode, type RpcNode } from './node.ts';

interface Member {
  node: RpcNode;
  endpoint: Endpoint;
  failures: number;
  /** Time of the host's clock until which the node is skipped, unless there is no other node. */
  backoffUntil: number;
  /** Verification round (`#round`) in which the node was last verified. */
  verifiedIn: number;
  verifying: Promise<void> | undefined;
  /** Hash of block 0 when the node was last verified. */
  genesis: string | undefined;
}

/**
 * A ledger's nodes, with failover. A node is verified before its first use and after a failure: it must be on the
 * ledger's chain. Stores the chain's identity (set when the first node is verified) and, for each node, the number of
 * consecutive failures, the time until which the node is skipped, and the round in which it was last verified.
 */
export class Nodes {
  readonly endpoints: readonly Endpoint[];
  readonly #ledger: LedgerConfig;
  readonly #properties: EthereumProperties;
  readonly #host: AdapterHost;
  readonly #signal: AbortSignal;
  readonly #timing: Timing['nodes'];
  readonly #random: () => number;
  readonly #members: readonly Member[];
  readonly #resetListeners: (() => void)[] = [];
  #identity: Identity | undefined;
  /**
   * Current verification round. A new round starts when the chain may have been reset. Each node must be verified once
   * per round.
   */
  #round = 0;

  /** @throws AdapterError `invalid-argument` if there is no node, or one has an invalid address */
  constructor(
    ledger: LedgerConfig,
    properties: EthereumProperties,
    host: AdapterHost,
    signal: AbortSignal,
    { nodes: timing }: Timing,
    random: () => number = Math.random,
  ) {
    this.#ledger = ledger;
    this.#properties = properties;
    this.#host = host;
    this.#signal = signal;
    this.#timing = timing;
    this.#random = random;
    if (ledger.nodes.length === 0) {
      throw adapterError('invalid-argument', `The ledger ${ledger.ledgerId} has no nodes. Add one.`, {
        phase: 'open',
      });
    }
    this.endpoints = ledger.nodes.map((node) =>
      openEndpoint(node, this.#properties, this.#ledger.outbound, this.#timing, () => this.#host.now()),
    );
    this.#members = this.endpoints.map(
      (endpoint): Member => ({
        node: new BatchingNode({
          endpoint,
          limit: this.#limitOf(),
          signal: this.#signal,
          requested: this.#host.requested,
          onSplit: (nodeId, calls, refusal) => this.#logSplit(nodeId, calls, refusal),
        }),
        endpoint,
        failures: 0,
        backoffUntil: 0,
        verifiedIn: -1,
        verifying: undefined,
        genesis: undefined,
      }),
    );
  }

  /**
   * Runs work on one node, and on the next one if the first one fails, so the work may run more than once.
   *
   * @param isLast nodes that are used only if no other works
   * @throws AdapterError if no node succeeded
   */
  async onNode<Result>(
    phase: Phase,
    run: (node: RpcNode) => Promise<Result>,
    isLast: (nodeId: string) => boolean = () => false,
  ): Promise<Result> {
    const order = this.#candidates();
    order.sort((a, b) => Number(isLast(a.node.nodeId)) - Number(isLast(b.node.nodeId)));
    // With one node, try twice: an idle server may just have closed the connection.
    const tries = order.length === 1 ? [...order, ...order] : order;
    let last: NodeError | undefined;
    for (const [index, member] of tries.entries()) {
      if (this.#signal.aborted) break;
      if (index > 0)
        await pause(this.#timing.nextTry.least + this.#random() * this.#timing.nextTry.random, this.#signal);
      try {
        return await this.#runOn(member, run);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        if (this.#signal.aborted) break;
        last = preferred(last, error);
        if (error.code !== 'behind') this.#backOff(member, error);
        // No second try after a timeout, which would double the time limit, or during a rate limit.
        if (order.length === 1 && (error.code === 'timeout' || error.retryAfterMs !== undefined)) break;
      }
    }
    if (this.#signal.aborted || last === undefined) throw this.#closedError(phase);
    throw last.toAdapterError(phase);
  }

  /**
   * Runs work on all nodes concurrently, each with a separate time limit. Skips recently failed nodes while
   * there are others, unless `isEvery`.
   *
   * @returns the result or the failure of each node
   */
  async onEach<Result>(
    phase: Phase,
    run: (node: RpcNode) => Promise<Result>,
    { except, isEvery = false }: { except?: string; isEvery?: boolean } = {},
  ): Promise<{ answers: Map<string, Result>; failure: NodeError | undefined }> {
    const wanted = this.#members.filter(({ node }) => node.nodeId !== except);
    const ready = isEvery ? wanted : wanted.filter((member) => member.backoffUntil <= this.#host.now());
    const answers = new Map<string, Result>();
    let failure: NodeError | undefined;
    await Promise.all(
      (ready.length > 0 ? ready : wanted).map(async (member) => {
        try {
          answers.set(member.node.nodeId, await this.#runOn(member, run));
        } catch (error) {
          if (!(error instanceof NodeError)) throw error;
          failure = preferred(failure, error);
          if (error.code !== 'behind' && !this.#signal.aborted) this.#backOff(member, error);
        }
      }),
    );
    if (this.#signal.aborted) throw this.#closedError(phase);
    return { answers, failure };
  }

  /** Returns the chain identity. Queries a node if none was verified since the last failure. */
  async identity(phase: Phase): Promise<Identity> {
    if (this.#identity === undefined || !this.#members.some((member) => member.verifiedIn === this.#round)) {
      await this.onNode(phase, async () => undefined);
    }
    if (this.#identity === undefined) throw this.#closedError(phase);
    return this.#identity;
  }

  /**
   * Returns the chain identity according to all nodes, which are queried concurrently; `unsure` names those
   * that did not answer. If a node does not answer or disagrees, the known identity is dropped, and the next
   * node that answers sets it.
   *
   * @throws NodeError `unavailable` if nodes have different first blocks
   */
  async identityOfAll(): Promise<Identity & { unsure?: string }> {
    try {
      const { unsure, ...found } = await askEveryNode(
        this.#members.map(({ node }) => node),
        this.#properties.chainId,
      );
      if (unsure !== undefined) {
        this.#forget();
        return { ...found, unsure };
      }
      if (this.#identity !== undefined && this.#identity.genesis !== found.genesis) {
        this.#host.log('warn', 'ethereum.chain-reset', {
          ledgerId: this.#ledger.ledgerId,
          genesis: found.genesis,
        });
        this.#round += 1;
        this.#becomes(found);
      }
      return found;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** Returns the last known chain identity, without a query. */
  lastIdentity(): Identity | undefined {
    return this.#identity;
  }

  /** Requires each node to be verified before its next use, because the chain may have been reset. */
  verifyAgain(): void {
    this.#round += 1;
  }

  /** Registers a listener for a change of the chain. */
  onReset(listener: () => void): void {
    this.#resetListeners.push(listener);
  }

  async close(): Promise<void> {
    await Promise.all(this.endpoints.map((endpoint) => endpoint.close()));
  }

  #limitOf() {
    return new BatchLimit(this.#properties.rpcBatch, () => this.#host.now(), this.#timing.smallBatches);
  }

  #logSplit(nodeId: string, calls: number, { message }: NodeError) {
    const detail = `${message} From now on, it gets at most ${calls} calls per request; set the property rpc_batch to start with that limit.`;
    this.#host.log('info', 'ethereum.batches-split', {
      ledgerId: this.#ledger.ledgerId,
      nodeId,
      calls,
      detail,
    });
  }

  #candidates(): Member[] {
    const now = this.#host.now();
    const ready = this.#members.filter((member) => member.backoffUntil <= now);
    const failed = this.#members.filter((member) => member.backoffUntil > now);
    return [...ready, ...failed.sort((a, b) => a.backoffUntil - b.backoffUntil)];
  }

  #verify(member: Member): Promise<void> | undefined {
    if (member.verifiedIn === this.#round) return undefined;
    member.verifying ??= this.#askIdentity(member).finally(() => {
      member.verifying = undefined;
    });
    return member.verifying;
  }

  async #askIdentity(member: Member): Promise<void> {
    const round = this.#round;
    const { nodeId } = member.node;
    const { chainId, genesis } = await readIdentity(member.node);
    const wanted = this.#properties.chainId ?? this.#identity?.chainId;
    if (wanted !== undefined && wanted !== chainId) {
      const detail = `Node ${nodeId} is on chain ${chainId}, but the ledger is chain ${wanted}. The node is not used.`;
      throw new NodeError('wrong-chain', detail);
    }
    if (this.#identity !== undefined && this.#identity.genesis !== genesis) {
      // A reset of the chain is accepted only from the sole node of the ledger, if it was verified before.
      // Among several nodes, one on a wrong chain must not be mistaken for a reset, because the host then
      // abandons unfinished actions.
      const alone = !this.#members.some((one) => one !== member && one.verifiedIn === this.#round);
      if (member.genesis !== this.#identity.genesis || !alone) {
        const detail = `Node ${nodeId} has a different first block than the ledger's other nodes. It is not used.`;
        throw new NodeError('wrong-chain', detail);
      }
      this.#host.log('warn', 'ethereum.chain-reset', { ledgerId: this.#ledger.ledgerId, nodeId, genesis });
      this.#becomes({ chainId, genesis });
    }
    this.#identity ??= { chainId, genesis };
    member.genesis = genesis;
    member.verifiedIn = round;
  }

  /** Sets or clears the known chain identity. */
  #becomes(next: Identity | undefined): void {
    this.#identity = next;
    for (const listener of this.#resetListeners) listener();
  }

  #forget(): void {
    this.#round += 1;
    this.#becomes(undefined);
  }

  #backOff(member: Member, failure: NodeError): void {
    const { retryAfterMs } = failure;
    if (retryAfterMs !== undefined && member.failures > 0) {
      // Further refusals during a rate limit are not counted as failures: nothing is sent until it ends.
      member.backoffUntil = this.#host.now() + retryAfterMs;
      return;
    }
    member.failures += 1;
    if (retryAfterMs === undefined) member.verifiedIn = -1;
    member.backoffUntil =
      this.#host.now() + (retryAfterMs ?? backoff(member.failures, this.#timing.backoff, this.#random()));
    // During an outage each refused batch would be logged; the first one is enough.
    if (member.failures === 1) {
      this.#host.log('warn', 'ethereum.node-failed', {
        ledgerId: this.#ledger.ledgerId,
        nodeId: member.node.nodeId,
        code: failure.code,
        detail: failure.message,
      });
    }
  }

  #closedError(phase: Phase) {
    return adapterError('unavailable', `The session of ledger ${this.#ledger.ledgerId} is closed.`, {
      phase,
    });
  }

  async #runOn<Result>(member: Member, run: (node: RpcNode) => Promise<Result>): Promise<Result> {
    await this.#verify(member);
    const result = await run(member.node);
    member.failures = 0;
    member.backoffUntil = 0;
    return result;
  }
}

/** Failures that waiting does not fix. */
const lasting: ReadonlySet<NodeErrorCode> = new Set(['wrong-chain', 'not-opened']);

/**
 * Returns the failure to report: a temporary one if there is one, otherwise a permanent one; of several, that
 * of the first node.
 */
function preferred(first: NodeError | undefined, next: NodeError): NodeError {
  return first === undefined || (lasting.has(first.code) && !lasting.has(next.code)) ? next : first;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  const onAbort = () => {
    clearTimeout(timer);
    resolve();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}
