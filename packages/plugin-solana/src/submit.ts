import { AdapterError, type Submission, type Submitted } from '@ledger-ops/adapter';
import {
  type Base64EncodedWireTransaction,
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
} from '@solana/kit';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { idOfSigned } from './transactions/signed.ts';

const phase = 'submit';

/** Sends each by itself, to one node that works, or to every node where it is late. Sending twice is harmless. */
export function submitAll(
  submissions: readonly Submission[],
  { nodes }: { nodes: Nodes },
): Promise<Submitted[]> {
  return Promise.all(submissions.map((submission) => submitOne(submission, nodes)));
}

async function submitOne({ txId, bytes, everyNode }: Submission, nodes: Nodes): Promise<Submitted> {
  if (idOfSigned(bytes) !== txId) {
    const detail = 'The bytes are no transaction of this id with all its signatures.';
    return { txId, status: 'refused', problem: { code: 'refused', phase, detail, txId } };
  }
  if (everyNode !== true || nodes.size === 1) {
    try {
      return await nodes.onNode(phase, (node) => sendTo(node, txId, bytes));
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      return { txId, status: 'unavailable', problem: error.problem };
    }
  }
  const { answers, failures } = await nodes.onEvery(phase, (node) => sendTo(node, txId, bytes));
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
