import {
  AdapterError,
  type AdapterErrorCode,
  type AdapterProblem,
  type Submission,
  type Submitted,
} from '@ledger-ops/adapter';
import { classify, type ErrorRegistry, problemOf } from './errors.ts';
import { createLru } from './lru.ts';
import { NodeFailure } from './node-failure.ts';
import type { PassedOver, Swallowing } from './passed-over.ts';
import type { Rpc } from './rpc.ts';
import type { RpcAnswer, RpcNode } from './rpc-node.ts';
import { shownAfterAll, shownBy } from './shown.ts';

/** What submitting draws on. */
export interface SubmitContext {
  rpc: Rpc;
  registry: ErrorRegistry;
  passedOver: PassedOver;
}

/** Sends signed bytes, for one session. */
export interface Submitter {
  submit(submissions: readonly Submission[]): Promise<Submitted[]>;
}

const phase = 'submit';
/** Transactions of which it is remembered which nodes took them. */
const remembered = 20_000;

/** One submission in its place among all. */
type Placed = readonly [index: number, submission: Submission];

/** What a node said to one submission, held against what it shows. */
interface Heard {
  said: Submitted;
  /** It took it (again) or knows it, and shows nothing of it. */
  hidden?: Swallowing;
}

/**
 * Sends in order to the first node that works; what a node does not take goes to the next one. Sending twice is harmless.
 * That a node knows bytes, or takes what was sent before, counts only where it shows the transaction: it may have
 * forgotten it. What is late goes to every node.
 */
