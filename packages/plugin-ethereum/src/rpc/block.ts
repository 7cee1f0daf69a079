import type { RpcCall } from './node.ts';
import { malformed, readHash, readNumber, readObject, readQuantity } from './quantity.ts';

/** A block, as far as it is read here. */
export interface Block {
  height: number;
  hash: string;
  parentHash: string;
  /** Seconds. */
  timestamp: number;
  gasLimit: bigint;
  /** Absent on chains without EIP-1559. */
  baseFee: bigint | undefined;
  /** Ids in their order; absent in a header. */
  transactions: string[] | undefined;
  /** The newest rules that the header shows to be in force. */
  fork?: Fork | undefined;
}

/** Rules of Ethereum that fields of a header show. */
export type Fork = 'shanghai' | 'prague';

/** @throws NodeError */
export function readBlock(value: unknown): Block {
  const block = readObject(value, 'a block');
  const { transactions } = block;
  return {
    height: readNumber(block.number, "a block's number"),
    hash: readHash(block.hash, "a block's hash"),
    parentHash: readHash(block.parentHash, "a block's parent"),
    timestamp: readNumber(block.timestamp, "a block's time"),
    gasLimit: readQuantity(block.gasLimit, "a block's gas limit"),
    baseFee:
      block.baseFeePerGas === undefined || block.baseFeePerGas === null
        ? undefined
        : readQuantity(block.baseFeePerGas, "a block's base fee"),
    transactions: Array.isArray(transactions) ? transactions.map(readTransactionId) : undefined,
    fork: forkOf(block),
  };
}

function forkOf({ withdrawalsRoot, requestsHash }: Readonly<Record<string, unknown>>): Fork | undefined {
  if (typeof requestsHash === 'string') return 'prague';
  return typeof withdrawalsRoot === 'string' ? 'shanghai' : undefined;
}

/** As `readBlock`; null where the node has no such block. */
export function readBlockOrNull(value: unknown): Block | null {
  return value === null ? null : readBlock(value);
}

function readTransactionId(value: unknown): string {
  if (typeof value !== 'string') throw malformed("a block's transactions");
  return value;
}

export const latestBlock: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] };

/** A block by its height, with the ids of its transactions. */
export function blockAt(height: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [`0x${height.toString(16)}`, false] };
}
