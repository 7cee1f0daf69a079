import { type AdapterHost, adapterError, type LedgerConfig, type Phase } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/backoff';
import { NodeError, type NodeErrorCode } from '@ledger-ops/outbound';
import type { EthereumProperties } from '../properties.ts';
import type { Timing } from '../timing.ts';
import { askEveryNode, type Identity, readIdentity } from './chain-identity.ts';
import { type Endpoint, openEndpoint } from './endpoint.ts';
import { createRpcNode, type RpcNode } from './node.ts';

/** A ledger's nodes, with failover. */
export interface Nodes {
  /**
   * Runs something on one node, and on the next when that one fails. Whatever runs may run more than once.
   * @param isLast nodes that are used only when no other can do it
   * @throws AdapterError when no node could do it.
   */
  onNode<Result>(
    phase: Phase,
    run: (node: RpcNode) => Promise<Result>,
    isLast?: (nodeId: string) => boolean,
  ): Promise<Result>;
  /**
   * Runs something on all nodes at once, each within its own time limit; those that failed just now are left out as long
   * as there are others, unless it must be done by every node (`isEvery`).
   * @returns what came of it by node, and a failure where there was one
   */
  onEach<Result>(
    phase: Phase,
    run: (node: RpcNode) => Promise<Result>,
    options?: { except?: string; isEvery?: boolean },
  ): Promise<{ answers: Map<string, Result>; failure: NodeError | undefined }>;
  /** The chain; asks when no node was verified since the last failure. */
  identity(phase: Phase): Promise<Identity>;
  /**
   * The chain as all nodes have it, which are asked at once; `unsure` says which did not tell. Unless all did, and agree,
   * the chain as it was last seen is forgotten: whichever node answers next says it anew.
   * @throws NodeError `unavailable` when nodes have different first blocks
   */
  identityOfAll(): Promise<Identity & { unsure?: string }>;
  /** The chain as it was last seen, without asking. */
  lastIdentity(): Identity | undefined;
  /** Verifies nodes again before they are used: the chain may have been reset. */
  doubt(): void;
  /** Calls back when the chain turned out to be another one than before. */
  onReset(listener: () => void): void;
  endpoints: readonly Endpoint[];
  close(): Promise<void>;
}

interface Member {
  node: RpcNode;
  endpoint: Endpoint;
  failures: number;
  /** Not to be used before, by the host's clock, unless there is no other. */
  backoffUntil: number;
  /** The doubt count at which it was last found on the right chain. */
  verifiedAt: number;
  verifying: Promise<void> | undefined;
  /** The first block that it had when it was last verified. */
  genesis: string | undefined;
}