export function createSubmitter({ rpc, registry, passedOver }: SubmitContext): Submitter {
  /** Which nodes took a transaction. */
  const taken = createLru<string, readonly string[]>(remembered);

  /** Sends to one node, and holds what it says against what it shows where that is asked for. */
  async function hear(
    node: RpcNode,
    placed: readonly Placed[],
    needsProof: (submission: Submission) => boolean,
  ): Promise<Heard[]> {
    const { nodeId } = node;
    const isOnTrial = passedOver.isOnTrial(nodeId);
    const answers = await node.inOrder(placed.map(([, { bytes }]) => sendCall(bytes)));
    const said = placed.map(([, { txId }], place) => readAnswer(txId, answers[place], registry));
    for (const { txId, status } of said) if (status === 'accepted') remember(txId, nodeId);
    const unproven = placed.flatMap(([, submission], place) => {
      const status = said[place]?.status;
      const isUnproven =
        status === 'known' || (status === 'accepted' && (isOnTrial || needsProof(submission)));
      return isUnproven ? [submission.txId] : [];
    });
    // Of a node that is passed over it is known already how it is.
    const look = passedOver.has(nodeId) ? shownBy : shownAfterAll;
    const shown = unproven.length === 0 ? undefined : await look(node, unproven);
    return said.map((one): Heard => {
      const { txId, status } = one;
      if (shown === undefined || !isTaken(one) || !unproven.includes(txId)) return { said: one };
      if (shown.get(txId) === true) {
        if (isOnTrial) passedOver.clear(nodeId);
        return { said: { txId, status } };
      }
      const isKnown = status === 'known';
      // A node that cannot say is believed that it took it, but not that it knows it.
      if (!isKnown && !shown.has(txId)) return { said: one };
      if (isKnown && shown.has(txId)) passedOver.mark(nodeId, 'knows');
      const first = isKnown ? (one.problem?.detail ?? '') : 'The node took the transaction.';
      return {
        said: refused(txId, `${first} Node ${nodeId} does not show it.`),
        hidden: isKnown ? 'knows' : 'took',
      };
    });
  }

  function remember(txId: string, nodeId: string): void {
    const nodes = taken.get(txId) ?? [];
    if (!nodes.includes(nodeId)) taken.set(txId, [...nodes, nodeId]);
  }

  /** To one node after the other, until one has taken or refused it. */
  async function inTurn(placed: readonly Placed[], settled: Map<number, Submitted>): Promise<void> {
    const forgot = new Map<string, string[]>();
    let open = placed;
    try {
      await rpc.onNode(
        phase,
        async (node) => {
          const heard = await hear(node, open, ({ first }) => first !== true);
          const left: Placed[] = [];
          for (const [place, one] of open.entries()) {
            const answer = heard[place];
            if (answer === undefined) continue;
            const { said, hidden } = answer;
            if (hidden === 'took') forgot.set(node.nodeId, [...(forgot.get(node.nodeId) ?? []), said.txId]);
            // What a node refused says more than that another is busy.
            if (said.status !== 'unavailable' || !settled.has(one[0])) settled.set(one[0], said);
            if (hidden !== undefined || said.status === 'unavailable') left.push(one);
          }
          const isBusy = heard.length > 0 && heard.every(({ said }) => said.status === 'unavailable');
          open = left;
          if (isBusy) throw new NodeFailure('unavailable', `Node ${node.nodeId} takes no transactions now.`);
          if (open.length === 0 || rpc.endpoints.length === 1) return;
          throw new NodeFailure('behind', `Node ${node.nodeId} did not take everything.`);
        },
        passedOver.has,
      );
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      for (const [index, { txId }] of open)
        if (!settled.has(index)) settled.set(index, unanswered(txId, error.problem));
    }
    const took = new Set([...settled.values()].filter(isTaken).map(({ txId }) => txId));
    for (const [nodeId, txIds] of forgot)
      if (txIds.some((txId) => took.has(txId))) passedOver.mark(nodeId, 'took');
  }

  /** To all nodes at once. */
  async function everywhere(placed: readonly Placed[], settled: Map<number, Submitted>): Promise<void> {
    // Before it is sent again: afterwards a node may have it from another one.
    const { answers: before } = await rpc.onEach(phase, async (node) => {
      const took = placed.flatMap(([, { txId }]) => (taken.get(txId)?.includes(node.nodeId) ? [txId] : []));
      return took.length === 0 ? new Map<string, boolean>() : shownAfterAll(node, took);
    });
    const { answers, failure } = await rpc.onEach(phase, (node) => hear(node, placed, () => true));
    for (const [place, [index, { txId }]] of placed.entries()) {
      const said = [...answers].flatMap(([nodeId, heard]) => {
        const one = heard[place]?.said;
        return one === undefined ? [] : [{ nodeId, ...one }];
      });
      settled.set(index, together(txId, said, failure));
      for (const [nodeId, shown] of before) {
        const others = said.some((one) => one.nodeId !== nodeId && isTaken(one));
        if (shown.get(txId) === false && others) passedOver.mark(nodeId, 'took');
      }
    }
  }

  return {
    async submit(submissions) {
      const all = [...submissions.entries()];
      const late = all.filter(([, { everyNode }]) => everyNode === true);
      const ordinary = late.length === 0 ? all : all.filter(([, { everyNode }]) => everyNode !== true);
      const settled = new Map<number, Submitted>();
      await Promise.all([
        ordinary.length === 0 ? undefined : inTurn(ordinary, settled),
        late.length === 0 ? undefined : everywhere(late, settled),
      ]);
      return all.map(([index, { txId }]) => settled.get(index) ?? unanswered(txId));
    },
  };
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

/** What all nodes said to a transaction, as one answer: the best of it, or in the words of all. */
function together(
  txId: string,
  said: readonly (Submitted & { nodeId: string })[],
  failure: NodeFailure | undefined,
): Submitted {
  const best =
    said.find(({ status }) => status === 'accepted') ?? said.find(({ status }) => status === 'known');
  if (best !== undefined) return { txId, status: best.status };
  const problems = said.flatMap(({ nodeId, problem }) =>
    problem === undefined ? [] : [{ nodeId, problem }],
  );
  const main = said.find(({ status }) => status === 'refused') ?? said[0];
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
