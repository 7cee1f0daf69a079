import type { AdapterHost, Phase } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import type { EthereumProperties } from '../properties.ts';
import { type Block, latestBlock, readBlock } from '../rpc/block.ts';
import { quoteAnswer } from '../rpc/errors.ts';
import type { RpcNode } from '../rpc/node.ts';
import type { Nodes } from '../rpc/nodes.ts';
import type { Timing } from '../timing.ts';
import type { FeeFloor } from './fee-floor.ts';
import { SuggestedFees } from './suggested-fees.ts';
import { TransferGas, type TransferGasMode } from './transfer-gas.ts';

/** The newest known block, and the current fees. */
export interface LedgerView {
  chainId: bigint;
  head: Block;
  mode: 'eip1559' | 'legacy';
  /** Wei per gas that nodes suggest on top of the base fee. */
  priorityFee: bigint;
  /** Wei per gas that nodes suggest for a legacy transaction. */
  gasPrice: bigint;
  /**
   * The lowest tip that mempools accepted (on chains without a base fee, the lowest price); 0 if it is
   * unknown.
   */
  least: bigint;
  /** How the gas of a transfer is determined. */
  transferGas: TransferGasMode;
}

/** Caches one view, which is read once per head. */
export interface LedgerViews {
  /** Returns a view of the newest block. Queries a node if the cached view is older. */
  current(phase: Phase): LedgerView | Promise<LedgerView>;
  /** Reads the head and fees now. */
  refresh(phase: Phase): Promise<LedgerView>;
  /** Like `refresh`, but queries this node. */
  refreshOn(node: RpcNode): Promise<LedgerView>;
  last(): LedgerView | undefined;
  /** Returns how the gas of a transfer is determined; undefined until a node has been queried. */
  transferGas(): TransferGasMode | undefined;
}

export function createLedgerViews(
  nodes: Nodes,
  properties: EthereumProperties,
  host: AdapterHost,
  floor: Pick<FeeFloor, 'least'>,
  { freshFor, transferGas: checkAgainMs }: Pick<Timing, 'freshFor' | 'transferGas'>,
): LedgerViews {
  let view: LedgerView | undefined;
  let readAt = 0;
  let reading: Promise<LedgerView> | undefined;
  let mode = properties.feeMode;
  const suggestions = new SuggestedFees();
  const transferGas = new TransferGas(properties.transferGas, host.now, checkAgainMs);
  nodes.onReset(() => {
    view = undefined;
    mode = properties.feeMode;
    transferGas.reset();
  });

  const leastOf = ({ mode, head }: Pick<LedgerView, 'mode' | 'head'>) =>
    floor.least(mode === 'legacy' ? 0n : (head.baseFee ?? 0n));

  async function refreshOn(node: RpcNode): Promise<LedgerView> {
    const legacy = mode === 'legacy';
    const [block, fee, ...estimates] = await node.batch([
      latestBlock,
      suggestions.callFor(node, mode ?? 'eip1559'),
      ...transferGas.calls(),
    ]);
    if (block?.ok !== true)
      throw new NodeError(
        'unavailable',
        `Node ${node.nodeId} did not report its newest block.${quoteAnswer(block)}`,
      );
    const head = readBlock(block.result);
    const gasOfTransfers = transferGas.read(node, estimates);
    if (mode === undefined) {
      mode = head.baseFee === undefined ? 'legacy' : 'eip1559';
      if (mode === 'legacy') return refreshOn(node);
    }
    const identity = nodes.lastIdentity();
    if (identity === undefined)
      throw new NodeError('unavailable', `Node ${node.nodeId} has not been verified yet.`);
    const base = head.baseFee ?? 0n;
    const suggested = legacy ? suggestions.price(node, fee) : await suggestions.tip(node, base, fee);
    view = {
      chainId: identity.chainId,
      head,
      mode,
      priorityFee: legacy ? 0n : suggested,
      gasPrice: legacy ? suggested : (base * 5n) / 4n + suggested,
      least: leastOf({ mode, head }),
      transferGas: gasOfTransfers,
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
      const isFresh = view !== undefined && host.now() - readAt < freshFor && view.least === leastOf(view);
      return isFresh && view !== undefined ? view : refresh(phase);
    },
    refresh,
    refreshOn,
    last: () => view,
    transferGas: () => transferGas.mode,
  };
}
