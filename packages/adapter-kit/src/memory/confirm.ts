import {
  type AccountTransactions,
  type AdapterProblem,
  type Confirmed,
  type ConfirmRequest,
  type LookupResult,
  nonceClaim,
  type Outcome,
  type TransactionsRequest,
} from '@ledger-ops/adapter';
import { planOfSalt } from './attempts.ts';
import type { MinedTransaction } from './chain.ts';
import type { MemoryLedger } from './ledger.ts';
import { type MemoryPlan, planToJson } from './plan.ts';
import type { Execution } from './state.ts';
import { signersOf } from './transaction.ts';

/** The ledger as seen by one node. */
export interface View {
  ledger: MemoryLedger;
  /** Height of the node's newest block. */
  height: number;
  /** Depth at which a transaction is final; 1 is the newest block. */
  confirmations: number;
  /** The ledger property `retries`. */
  retries: number;
  retryDelay: number;
  /** Returns the fee as the ledger reports it. */
  stated(fee: bigint): bigint;
}

/** Height of the newest final block. */
export const finalHeight = ({ height, confirmations }: View) => Math.max(0, height - confirmations + 1);
export const hashAt = ({ ledger }: View, height: number) => ledger.blocks[height]?.hash ?? '';

/** Returns the outcomes of all final transactions, and the final height. */
export function confirmPending(request: ConfirmRequest, view: View): Confirmed {
  const { cursor, pending } = request;
  const head = { height: view.height, hash: hashAt(view, view.height) };
  const canonical = cursor === null || hashAt(view, cursor.height) === cursor.hash;
  const final = finalHeight(view);
  if (cursor !== null && canonical && cursor.height > final) {
    // A node that is behind the cursor has no new outcomes.
    return { cursor, head, outcomes: [], reorganised: false };
  }
  const blockHash = hashAt(view, final);
  const outcomes: Outcome[] = [];
  for (const [txId, { address, sequence, note, validUntil }] of pending) {
    const mined = view.ledger.transaction(txId);
    const isKnown = !view.ledger.ownIds || note !== undefined;
    if (mined !== undefined) {
      if (mined.height <= final && isKnown) outcomes.push(outcomeOf(mined, view, note));
    } else if (validUntil !== undefined && isExpired(validUntil, final, view)) {
      outcomes.push({ txId, status: 'expired', height: final, blockHash });
    } else if (sequence !== undefined && view.ledger.state.nonceAt(address, final) > sequence) {
      const by = takerOf(view, address, sequence);
      outcomes.push({
        ...{ txId, status: 'superseded', claim: nonceClaim(sequence), height: final, blockHash },
        ...(by === undefined ? {} : { by }),
      });
    }
  }
  return { cursor: { height: final, hash: blockHash }, head, outcomes, reorganised: !canonical };
}

function isExpired(validUntil: number, final: number, { ledger }: View): boolean {
  return validUntil < final || ledger.misbehaviours.take('expireEarly') !== undefined;
}

/** Returns the id of the transaction that used an account's sequence. */
function takerOf({ ledger }: View, address: string, sequence: bigint): string | undefined {
  const all = ledger.blocks.flatMap(({ transactions }) => transactions.map(({ transaction }) => transaction));
  return all.find(({ from, sequence: used }) => from === address && used === sequence)?.txId;
}

function problemOf({ transaction, execution }: MinedTransaction): AdapterProblem | undefined {
  if (execution.status === 'invalid') {
    const detail = 'The ledger recorded the transaction as invalid.';
    return { code: 'invalidated', detail, phase: 'confirm', txId: transaction.txId };
  }
  if (execution.status !== 'failed') return undefined;
  return { code: execution.code, detail: execution.detail, phase: 'confirm', txId: transaction.txId };
}

