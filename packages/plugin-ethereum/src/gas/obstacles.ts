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

/** A rule that keeps a transaction out of every block, whatever fee and time. A chain may have other rules. */
export interface BrokenRule {
  problem: AdapterProblem;
  /** How the chain shows that it has this rule: a node refuses to play the transaction, or none has it in its pool. */
  shownBy: 'play' | 'absence';
}

/** The account that a transaction is from, as a node shows it. */
export interface Account {
  address: string;
  balance: bigint;
  /** Transactions that are in blocks. */
  count: bigint;
}

const phase = 'confirm';

/** Another transaction of the account stands at its nonce, or it stands in a block itself: confirming says which. */
export function usedNonce({ nonce }: SignedTransactionFields, { address, count }: Account) {
  if (count <= nonce) return undefined;
  const detail = `A transaction of ${address} at nonce ${nonce} is in a block (its next nonce is ${count}); which one it is, is still to be confirmed.`;
  return refused(detail, { nonce: nonce.toString(), next: count.toString() });
}

/**
 * The first rule that a transaction breaks, as far as its fields say it.
 * @param mostGas that one transaction may have, where the chain is known to have such a bound
 */
export function brokenRule(
  fields: SignedTransactionFields,
  mostGas: bigint | undefined,
): BrokenRule | undefined {
  const { gas, to, data, accessList, size } = fields;
  const creation = to === null;
  const needed = intrinsicGas({ creation, data, accessList }, strictestRules);
  if (gas < needed) {
    const detail = `Its gasLimit of ${gas} is below the ${needed} that a transaction with this data needs at least: no block can hold it.`;
    const data = { gas: `${gas}`, needed: `${needed}` };
    return { problem: { code: 'out-of-gas', phase, detail, data }, shownBy: 'play' };
  }
  if (mostGas !== undefined && gas > mostGas) {
    const detail = `Its gasLimit of ${gas} is above the ${mostGas} that one transaction of this chain may have (EIP-7825): no block can hold it.`;
    return { problem: refused(detail, { gas: `${gas}`, most: `${mostGas}` }), shownBy: 'absence' };
  }
  const bytes = bytesOf(data);
  if (creation && bytes > mostInitCode) {
    const detail = `Its creation code of ${bytes} bytes is longer than the ${mostInitCode} that the chain takes.`;
    return { problem: refused(detail, { bytes, most: mostInitCode }), shownBy: 'play' };
  }
  if (size <= mostBytes) return undefined;
  const detail = `It is ${size} bytes long; nodes take transactions of at most ${mostBytes} into their pools.`;
  return { problem: refused(detail, { bytes: size, most: mostBytes }), shownBy: 'absence' };
}

/** The first obstacle that may pass: the block's gas limit, the balance, the base fee. */
export function passingObstacle(
  { gas, value, fee }: SignedTransactionFields,
  { head }: LedgerView,
  { address, balance }: Account,
): AdapterProblem | undefined {
  if (gas > head.gasLimit) {
    const detail = `Its gas of ${gas} is above the gas limit of a block, ${head.gasLimit} now: it fits into none until that rises.`;
    return refused(detail, { gas: `${gas}`, blockGasLimit: `${head.gasLimit}` });
  }
  const price = highestPrice(fee);
  const needed = value + gas * price;
  if (balance < needed) {
    const missing = needed - balance;
    const detail = `${address} holds ${amountOf(balance)}, and the transaction can take ${amountOf(needed)}: ${amountOf(missing)} are missing.`;
    const data = { balance: `${balance}`, needed: `${needed}`, missing: `${missing}` };
    return { code: 'insufficient-funds', phase, detail, data };
  }
  const { baseFee } = head;
  if (baseFee === undefined || price >= baseFee) return undefined;
  const detail = `It offers ${price} wei per gas at most, and the base fee is ${baseFee}: it waits until the fee falls, or is replaced at a higher one.`;
  return refused(detail, { offered: `${price}`, baseFee: `${baseFee}` });
}

/** The obstacle that a node finds when it plays the transaction now. */
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
    detail: `If it were executed now it would fail, which keeps it out of no block. ${problem.detail}`,
  };
}

/** Whether a node took up a transaction that it was to play, be it that it reverted. */
export function wasPlayed(answer: RpcAnswer | undefined): boolean {
  return answer !== undefined && (answer.ok || classify(answer.error) === 'reverted');
}

/** Whether a node could not play it now, for a reason that has nothing to do with it. */
export function saysNothing(answer: RpcAnswer | undefined): boolean {
  if (answer === undefined) return true;
  return !answer.ok && ['behind', 'busy', 'unknown-method'].includes(classify(answer.error));
}

/** Whether a node refuses to play the transaction for what it is, not for what there is now. */
export function refusesToPlay(answer: RpcAnswer | undefined): boolean {
  if (answer === undefined || answer.ok || saysNothing(answer)) return false;
  return !['reverted', 'insufficient-funds'].includes(classify(answer.error));
}

function refused(detail: string, data: Record<string, string | number>): AdapterProblem {
  return { code: 'refused', phase, detail, data };
}
