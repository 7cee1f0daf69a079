import type { AdapterHost, Phase } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import type { EthereumProperties } from '../properties.ts';
import { type Block, latestBlock, readBlock } from '../rpc/block.ts';
import type { RpcNode } from '../rpc/node.ts';
import type { Nodes } from '../rpc/nodes.ts';
import { readQuantity } from '../rpc/quantity.ts';
import type { Timing } from '../timing.ts';

/** The newest block that was seen, and what a transaction has to pay after it. */
export interface LedgerView {
  chainId: bigint;
  head: Block;
  mode: 'eip1559' | 'legacy';
  /** Wei per gas that nodes suggest on top of the base fee. */
  priorityFee: bigint;
  /** Wei per gas that nodes suggest for a legacy transaction. */
  gasPrice: bigint;
}

/** Keeps one view, read once per head. */
export interface LedgerViews {
  /** A view not older than the blocks of the chain make it; asks when there is none. */
  current(phase: Phase): LedgerView | Promise<LedgerView>;
  /** Reads head and fees now. */
  refresh(phase: Phase): Promise<LedgerView>;
  /** As `refresh`, on this node. */
  refreshOn(node: RpcNode): Promise<LedgerView>;
  last(): LedgerView | undefined;
}

export function createLedgerViews(
  nodes: Nodes,
  properties: EthereumProperties,
  host: AdapterHost,
  { freshFor }: Pick<Timing, 'freshFor'>,
): LedgerViews {
  let view: LedgerView | undefined;
  let readAt = 0;
  let reading: Promise<LedgerView> | undefined;
  let mode = properties.feeMode;
  nodes.onReset(() => {
    view = undefined;
    mode = properties.feeMode;
  });

  async function refreshOn(node: RpcNode): Promise<LedgerView> {
    const legacy = mode === 'legacy';
    const [block, fee] = await node.batch([
      latestBlock,
      { method: legacy ? 'eth_gasPrice' : 'eth_maxPriorityFeePerGas', params: [] },
    ]);
    if (block?.ok !== true) throw new NodeError('unavailable', `Node ${node.nodeId} gave no newest block.`);
    const head = readBlock(block.result);
    if (mode === undefined) {
      mode = head.baseFee === undefined ? 'legacy' : 'eip1559';
      if (mode === 'legacy') return refreshOn(node);
    }
    const identity = nodes.lastIdentity();
    if (identity === undefined) throw new NodeError('unavailable', `Node ${node.nodeId} is not verified.`);
    // A node may not know the method: one gwei is what most of them suggest at least.
    const suggested = fee?.ok === true ? readQuantity(fee.result, 'a fee') : 1_000_000_000n;
    if (legacy && fee?.ok !== true) {
      throw new NodeError('unavailable', `Node ${node.nodeId} says no gas price.`);
    }
    const base = head.baseFee ?? 0n;
    view = {
      chainId: identity.chainId,
      head,
      mode,
      priorityFee: legacy ? 0n : suggested,
      gasPrice: legacy ? suggested : (base * 5n) / 4n + suggested,
    };
    readAt = host.now();
    return view;
  }

  function refresh(phase: Phase): Promise<LedgerView> {
    reading ??= nodes.onNode(phase, refreshOn).finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return {
    current(phase) {
      return view !== undefined && host.now() - readAt < freshFor ? view : refresh(phase);
    },
    refresh,
    refreshOn,
    last: () => view,
  };
}