function outcomeOf(mined: MinedTransaction, view: View, note: string | undefined): Outcome {
  const { transaction, execution, height, blockHash } = mined;
  const at = { txId: transaction.txId, height, blockHash };
  const plan = planOfSalt(transaction.salt);
  const next = plan === undefined ? undefined : nextPlan(plan, execution, view);
  if (next !== undefined) return { ...at, status: 'continue', ...next };
  const common = {
    ...at,
    fee: view.stated(execution.fee),
    ...(note === undefined ? {} : { locator: note }),
    ...(plan === undefined ? {} : { details: { round: plan.round } }),
  };
  const problem = problemOf(mined);
  if (problem !== undefined) return { ...common, status: 'failed', problem };
  const { contractAddress } = execution;
  return { ...common, status: 'succeeded', ...(contractAddress === undefined ? {} : { contractAddress }) };
}

/** Returns the plan of the action's next transaction; undefined after the last transaction. */
function nextPlan(plan: MemoryPlan, execution: Execution, view: View) {
  if (execution.status === 'invalid' && plan.round < view.retries) {
    const detail = `The ledger recorded the transaction as invalid; it is created again (${plan.round + 1} of ${view.retries}).`;
    return { plan: planToJson({ ...plan, round: plan.round + 1 }), detail, delay: view.retryDelay };
  }
  if (execution.status === 'succeeded' && plan.ahead > 0) {
    const detail = `${plan.ahead} more transactions follow.`;
    const delay = view.retryDelay;
    return { plan: planToJson({ ...plan, ahead: plan.ahead - 1 }), detail, executed: true, delay };
  }
  return undefined;
}

/** Finds the transaction in a block that used a sequence of an account. */
export function findTransaction(address: string, sequence: bigint, { ledger, height }: View): string | null {
  for (const block of ledger.blocks) {
    if (block.height > height) break;
    for (const { transaction } of block.transactions)
      if (transaction.from === address && transaction.sequence === sequence) return transaction.txId;
  }
  return null;
}

/** Lists the transactions in blocks that an account signed or received, newest first. */
export function listOf({ address, since }: TransactionsRequest, view: View): AccountTransactions {
  const { height, ledger } = view;
  const above = since ?? height;
  const found = ledger.blocks.slice(above + 1, height + 1).flatMap(({ transactions }) => transactions);
  const own = found.filter(
    ({ transaction }) => transaction.to === address || signersOf(transaction).includes(address),
  );
  const txIds = own.map(({ transaction }) => transaction.txId).reverse();
  const expiresBy = ledger.expiry === undefined ? {} : { expiresBy: height + ledger.expiry };
  return { txIds, head: height, completeTo: height, ...expiresBy };
}

/** Returns the signers of a transaction in a block; null if no transaction has this id. */
export function signersIn(txId: string, { ledger, height }: View): string[] | null {
  const mined = ledger.transaction(txId);
  return mined === undefined || mined.height > height ? null : signersOf(mined.transaction);
}

/** Finds a transaction by its id. `PENDING` until it is final. */
export function lookUp(txId: string, view: View): LookupResult | null {
  const { ledger } = view;
  const mined = ledger.transaction(txId);
  if (mined === undefined || mined.height > view.height) {
    const waits = mined !== undefined || ledger.pool.some((waiting) => waiting.txId === txId);
    return waits ? { txId, status: 'PENDING' } : null;
  }
  const { transaction, execution, height, blockHash } = mined;
  const { from, sequence, to, value, data } = transaction;
  const problem = problemOf(mined);
  const final = height <= finalHeight(view);
  return {
    txId,
    height,
    blockHash,
    status: final ? (problem === undefined ? 'SUCCEEDED' : 'FAILED') : 'PENDING',
    ...(execution.contractAddress === undefined ? {} : { contractAddress: execution.contractAddress }),
    ...(final && problem !== undefined ? { problem } : {}),
    ...(final ? { fee: view.stated(execution.fee) } : {}),
    receipt: { status: execution.status, fee: execution.fee.toString(), height, blockHash },
    sender: from,
    signers: signersOf(transaction),
    ...(sequence === null ? {} : { sequence }),
    effect: { to, value: value.toString(), data },
  };
}
