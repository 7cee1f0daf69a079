import { AdapterError, type AdapterProblem, type Submission, type Submitted } from '@ledger-ops/adapter';
import { classify, type ErrorRegistry, problemOf } from './errors.ts';
import { NodeFailure } from './node-failure.ts';
import type { Rpc } from './rpc.ts';
import type { RpcAnswer } from './rpc-node.ts';

/** What a submission draws on. */
export interface SubmitContext {
  rpc: Rpc;
  registry: ErrorRegistry;
}

const phase = 'submit';

/**
 * Sends signed bytes in their order to the first node that works. Sending twice is harmless, so whatever a
 * node did not answer goes to the next one as well.
 */
export async function submitAll(
  submissions: readonly Submission[],
  { rpc, registry }: SubmitContext,
): Promise<Submitted[]> {
  const settled = new Map<number, Submitted>();
  let open = [...submissions.entries()];
  let problem: AdapterProblem | undefined;
  try {
    await rpc.onNode(phase, async (node) => {
      const answers = await node.inOrder(open.map(([, { bytes }]) => sendCall(bytes)));
      for (const [place, [index, { txId }]] of open.entries()) {
        const answer = answers[place];
        if (answer !== undefined) settled.set(index, readAnswer(txId, answer, registry));
      }
      open = open.filter(([index]) => settled.get(index)?.status === 'unavailable');
      if (open.length === submissions.length && open.length > 0) {
        throw new NodeFailure('unavailable', `Node ${node.nodeId} takes no transactions now.`);
      }
    });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    problem = error.problem;
  }
  return submissions.map(({ txId }, index) => {
    const answer = settled.get(index);
    if (answer !== undefined) return answer;
    const detail = problem?.detail ?? 'No node answered.';
    return {
      txId,
      status: 'unavailable',
      problem: { code: problem?.code ?? 'unavailable', phase, detail, txId },
    };
  });
}

function sendCall(bytes: Uint8Array) {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  return { method: 'eth_sendRawTransaction', params: [`0x${hex}`] };
}

function readAnswer(txId: string, answer: RpcAnswer, registry: ErrorRegistry): Submitted {
  if (answer.ok) return { txId, status: 'accepted' };
  const kind = classify(answer.error);
  if (kind === 'known') return { txId, status: 'known' };
  const problem = problemOf(answer.error, phase, registry, { txId, otherwise: 'refused' });
  return { txId, status: kind === 'busy' || kind === 'behind' ? 'unavailable' : 'refused', problem };
}
