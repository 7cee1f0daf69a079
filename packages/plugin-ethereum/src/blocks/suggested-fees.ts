import { NodeError } from '@ledger-ops/adapter/outbound';
import { classify, quoteAnswer } from '../rpc/errors.ts';
import type { RpcAnswer, RpcCall, RpcNode } from '../rpc/node.ts';
import { isObject, isQuantity, readQuantity } from '../rpc/quantity.ts';

/**
 * The assumed tip if the chain has a base fee and the node suggests none. Most nodes suggest at least this
 * tip.
 */
const usualTip = 1_000_000_000n;

const askTip: RpcCall = { method: 'eth_maxPriorityFeePerGas', params: [] };
const askPrice: RpcCall = { method: 'eth_gasPrice', params: [] };
/** The median tip of each of the newest blocks. */
const askHistory: RpcCall = { method: 'eth_feeHistory', params: ['0x5', 'latest', [50]] };

/** Reads the fees that nodes suggest, in wei per gas. Not every node has each method. */
export class SuggestedFees {
  /** Ids of nodes without `eth_maxPriorityFeePerGas`. */
  readonly #withoutTip = new Set<string>();

  /** Returns the call to add to the batch that reads the newest block. */
  callFor({ nodeId }: RpcNode, mode: 'eip1559' | 'legacy'): RpcCall {
    return mode === 'legacy' || this.#withoutTip.has(nodeId) ? askPrice : askTip;
  }

  /** @throws NodeError if the node returns no gas price */
  price({ nodeId }: RpcNode, answer: RpcAnswer | undefined): bigint {
    if (answer?.ok === true) return readQuantity(answer.result, 'a fee');
    throw new NodeError('unavailable', `Node ${nodeId} reports no gas price.${quoteAnswer(answer)}`);
  }

  /**
   * Returns the tip for a chain with this base fee. If the node suggests no tip, returns the node's gas price
   * minus the base fee, which is zero on free-gas chains. If the node has no gas price either, returns the
   * median tip of the newest blocks.
   *
   * @param answer to `callFor`
   * @throws NodeError if the node is too busy to answer now
   */
  async tip(node: RpcNode, baseFee: bigint, answer: RpcAnswer | undefined): Promise<bigint> {
    let price = answer;
    if (!this.#withoutTip.has(node.nodeId)) {
      const tip = feeOf(node, answer);
      if (tip !== undefined) return tip;
      this.#withoutTip.add(node.nodeId);
      [price] = await node.batch([askPrice]);
    }
    const whole = feeOf(node, price);
    if (whole !== undefined) return whole > baseFee ? whole - baseFee : 0n;
    const [history] = await node.batch([askHistory]);
    requireAnswer(node, history);
    const paid = history?.ok === true ? paidTip(history.result) : undefined;
    return paid ?? (baseFee === 0n ? 0n : usualTip);
  }
}

/** Returns the fee. Undefined if the node lacks the called method or returns something that is not a fee. */
function feeOf(node: RpcNode, answer: RpcAnswer | undefined): bigint | undefined {
  if (answer?.ok === true) return isQuantity(answer.result) ? BigInt(answer.result) : undefined;
  requireAnswer(node, answer);
  return undefined;
}

/** @throws NodeError if the node was too busy to answer: it may suggest a fee next time */
function requireAnswer({ nodeId }: RpcNode, answer: RpcAnswer | undefined): void {
  const isBusy = answer === undefined || (!answer.ok && ['busy', 'behind'].includes(classify(answer.error)));
  if (!isBusy) return;
  const detail = `Node ${nodeId} reports no fee at the moment.${quoteAnswer(answer)}`;
  throw new NodeError('unavailable', detail);
}

/**
 * Returns the highest of the median tips; undefined if the history has none. Skips invalid items: some nodes
 * return null for blocks that they no longer have.
 */
function paidTip(history: unknown): bigint | undefined {
  if (!isObject(history) || !Array.isArray(history.reward)) return undefined;
  const tips = history.reward.slice(0, 5).flatMap((block: unknown) => {
    const tip: unknown = Array.isArray(block) ? block[0] : undefined;
    return isQuantity(tip) ? [BigInt(tip)] : [];
  });
  return tips.reduce<bigint | undefined>(
    (one, two) => (one === undefined || two > one ? two : one),
    undefined,
  );
}
