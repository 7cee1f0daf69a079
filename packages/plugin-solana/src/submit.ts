import { AdapterError, type Submission, type Submitted } from '@ledger-ops/adapter';
import {
  type Base64EncodedWireTransaction,
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
} from '@solana/kit';
import type { SentSteps } from './deployment/sent-steps.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readSigned, type SignedBytes } from './transactions/signed.ts';

const phase = 'submit';

/** Sends each by itself, to one node that works, or to every node where it is late. Sending twice is harmless. */
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
    const detail = 'The bytes are no transaction of this id with all its signatures.';
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
  const { answers, failures } = await nodes.onEvery(phase, (node) => sendAll(node, signed));
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

/** The answer is that to the last one, unless one of the others is not taken: a step is sent whole or again. */
async function sendAll(node: SolanaNode, { txId, transactions }: SignedBytes): Promise<Submitted> {
  const sent: Submitted[] = [];
  for (let start = 0; start < transactions.length; start += mostAtOnce) {
    const some = transactions.slice(start, start + mostAtOnce);
    sent.push(...(await Promise.all(some.map((bytes) => sendTo(node, txId, bytes)))));
  }
  return sent.find(({ status }) => status === 'refused') ?? sent.at(-1) ?? { txId, status: 'unavailable' };
}

/** Transactions of one step that are on their way to a node together. */
const mostAtOnce = 16;

/** Without the node's own simulation: what may be wrong was looked for by the estimate, and more may have come since. */
async function sendTo({ rpc }: SolanaNode, txId: string, bytes: Uint8Array): Promise<Submitted> {
  // The text is base64 by how it is made.
  const wire = Buffer.from(bytes).toString('base64') as Base64EncodedWireTransaction;
  try {
    await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
    return { txId, status: 'accepted' };
  } catch (error) {
    if (
      isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE) &&
      isSolanaError(error.cause, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED)
    ) {
      return { txId, status: 'known' };
    }
    if (
      isSolanaError(error, SOLANA_ERROR__JSON_RPC__INVALID_PARAMS) ||
      isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE)
    ) {
      const detail = `The node does not take the transaction: ${error.message.slice(0, 500)}`;
      return { txId, status: 'refused', problem: { code: 'refused', phase, detail, txId } };
    }
    throw error;
  }
}
