import { Transaction } from 'ethers';
import type { Fee } from './fee.ts';
import type { TransactionFields } from './transaction.ts';

/** The fields of a signed transaction, read from its bytes. */
export interface SignedTransactionFields extends TransactionFields {
  /** The signed digest, `0x` hex: equal fields have equal digests. */
  digest: string;
  /** Length in bytes. */
  size: number;
}

/** Reads a transaction that this adapter signed; undefined for other bytes. */
export function readSigned(bytes: Uint8Array): SignedTransactionFields | undefined {
  try {
    const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
    const read = Transaction.from(`0x${hex}`);
    const { type, chainId, nonce, to, value, data, gasLimit, accessList } = read;
    const fee = feeOf(read);
    if (fee === undefined || (type !== 0 && type !== 1 && type !== 2)) return undefined;
    return {
      chainId,
      nonce: BigInt(nonce),
      to,
      value,
      data,
      gas: gasLimit,
      fee,
      // Type 1 differs from type 0 by its access list, even if empty.
      accessList: type === 1 || (accessList ?? []).length > 0 ? (accessList ?? []) : undefined,
      digest: read.unsignedHash,
      size: bytes.length,
    };
  } catch {
    return undefined;
  }
}

function feeOf({ type, gasPrice, maxFeePerGas, maxPriorityFeePerGas }: Transaction): Fee | undefined {
  if (type !== 2) return gasPrice === null ? undefined : { type: 'legacy', gasPrice };
  if (maxFeePerGas === null || maxPriorityFeePerGas === null) return undefined;
  return { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas };
}
