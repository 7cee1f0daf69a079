import type { RpcCall } from './node.ts';
import { readHash, readNumber, readObject, readQuantity } from './quantity.ts';

/** The parts of a block that the adapter uses. */
export interface Block {
  height: number;
  hash: string;
  parentHash: string;
  /** Unix time in seconds. */
  timestamp: number;
  gasLimit: bigint;
  /** Undefined on chains without EIP-1559. */
  baseFee: bigint | undefined;
  /** Transaction ids in block order; undefined in a header. */
  transactions: string[] | undefined;
  /** The newest fork that the header fields prove to be active. */
  fork?: Fork | undefined;
}

/** Ethereum forks that header fields reveal. */
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
    transactions: Array.isArray(transactions) ? transactions.flatMap(readTransactionId) : undefined,
    fork: forkOf(block),
  };
}

function forkOf({ withdrawalsRoot, requestsHash }: Readonly<Record<string, unknown>>): Fork | undefined {
  if (typeof requestsHash === 'string') return 'prague';
  return typeof withdrawalsRoot === 'string' ? 'shanghai' : undefined;
}

/**
 * Hash and parent of a block. Does not require other members: the first blocks of some chains have no gas limit.
 * @throws NodeError
 */
export function readBlockLinks(value: unknown): Pick<Block, 'hash' | 'parentHash'> {
  const { hash, parentHash } = readObject(value, 'a block');
  return { hash: readHash(hash, "a block's hash"), parentHash: readHash(parentHash, "a block's parent") };
}

/** Like `readBlock`; null if the node has no such block. */
export function readBlockOrNull(value: unknown): Block | null {
  if (value === null) return null;
  const block = readObject(value, 'a block');
  // The first blocks of Celo have no gas limit; only that of the newest block is used.
  return readBlock({ ...block, gasLimit: block.gasLimit ?? '0x0' });
}

/**
 * Reads a transaction id, also if the node returns whole transactions. Other items cannot be our
 * transactions.
 */
function readTransactionId(value: unknown): string[] {
  const id: unknown = typeof value === 'object' && value !== null && 'hash' in value ? value.hash : value;
  return typeof id === 'string' ? [id] : [];
}

export const latestBlock: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] };

/** Returns the call for a block by height, with its transaction ids. */
export function blockAt(height: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [`0x${height.toString(16)}`, false] };
}
