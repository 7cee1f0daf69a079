import { AdapterError, type Submission, type Submitted } from '@ledger-ops/adapter';
import { z } from 'zod';
import type { SentSteps } from './deployment/sent-steps.ts';
import { answers } from './rpc/answers.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readable, UnusableAnswer } from './rpc/unusable-answer.ts';
import { readSigned, type SignedBytes } from './transactions/signed.ts';

const phase = 'submit';

/** Sends each submission separately, to one working node, or to every node if it is late. Sending twice is harmless. */
export function submitAll(
  submissions: readonly Submission[],
  { nodes, steps }: { nodes: Nodes; steps: SentSteps },
): Promise<Submitted[]> {
  return Promise.all(submissions.map((submission) => submitOne(submission, nodes, steps)));
}

async function submitOne(
  { txId, bytes, everyNode }: Submission,
  nodes: Nodes,
  steps: SentSteps,
): Promise<Submitted> {
  const signed = readSigned(bytes);
  if (signed?.txId !== txId) {
    const detail = 'The bytes are not a transaction with this id and all its signatures.';
    return { txId, status: 'refused', problem: { code: 'refused', phase, detail, txId } };
  }
  steps.remember(txId, signed.step);
  if (everyNode !== true || nodes.size === 1) {
    try {
      return await nodes.onNode(phase, (node) => sendAll(node, signed));
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      return { txId, status: 'unavailable', problem: error.problem };
    }
  }
  const { answers, failures } = await nodes.onEach(phase, (node) => sendAll(node, signed));
  const all = [...answers.values()];
  const [failure] = failures.values();
  return (
    all.find(({ status }) => status === 'known' || status === 'accepted') ??
    all[0] ?? {
      ...{ txId, status: 'unavailable' },
      ...(failure === undefined ? {} : { problem: failure.toAdapterError(phase).problem }),
    }
  );
}

/**
 * Returns the answer to the last transaction. If another transaction is refused, returns that refusal,
 * because the whole step must be sent again.
 */
async function sendAll(node: SolanaNode, { txId, transactions }: SignedBytes): Promise<Submitted> {
  const sent: Submitted[] = [];
  for (let start = 0; start < transactions.length; start += mostAtOnce) {
    const some = transactions.slice(start, start + mostAtOnce);
    sent.push(...(await Promise.all(some.map((bytes) => sendTo(node, txId, bytes)))));
  }
  return sent.find(({ status }) => status === 'refused') ?? sent.at(-1) ?? { txId, status: 'unavailable' };
}

/** Maximum number of transactions of one step that are sent concurrently. */
const mostAtOnce = 16;

/** JSON-RPC codes of refusals: `INVALID_PARAMS`, and an invalid signature. */
const refusals = new Set([-32602, -32003]);
/**
 * JSON-RPC code of a node that simulated the transaction although the simulation was disabled: the simulation failed.
 */
const preflightFailed = -32002;
const alreadyProcessed = z.object({ err: z.literal('AlreadyProcessed') });

/**
 * Sends with the node's simulation disabled: the estimate simulated the transaction, and the state may have
 * changed after that.
 */
async function sendTo(node: SolanaNode, txId: string, bytes: Uint8Array): Promise<Submitted> {
  const wire = Buffer.from(bytes).toString('base64');
  const config = { encoding: 'base64', skipPreflight: true, preflightCommitment: 'confirmed' };
  const answer = await readable(node.ask('sendTransaction', [wire, config], answers.signature));
  if (!(answer instanceof UnusableAnswer)) return { txId, status: 'accepted' };
  const { code = 0, message = '', data } = answer.error ?? {};
  if (code === preflightFailed && alreadyProcessed.safeParse(data).success) return { txId, status: 'known' };
  if (!refusals.has(code)) throw answer;
  const detail = `The node rejects the transaction: ${message.slice(0, 500)}`;
  return { txId, status: 'refused', problem: { code: 'refused', phase, detail, txId } };
}
