import type { AdapterProblem, Outcome, Phase } from '@ledger-ops/adapter';
import { getAddress } from 'ethers';
import type { Block } from '../rpc/block.ts';
import type { RpcCall } from '../rpc/node.ts';
import { isQuantity, malformed, readHash, readNumber, readObject, readQuantity } from '../rpc/quantity.ts';

/** The parts of a receipt that the adapter uses. */
export interface Receipt {
  txId: string;
  height: number;
  blockHash: string;
  /** Time of the receipt's block, in milliseconds. Absent if the block was not read. */
  blockTime?: number;
  succeeded: boolean;
  gasUsed: bigint;
  /** Fee paid, in wei; undefined if the node does not return the price. */
  fee: bigint | undefined;
  contractAddress: string | undefined;
}

export function receiptOf(txId: string): RpcCall {
  return { method: 'eth_getTransactionReceipt', params: [txId] };
}

/** @throws NodeError */
export function readReceipt(value: unknown): Receipt {
  const receipt = readObject(value, 'a receipt');
  const gasUsed = readQuantity(receipt.gasUsed, "a receipt's gas");
  return {
    txId: readHash(receipt.transactionHash, "a receipt's transaction"),
    height: readNumber(receipt.blockNumber, "a receipt's block"),
    blockHash: readHash(receipt.blockHash, "a receipt's block hash"),
    succeeded: readStatus(receipt.status),
    gasUsed,
    fee: readFee(gasUsed, receipt),
    contractAddress: readContract(receipt.contractAddress),
  };
}

function readStatus(value: unknown): boolean {
  const status = readQuantity(value, "a receipt's status");
  if (status > 1n) throw malformed("a receipt's status");
  return status === 1n;
}

/**
 * Returns the paid fee. Undefined if the node returns no price or a price in an unknown format: the outcome does not
 * depend on the fee.
 */
function readFee(gasUsed: bigint, receipt: Readonly<Record<string, unknown>>): bigint | undefined {
  const price = optionalQuantity(receipt.effectiveGasPrice);
  // Rollups add the price of data on the base chain.
  const isRollup = receipt.l1Fee !== undefined && receipt.l1Fee !== null;
  const below = isRollup ? optionalQuantity(receipt.l1Fee) : 0n;
  return price === undefined || below === undefined ? undefined : gasUsed * price + below;
}

function optionalQuantity(value: unknown): bigint | undefined {
  return isQuantity(value) ? BigInt(value) : undefined;
}

function readContract(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '' || value === '0x') return undefined;
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value))
    throw malformed("a receipt's contract");
  // Some nodes return the zero address for transactions that create no contract.
  return /^0x0{40}$/.test(value) ? undefined : getAddress(value.toLowerCase());
}

/** Adds the time of the receipt's block to a receipt. */
export function receiptIn(receipt: Receipt, { timestamp }: Pick<Block, 'timestamp'>): Receipt {
  return { ...receipt, blockTime: timestamp * 1_000 };
}

/** Returns the outcome of a receipt at the required depth. */
export function outcomeOf(txId: string, receipt: Receipt, problem: AdapterProblem | undefined): Outcome {
  const { height, blockHash, blockTime, fee, contractAddress } = receipt;
  const common = {
    ...{ txId, height, blockHash },
    ...(blockTime === undefined ? {} : { blockTime }),
    ...(fee === undefined ? {} : { fee }),
  };
  if (problem !== undefined) return { ...common, status: 'failed', problem };
  return { ...common, status: 'succeeded', ...(contractAddress === undefined ? {} : { contractAddress }) };
}

/** Returns the problem of a failed receipt without further details. */
export function plainFailure(txId: string, phase: Phase): AdapterProblem {
  return {
    code: 'reverted',
    phase,
    txId,
    detail: 'The transaction was mined but failed. The node did not report a reason.',
  };
}