/** @throws AdapterError `invalid-argument` when there is no node or one has a wrong address. */
export function openNodes(
  ledger: LedgerConfig,
  properties: EthereumProperties,
  host: AdapterHost,
  signal: AbortSignal,
  { nodes: timing }: Timing,
  random: () => number = Math.random,
): Nodes {
  if (ledger.nodes.length === 0) {
    throw adapterError('invalid-argument', `Ledger ${ledger.ledgerId} has no node: create one for it.`, {
      phase: 'open',
    });
  }
  const endpoints = ledger.nodes.map((node) => openEndpoint(node, properties, ledger.outbound, timing));
  const members = endpoints.map(
    (endpoint): Member => ({
      node: createRpcNode(endpoint, properties.rpcBatch, signal, host.requested),
      endpoint,
      failures: 0,
      backoffUntil: 0,
      verifiedAt: -1,
      verifying: undefined,
      genesis: undefined,
    }),
  );
  const resetListeners: (() => void)[] = [];
  let identity: Identity | undefined;
  let doubts = 0;

  function candidates(): Member[] {
    const now = host.now();
    const ready = members.filter((member) => member.backoffUntil <= now);
    const failed = members.filter((member) => member.backoffUntil > now);
    return [...ready, ...failed.sort((a, b) => a.backoffUntil - b.backoffUntil)];
  }

  function verify(member: Member): Promise<void> | undefined {
    if (member.verifiedAt === doubts) return undefined;
    member.verifying ??= askIdentity(member).finally(() => {
      member.verifying = undefined;
    });
    return member.verifying;
  }

  async function askIdentity(member: Member): Promise<void> {
    const since = doubts;
    const { nodeId } = member.node;
    const { chainId, genesis } = await readIdentity(member.node);
    const wanted = properties.chainId ?? identity?.chainId;
    if (wanted !== undefined && wanted !== chainId) {
      const detail = `Node ${nodeId} is on chain ${chainId}, the ledger is chain ${wanted}: the node is not used.`;
      throw new NodeError('wrong-chain', detail);
    }
    if (identity !== undefined && identity.genesis !== genesis) {
      // Only a node that was on this chain before, and alone, can tell that the chain was reset: a stranger
      // among the nodes must not be taken for it, since the host gives up what is unfinished then.
      const alone = !members.some((one) => one !== member && one.verifiedAt === doubts);
      if (member.genesis !== identity.genesis || !alone) {
        const detail = `Node ${nodeId} has another first block than the ledger's other nodes: it is not used.`;
        throw new NodeError('wrong-chain', detail);
      }
      host.log('warn', 'ethereum.chain-reset', { ledgerId: ledger.ledgerId, nodeId, genesis });
      becomes({ chainId, genesis });
    }
    identity ??= { chainId, genesis };
    member.genesis = genesis;
    member.verifiedAt = since;
  }

  /** Another chain than before, or none that is known. */
  function becomes(next: Identity | undefined): void {
    identity = next;
    for (const listener of resetListeners) listener();
  }

  async function identityOfAll(): Promise<Identity & { unsure?: string }> {
    try {
      const { unsure, ...found } = await askEveryNode(
        members.map(({ node }) => node),
        properties.chainId,
      );
      if (unsure !== undefined) {
        forget();
        return { ...found, unsure };
      }
      if (identity !== undefined && identity.genesis !== found.genesis) {
        host.log('warn', 'ethereum.chain-reset', { ledgerId: ledger.ledgerId, genesis: found.genesis });
        doubts += 1;
        becomes(found);
      }
      return found;
    } catch (error) {
      forget();
      throw error;
    }
  }

  function forget(): void {
    doubts += 1;
    becomes(undefined);
  }

  function backOff(member: Member, failure: NodeError): void {
    member.failures += 1;
    member.verifiedAt = -1;
    member.backoffUntil = host.now() + backoff(member.failures, timing.backoff, random());
    // A refused batch of an otherwise silent outage would flood the log: the first of a row is enough.
    if (member.failures === 1) {
      host.log('warn', 'ethereum.node-failed', {
        ledgerId: ledger.ledgerId,
        nodeId: member.node.nodeId,
        code: failure.code,
        detail: failure.message,
      });
    }
  }

  function closedError(phase: Phase) {
    return adapterError('unavailable', `The session of ledger ${ledger.ledgerId} is closed.`, { phase });
  }

  async function runOn<Result>(member: Member, run: (node: RpcNode) => Promise<Result>): Promise<Result> {
    await verify(member);
    const result = await run(member.node);
    member.failures = 0;
    member.backoffUntil = 0;
    return result;
  }

  async function onEach<Result>(
    phase: Phase,
    run: (node: RpcNode) => Promise<Result>,
    { except, isEvery = false }: { except?: string; isEvery?: boolean } = {},
  ): Promise<{ answers: Map<string, Result>; failure: NodeError | undefined }> {
    const wanted = members.filter(({ node }) => node.nodeId !== except);
    const ready = isEvery ? wanted : wanted.filter((member) => member.backoffUntil <= host.now());
    const answers = new Map<string, Result>();
    let failure: NodeError | undefined;
    await Promise.all(
      (ready.length > 0 ? ready : wanted).map(async (member) => {
        try {
          answers.set(member.node.nodeId, await runOn(member, run));
        } catch (error) {
          if (!(error instanceof NodeError)) throw error;
          failure = preferred(failure, error);
          if (error.code !== 'behind' && !signal.aborted) backOff(member, error);
        }
      }),
    );
    if (signal.aborted) throw closedError(phase);
    return { answers, failure };
  }

  async function onNode<Result>(
    phase: Phase,
    run: (node: RpcNode) => Promise<Result>,
    isLast: (nodeId: string) => boolean = () => false,
  ): Promise<Result> {
    const order = candidates();
    order.sort((a, b) => Number(isLast(a.node.nodeId)) - Number(isLast(b.node.nodeId)));
    // With one node, a second try: the connection may just have been closed by an idle server.
    const tries = order.length === 1 ? [...order, ...order] : order;
    let last: NodeError | undefined;
    for (const [index, member] of tries.entries()) {
      if (signal.aborted) break;
      if (index > 0) await pause(timing.nextTry.least + random() * timing.nextTry.random, signal);
      try {
        return await runOn(member, run);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        if (signal.aborted) break;
        last = preferred(last, error);
        if (error.code !== 'behind') backOff(member, error);
        // A second wait for the same silent node would double every time limit.
        if (order.length === 1 && error.code === 'timeout') break;
      }
    }
    if (signal.aborted || last === undefined) throw closedError(phase);
    throw last.toAdapterError(phase);
  }

  return {
    onNode,
    onEach,
    endpoints,
    async identity(phase) {
      if (identity === undefined || !members.some((member) => member.verifiedAt === doubts)) {
        await onNode(phase, async () => undefined);
      }
      if (identity === undefined) throw closedError(phase);
      return identity;
    },
    identityOfAll,
    lastIdentity: () => identity,
    doubt() {
      doubts += 1;
    },
    onReset(listener) {
      resetListeners.push(listener);
    },
    async close() {
      await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    },
  };
}

/** Failures that no waiting mends. */
const lasting: ReadonlySet<NodeErrorCode> = new Set(['wrong-chain', 'not-opened']);

/** The failure to report: one that may pass says more than what does not, and the first node counts most. */
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
