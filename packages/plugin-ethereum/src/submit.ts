import {
  AdapterError,
  type AdapterErrorCode,
  type AdapterProblem,
  type Submission,
  type Submitted,
} from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import type QuickLRU from 'quick-lru';
import type { ErrorRegistry } from './abi/error-registry.ts';
import { classify, problemOf } from './rpc/errors.ts';
import type { RpcAnswer, RpcNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import type { Loss, UnreliableNodes } from './rpc/unreliable-nodes.ts';
import { visibleAfterRetry, visibleTransactions } from './rpc/visible-transactions.ts';
import type { Timing } from './timing.ts';

/** The part of a session that submitting needs. */
export interface SubmitContext {
  nodes: Nodes;
  registry: ErrorRegistry;
  unreliable: UnreliableNodes;
  /** Ids of the nodes that took a transaction, by its id. */
  takenBy: QuickLRU<string, readonly string[]>;
  timing: Timing;
}

const phase = 'submit';

/** A submission and its index among all of the request. */
type Indexed = readonly [index: number, submission: Submission];

/** A node's answer to a submission, held against the transactions that it shows. */
interface NodeAnswer {
  submitted: Submitted;
  /** Set where the node took it, or says that it knows it, and does not show it. */
  hidden?: Loss;
}

/**
 * Sends in order to the first node that works; what a node does not take goes to the next one. Sending twice is harmless.
 * That a node knows bytes, or takes what was sent before, counts only where it shows the transaction: it may have
 * forgotten it. What is late goes to every node.
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

/** Sends to one node after the other, until each is taken or refused. */
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
          // One node's refusal says more than that another is busy.
          if (submitted.status !== 'unavailable' || !answers.has(one[0])) answers.set(one[0], submitted);
          if (hidden !== undefined || submitted.status === 'unavailable') left.push(one);
        }
        const isBusy =
          ofNode.length > 0 && ofNode.every(({ submitted }) => submitted.status === 'unavailable');
        open = left;
        if (isBusy) throw new NodeError('unavailable', `Node ${node.nodeId} takes no transactions now.`);
        if (open.length === 0 || nodes.endpoints.length === 1) return;
        throw new NodeError('behind', `Node ${node.nodeId} did not take everything.`);
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

/** Sends to all nodes at once. */
async function sendToAll(
  indexed: readonly Indexed[],
  answers: Map<number, Submitted>,
  context: SubmitContext,
): Promise<void> {
  const { nodes, unreliable, takenBy, timing } = context;
  // Before it is sent again: afterwards a node may have it from another one.
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

/** Sends to one node, and holds what it answers against what it shows where that is asked for. */
async function sendTo(
  node: RpcNode,
  indexed: readonly Indexed[],
  needsProof: (submission: Submission) => boolean,
  { registry, unreliable, takenBy, timing }: SubmitContext,
): Promise<NodeAnswer[]> {
  const { nodeId } = node;
  const isOnTrial = unreliable.isOnTrial(nodeId);
  const answers = await node.inOrder(indexed.map(([, { bytes }]) => sendCall(bytes)));
  const all = indexed.map(([, { txId }], place) => readAnswer(txId, answers[place], registry));
  for (const { txId, status } of all) {
    const nodeIds = takenBy.get(txId) ?? [];
    if (status === 'accepted' && !nodeIds.includes(nodeId)) takenBy.set(txId, [...nodeIds, nodeId]);
  }
  const unproven = indexed.flatMap(([, submission], place) => {
    const status = all[place]?.status;
    const isUnproven = status === 'known' || (status === 'accepted' && (isOnTrial || needsProof(submission)));
    return isUnproven ? [submission.txId] : [];
  });
  const visible =
    unproven.length === 0
      ? undefined
      : // A node that is passed over is known not to show what it takes: one look is enough.
        await (unreliable.has(nodeId)
          ? visibleTransactions(node, unproven)
          : visibleAfterRetry(node, unproven, timing.nodes.secondLook));
  return all.map((submitted): NodeAnswer => {
    const { txId, status } = submitted;
    if (visible === undefined || !isTaken(submitted) || !unproven.includes(txId)) return { submitted };
    if (visible.get(txId) === true) {
      if (isOnTrial) unreliable.clear(nodeId);
      return { submitted: { txId, status } };
    }
    const isKnown = status === 'known';
    // A node that cannot say is believed that it took it, but not that it knows it.
    if (!isKnown && !visible.has(txId)) return { submitted };
    if (isKnown && visible.has(txId)) unreliable.mark(nodeId, 'knows');
    const first = isKnown ? (submitted.problem?.detail ?? '') : 'The node took the transaction.';
    return {
      submitted: refused(txId, `${first} Node ${nodeId} does not show it.`),
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

function readAnswer(txId: string, answer: RpcAnswer | undefined, registry: ErrorRegistry): Submitted {
  if (answer === undefined) return unanswered(txId);
  if (answer.ok) return { txId, status: 'accepted' };
  const kind = classify(answer.error);
  const problem = problemOf(answer.error, phase, registry, { txId, otherwise: 'refused' });
  if (kind === 'known') return { txId, status: 'known', problem };
  return { txId, status: kind === 'busy' || kind === 'behind' ? 'unavailable' : 'refused', problem };
}

function refused(txId: string, detail: string): Submitted {
  return { txId, status: 'refused', problem: { code: 'refused', phase, detail, txId } };
}

function unanswered(
  txId: string,
  { code, detail }: { code: AdapterErrorCode; detail: string } = {
    code: 'unavailable',
    detail: 'No node answered.',
  },
): Submitted {
  return { txId, status: 'unavailable', problem: { code, phase, detail, txId } };
}

/** One answer made of those of all nodes: the best of them, or the words of all. */
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
  return { txId, status: main.status, problem };
}
