import type { AdapterProblem, Confirmed, ConfirmRequest, LookupResult, Outcome } from '../types.ts';
import type { MinedTransaction } from './chain.ts';
import type { MemoryLedger } from './ledger.ts';

/** What one node shows of a ledger. */
export interface View {
  ledger: MemoryLedger;
  /** Height of its newest block. */
  height: number;
  /** Depth at which something is final; 1 is the newest block. */
  confirmations: number;
  /** What is said of a fee. */
  stated(fee: bigint): bigint;
}

const finalHeight = ({ height, confirmations }: View) => Math.max(0, height - confirmations + 1);
const hashAt = ({ ledger }: View, height: number) => ledger.blocks[height]?.hash ?? '';

/** The outcomes of everything that is final, and how far that is. */
export function confirmPending(request: ConfirmRequest, view: View): Confirmed {
  const { cursor, pending } = request;
  const head = { height: view.height, hash: hashAt(view, view.height) };
  const canonical = cursor === null || hashAt(view, cursor.height) === cursor.hash;
  const final = finalHeight(view);
  if (cursor !== null && canonical && cursor.height > final) {
    // A node behind the last one: it has nothing to add.
    return { cursor, head, outcomes: [], reorganised: false };
  }
  const blockHash = hashAt(view, final);
  const outcomes: Outcome[] = [];
  for (const [txId, { address, sequence }] of pending) {
    const mined = view.ledger.transaction(txId);
    if (mined !== undefined) {
      if (mined.height <= final) outcomes.push(outcomeOf(mined, view));
    } else if (sequence !== undefined && view.ledger.state.nonceAt(address, final) > sequence) {
      outcomes.push({ txId, status: 'superseded', height: final, blockHash });
    }
  }
  return { cursor: { height: final, hash: blockHash }, head, outcomes, reorganised: !canonical };
}

function problemOf({ transaction, execution }: MinedTransaction): AdapterProblem | undefined {
  if (execution.status !== 'failed') return undefined;
  return { code: execution.code, detail: execution.detail, phase: 'confirm', txId: transaction.txId };
}

function outcomeOf(mined: MinedTransaction, view: View): Outcome {
  const { transaction, execution, height, blockHash } = mined;
  const common = { txId: transaction.txId, height, blockHash, fee: view.stated(execution.fee) };
  const problem = problemOf(mined);
  if (problem !== undefined) return { ...common, status: 'failed', problem };
  const { contractAddress } = execution;
  return { ...common, status: 'succeeded', ...(contractAddress === undefined ? {} : { contractAddress }) };
}

/** A transaction by its id; `PENDING` until it is final. */
export function lookUp(txId: string, view: View): LookupResult | null {
  const { ledger } = view;
  const mined = ledger.transaction(txId);
  if (mined === undefined || mined.height > view.height) {
    const waits = mined !== undefined || ledger.pool.some((waiting) => waiting.txId === txId);
    return waits ? { txId, status: 'PENDING' } : null;
  }
  const { execution, height, blockHash } = mined;
  const problem = problemOf(mined);
  const final = height <= finalHeight(view);
  return {
    txId,
    height,
    blockHash,
    status: final ? (problem === undefined ? 'SUCCEEDED' : 'FAILED') : 'PENDING',
    ...(execution.contractAddress === undefined ? {} : { contractAddress: execution.contractAddress }),
    ...(final && problem !== undefined ? { problem } : {}),
    receipt: { status: execution.status, fee: execution.fee.toString(), height, blockHash },
  };
}
