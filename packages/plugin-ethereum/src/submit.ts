import {
  AdapterError,
  type AdapterErrorCode,
  type AdapterProblem,
  type Submission,
  type Submitted,
} from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import type QuickLRU from 'quick-lru';
import type { ErrorRegistry } from './abi/error-registry.ts';
import type { FeeFloor } from './blocks/fee-floor.ts';
import { classify, problemOf } from './rpc/errors.ts';
import type { RpcAnswer, RpcNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import type { Loss, UnreliableNodes } from './rpc/unreliable-nodes.ts';
import { minedTransactions, visibleAfterRetry, visibleTransactions } from './rpc/visible-transactions.ts';
import type { Timing } from './timing.ts';
import { readSigned } from './transactions/signed-transaction.ts';

/** The parts of a session that `submit` needs. */
export interface SubmitContext {
  nodes: Nodes;
  registry: ErrorRegistry;
  unreliable: UnreliableNodes;
  /** Learns the mempools' minimum fee from refusals. */
  floor: Pick<FeeFloor, 'refuse' | 'accept'>;
  /** Ids of the nodes that accepted a transaction, by transaction id. */
  takenBy: QuickLRU<string, readonly string[]>;
  timing: Timing;
}

const phase = 'submit';

/** A submission and its index in the request. */
type Indexed = readonly [index: number, submission: Submission];

/** A node's answer to a submission, checked against the transactions that it returns. */
interface NodeAnswer {
  submitted: Submitted;
  /** Set if the node accepted or claims to know the transaction, but does not return it. */
  hidden?: Loss;
}

/**
 * Sends transactions in order to the first working node; those it does not accept go to the next one. Sending
 * twice is harmless. If a node answers "already known" or accepts a resent transaction, it must also return
 * the transaction, because it may have dropped it. Late transactions are sent to every node.
 */
export async function submitAll(
  submissions: readonly Submission[],
  context: SubmitContext,
): Promise<Submitted[]> {
  const all = [...submissions.entries()];
  const late = all.filter(([, { everyNode }]) => everyNode === true);
  const ordinary = late.length === 0 ? all : all.filter(([, { everyNode }]) => everyNode !== true);
  const answers = new Map<number, Submitted>();
  await Promise.all([
    ordinary.length === 0 ? undefined : sendInTurn(ordinary, answers, context),
    late.length === 0 ? undefined : sendToAll(late, answers, context),
  ]);
  return all.map(([index, { txId }]) => answers.get(index) ?? unanswered(txId));
}

/** Sends to one node after the other until each transaction is accepted or refused. */
async function sendInTurn(
  indexed: readonly Indexed[],
  answers: Map<number, Submitted>,
  context: SubmitContext,
): Promise<void> {
  const { nodes, unreliable } = context;
  const forgotten = new Map<string, string[]>();
  let open = indexed;
  try {
    await nodes.onNode(
      phase,
      async (node) => {
        const ofNode = await sendTo(node, open, ({ first }) => first !== true, context);
        const left: Indexed[] = [];
        for (const [place, one] of open.entries()) {
          const answer = ofNode[place];
          if (answer === undefined) continue;
          const { submitted, hidden } = answer;
          if (hidden === 'took')
            forgotten.set(node.nodeId, [...(forgotten.get(node.nodeId) ?? []), submitted.txId]);
          // A refusal by one node is more useful to report than "busy" from another.
          if (submitted.status !== 'unavailable' || !answers.has(one[0])) answers.set(one[0], submitted);
          // Another node may have a lower minimum.
          const isOpen = submitted.status === 'unavailable' || submitted.feeTooLow === 'minimum';
          if (hidden !== undefined || isOpen) left.push(one);
        }
        const isBusy =
          ofNode.length > 0 && ofNode.every(({ submitted }) => submitted.status === 'unavailable');
        open = left;
        if (isBusy)
          throw new NodeError(
            'unavailable',
            `Node ${node.nodeId} does not accept transactions at the moment.`,
          );
        if (open.length === 0 || nodes.endpoints.length === 1) return;
        throw new NodeError('behind', `Node ${node.nodeId} did not accept all transactions.`);
      },
      unreliable.has,
    );
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    for (const [index, { txId }] of open)
      if (!answers.has(index)) answers.set(index, unanswered(txId, error.problem));
  }
  const taken = new Set([...answers.values()].filter(isTaken).map(({ txId }) => txId));
  for (const [nodeId, txIds] of forgotten)
    if (txIds.some((txId) => taken.has(txId))) unreliable.mark(nodeId, 'took');
}

/** Sends to all nodes concurrently. */
async function sendToAll(
  indexed: readonly Indexed[],
  answers: Map<number, Submitted>,
  context: SubmitContext,
): Promise<void> {
  const { nodes, unreliable, takenBy, timing } = context;
  // Nodes are queried before the resend: afterwards, a node may have received the transaction from another node.
  const { answers: before } = await nodes.onEach(phase, async (node) => {
    const txIds = indexed.flatMap(([, { txId }]) => (takenBy.get(txId)?.includes(node.nodeId) ? [txId] : []));
    return txIds.length === 0
      ? new Map<string, boolean>()
      : visibleAfterRetry(node, txIds, timing.nodes.secondLook);
  });
  const { answers: ofNodes, failure } = await nodes.onEach(phase, (node) =>
    sendTo(node, indexed, () => true, context),
  );
  for (const [place, [index, { txId }]] of indexed.entries()) {
    const all = [...ofNodes].flatMap(([nodeId, ofNode]) => {
      const submitted = ofNode[place]?.submitted;
      return submitted === undefined ? [] : [{ nodeId, ...submitted }];
    });
    answers.set(index, combine(txId, all, failure));
    for (const [nodeId, visible] of before) {
      const hasOther = all.some((one) => one.nodeId !== nodeId && isTaken(one));
      if (visible.get(txId) === false && hasOther) unreliable.mark(nodeId, 'took');
    }
  }
}

/** Sends to one node. If required, verifies its answer against the transactions that it returns. */
async function sendTo(
  node: RpcNode,
  indexed: readonly Indexed[],
  needsProof: (submission: Submission) => boolean,
  context: SubmitContext,
): Promise<NodeAnswer[]> {
  const { unreliable, takenBy, timing } = context;
  const { nodeId } = node;
  const isOnTrial = unreliable.isOnTrial(nodeId);
  const answers = await node.inOrder(indexed.map(([, { bytes }]) => sendCall(bytes)));
  const all = indexed.map(([, submission], place) => readAnswer(submission, answers[place], context));
  for (const { txId, status } of all) {
    const nodeIds = takenBy.get(txId) ?? [];
    if (status === 'accepted' && !nodeIds.includes(nodeId)) takenBy.set(txId, [...nodeIds, nodeId]);
  }
  // The transaction may have been mined already. Nodes then refuse it because of its nonce or its fee, or
  // with other messages.
  const doubtful = indexed.flatMap(([, { txId, first }], place) => {
    const isResent = first !== true && all[place]?.status === 'refused';
    return isResent || isNonceUsed(answers[place]) ? [txId] : [];
  });
  const mined = doubtful.length === 0 ? undefined : await minedTransactions(node, doubtful);
  const unproven = indexed.flatMap(([, submission], place) => {
    const status = all[place]?.status;
    const isUnproven = status === 'known' || (status === 'accepted' && (isOnTrial || needsProof(submission)));
    return isUnproven ? [submission.txId] : [];
  });
  const visible =
    unproven.length === 0
      ? undefined
      : // A node that is skipped because it does not return accepted transactions is queried only once.
        await (unreliable.has(nodeId)
          ? visibleTransactions(node, unproven)
          : visibleAfterRetry(node, unproven, timing.nodes.secondLook));
  return all.map((submitted): NodeAnswer => {
    const { txId, status } = submitted;
    if (mined?.has(txId) === true) return { submitted: { txId, status: 'known' } };
    if (visible === undefined || !isTaken(submitted) || !unproven.includes(txId)) return { submitted };
    if (visible.get(txId) === true) {
      if (isOnTrial) unreliable.clear(nodeId);
      return { submitted: { txId, status } };
    }
    const isKnown = status === 'known';
    // If a node cannot return transactions, its "accepted" is trusted, but not its "already known".
    if (!isKnown && !visible.has(txId)) return { submitted };
    if (isKnown && visible.has(txId)) unreliable.mark(nodeId, 'knows');
    const first = isKnown ? (submitted.problem?.detail ?? '') : 'The node accepted the transaction.';
    return {
      submitted: refused(txId, `${first} Node ${nodeId} does not return it.`),
      hidden: isKnown ? 'knows' : 'took',
    };
  });
}

function isTaken({ status }: Pick<Submitted, 'status'>): boolean {
  return status === 'accepted' || status === 'known';
}

function sendCall(bytes: Uint8Array) {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  return { method: 'eth_sendRawTransaction', params: [`0x${hex}`] };
}

function isNonceUsed(answer: RpcAnswer | undefined): boolean {
  return answer?.ok === false && classify(answer.error) === 'nonce-too-low';
}

function readAnswer(
  { txId, bytes }: Submission,
  answer: RpcAnswer | undefined,
  { registry, floor }: SubmitContext,
): Submitted {
  if (answer === undefined) return unanswered(txId);
  if (answer.ok) {
    floor.accept(txId);
    return { txId, status: 'accepted' };
  }
  const kind = classify(answer.error);
  const problem = problemOf(answer.error, phase, registry, { txId, otherwise: 'refused' });
  switch (kind) {
    case 'known':
      return { txId, status: 'known', problem };
    case 'busy':
    case 'behind':
    case 'batch-refused':
      return { txId, status: 'unavailable', problem };
    case 'outbid':
      return { txId, status: 'refused', problem, feeTooLow: 'outbid' };
    case 'underpriced': {
      const fee = readSigned(bytes)?.fee;
      if (fee !== undefined) floor.refuse(txId, fee, answer.error.message);
      return { txId, status: 'refused', problem, feeTooLow: 'minimum' };
    }
    default:
      return { txId, status: 'refused', problem };
  }
}

function refused(txId: string, detail: string): Submitted {
  return { txId, status: 'refused', problem: { code: 'refused', phase, detail, txId } };
}

function unanswered(
  txId: string,
  { code, detail }: { code: AdapterErrorCode; detail: string } = {
    code: 'unavailable',
    detail: 'No node responded.',
  },
): Submitted {
  return { txId, status: 'unavailable', problem: { code, phase, detail, txId } };
}

/** Combines the answers of all nodes: the best one, or the messages of all. */
function combine(
  txId: string,
  all: readonly (Submitted & { nodeId: string })[],
  failure: NodeError | undefined,
): Submitted {
  const best =
    all.find(({ status }) => status === 'accepted') ?? all.find(({ status }) => status === 'known');
  if (best !== undefined) return { txId, status: best.status };
  const problems = all.flatMap(({ nodeId, problem }) => (problem === undefined ? [] : [{ nodeId, problem }]));
  const main = all.find(({ status }) => status === 'refused') ?? all[0];
  if (main?.problem === undefined) {
    return unanswered(txId, failure?.toAdapterError(phase).problem);
  }
  const isAlike = problems.every(({ problem }) => problem.detail === main.problem?.detail);
  const detail = isAlike
    ? main.problem.detail
    : problems.map(({ nodeId, problem }) => `${nodeId}: ${problem.detail}`).join(' ');
  const problem: AdapterProblem = { ...main.problem, detail };
  // A higher fee helps only if no node refuses the transaction for another reason.
  const isForFee = all.every(({ status, feeTooLow }) => status !== 'refused' || feeTooLow === main.feeTooLow);
  return {
    ...{ txId, status: main.status, problem },
    ...(main.feeTooLow === undefined || !isForFee ? {} : { feeTooLow: main.feeTooLow }),
  };
}
