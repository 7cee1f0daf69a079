import type { AdapterProblem, Outcome, Phase } from '@ledger-ops/adapter';
import { getAddress } from 'ethers';
import type { Block } from '../rpc/block.ts';
import type { RpcCall } from '../rpc/node.ts';
import { malformed, readHash, readNumber, readObject, readQuantity } from '../rpc/quantity.ts';

/** A receipt, as far as it is read here. */
export interface Receipt {
  txId: string;
  height: number;
  blockHash: string;
  /** Of its block, in ms; absent where only the receipt was read. */
  blockTime?: number;
  succeeded: boolean;
  gasUsed: bigint;
  /** Paid, in wei; undefined where the node does not say the price. */
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
  const price = optionalQuantity(receipt.effectiveGasPrice);
  // Rollups charge for the data on the chain below as well.
  const below = optionalQuantity(receipt.l1Fee) ?? 0n;
  return {
    txId: readHash(receipt.transactionHash, "a receipt's transaction"),
    height: readNumber(receipt.blockNumber, "a receipt's block"),
    blockHash: readHash(receipt.blockHash, "a receipt's block hash"),
    succeeded: readQuantity(receipt.status, "a receipt's status") === 1n,
    gasUsed,
    fee: price === undefined ? undefined : gasUsed * price + below,
    contractAddress: readContract(receipt.contractAddress),
  };
}

function optionalQuantity(value: unknown): bigint | undefined {
  return value === undefined || value === null ? undefined : readQuantity(value, "a receipt's fee");
}

function readContract(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value))
    throw malformed("a receipt's contract");
  return getAddress(value.toLowerCase());
}

/** A receipt of a block that was read. */
export function receiptIn(receipt: Receipt, { timestamp }: Pick<Block, 'timestamp'>): Receipt {
  return { ...receipt, blockTime: timestamp * 1_000 };
}

/** The outcome that a receipt at depth means. */
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

/** The problem of a failed receipt of which nothing more can be found out. */
export function plainFailure(txId: string, phase: Phase): AdapterProblem {
  return {
    code: 'reverted',
    phase,
    txId,
    detail: 'The transaction failed in its block; the node gave no reason.',
  };
}
