import type { AdapterProblem } from '@ledger-ops/adapter';
import type { ErrorRegistry } from '../abi/error-registry.ts';
import type { LedgerView } from '../blocks/ledger-view.ts';
import { classify, problemOf } from '../rpc/errors.ts';
import type { RpcAnswer } from '../rpc/node.ts';
import { highestPrice } from '../transactions/fee.ts';
import type { SignedTransactionFields } from '../transactions/signed-transaction.ts';
import { bytesOf, mostBytes } from '../transactions/size.ts';
import { amountOf } from './amount.ts';
import { intrinsicGas, mostInitCode, strictestRules } from './intrinsic-gas.ts';

/**
 * A rule that excludes a transaction from every block, regardless of its fee. Some chains have other rules.
 */
export interface BrokenRule {
  problem: AdapterProblem;
  /**
   * How to detect that the chain has this rule: a node refuses to simulate the transaction (`play`), or no
   * node has the transaction in its mempool (`absence`).
   */
  shownBy: 'play' | 'absence';
}

/** The sender's account, as a node reports it. */
export interface Account {
  address: string;
  balance: bigint;
  /** Number of the account's transactions in blocks. */
  count: bigint;
}

const phase = 'confirm';

/**
 * Returns the problem of a nonce that was used by this transaction or by another one of the account.
 * `confirm` determines which.
 */
export function usedNonce({ nonce }: SignedTransactionFields, { address, count }: Account) {
  if (count <= nonce) return undefined;
  const detail = `A transaction of ${address} with nonce ${nonce} has been mined (the next nonce is ${count}), but it is not confirmed yet whether it is this one.`;
  return refused(detail, { nonce: nonce.toString(), next: count.toString() });
}

/**
 * Returns the first rule that a transaction breaks, judging by its fields.
 *
 * @param mostGas maximum gas of one transaction, if the chain has such a limit
 */
export function brokenRule(
  fields: SignedTransactionFields,
  mostGas: bigint | undefined,
): BrokenRule | undefined {
  const { gas, to, data, accessList, size } = fields;
  const creation = to === null;
  const needed = intrinsicGas({ creation, data, accessList }, strictestRules);
  if (gas < needed) {
    const detail = `The transaction's gasLimit of ${gas} is below the minimum of ${needed} for a transaction with this data, so it cannot be mined.`;
    const data = { gas: `${gas}`, needed: `${needed}` };
    return { problem: { code: 'out-of-gas', phase, detail, data }, shownBy: 'play' };
  }
  if (mostGas !== undefined && gas > mostGas) {
    const detail = `The transaction's gasLimit of ${gas} is above the limit of ${mostGas} per transaction of this chain (EIP-7825), so it cannot be mined.`;
    return { problem: refused(detail, { gas: `${gas}`, most: `${mostGas}` }), shownBy: 'absence' };
  }
  const bytes = bytesOf(data);
  if (creation && bytes > mostInitCode) {
    const detail = `The transaction's creation code of ${bytes} bytes is longer than the limit of ${mostInitCode} on this chain.`;
    return { problem: refused(detail, { bytes, most: mostInitCode }), shownBy: 'play' };
  }
  if (size <= mostBytes) return undefined;
  const detail = `The transaction is ${size} bytes long, but the mempools of nodes accept at most ${mostBytes} bytes.`;
  return { problem: refused(detail, { bytes: size, most: mostBytes }), shownBy: 'absence' };
}

/** Returns the first temporary obstacle: the block gas limit, the balance, the base fee. */
export function passingObstacle(
  { gas, value, fee }: SignedTransactionFields,
  { head }: LedgerView,
  { address, balance }: Account,
): AdapterProblem | undefined {
  if (gas > head.gasLimit) {
    const detail = `The transaction's gas of ${gas} is above the current block gas limit of ${head.gasLimit}, so it cannot be mined until the limit rises.`;
    return refused(detail, { gas: `${gas}`, blockGasLimit: `${head.gasLimit}` });
  }
  const price = highestPrice(fee);
  const needed = value + gas * price;
  if (balance < needed) {
    const missing = needed - balance;
    const detail = `${address} holds ${amountOf(balance)}, but the transaction can cost ${amountOf(needed)}: ${amountOf(missing)} are missing. Fund the wallet.`;
    const data = { balance: `${balance}`, needed: `${needed}`, missing: `${missing}` };
    return { code: 'insufficient-funds', phase, detail, data };
  }
  const { baseFee } = head;
  if (baseFee === undefined || price >= baseFee) return undefined;
  const detail = `The transaction offers at most ${price} wei per gas, but the base fee is ${baseFee}. It waits until the base fee falls or a replacement offers more.`;
  return refused(detail, { offered: `${price}`, baseFee: `${baseFee}` });
}

/** Returns the obstacle that a node reports when it simulates the transaction now. */
export function playedObstacle(
  answer: RpcAnswer | undefined,
  registry: ErrorRegistry,
): AdapterProblem | undefined {
  if (answer === undefined || answer.ok) return undefined;
  if (saysNothing(answer)) return undefined;
  const problem = problemOf(answer.error, phase, registry);
  if (classify(answer.error) !== 'reverted') return problem;
  return {
    ...problem,
    detail: `The transaction would fail if it were executed now, but it can still be mined. ${problem.detail}`,
  };
}

/** Whether a node accepted a transaction for simulation, even if it reverted. */
export function wasPlayed(answer: RpcAnswer | undefined): boolean {
  return answer !== undefined && (answer.ok || classify(answer.error) === 'reverted');
}

/** Whether a node could not simulate the transaction now, for a reason unrelated to the transaction. */
export function saysNothing(answer: RpcAnswer | undefined): boolean {
  if (answer === undefined) return true;
  return !answer.ok && ['behind', 'busy', 'unknown-method'].includes(classify(answer.error));
}

/** Whether a node refuses to simulate the transaction because of its form, not because of the current state. */
export function refusesToPlay(answer: RpcAnswer | undefined): boolean {
  if (answer === undefined || answer.ok || saysNothing(answer)) return false;
  return !['reverted', 'insufficient-funds'].includes(classify(answer.error));
}

function refused(detail: string, data: Record<string, string | number>): AdapterProblem {
  return { code: 'refused', phase, detail, data };
}
