import { adapterError, type SignedTransaction } from '@ledger-ops/adapter';
import { keccak256 } from '@ledger-ops/base/keccak';
import type { AccessList } from './access-list.ts';
import { type Fee, highestPrice } from './fee.ts';
import { bytesOfHex, rlpBytes, rlpHex, rlpList, rlpQuantity } from './rlp.ts';

/** All fields of a transaction except its signature. */
export interface TransactionFields {
  chainId: bigint;
  nonce: bigint;
  to: string | null;
  value: bigint;
  /** `0x` hex. */
  data: string;
  gas: bigint;
  fee: Fee;
  accessList: AccessList | undefined;
}

/** An unsigned transaction, waiting for its signature. Plain data. */
export interface UnsignedTransaction {
  /** EIP-2718 type: 0 legacy, 1 with an access list, 2 EIP-1559. */
  type: 0 | 1 | 2;
  chainId: bigint;
  /** The encoded fields without the enclosing list, as hex text without `0x`. */
  fields: string;
  cost: bigint;
}

/** The byte before the list of fields (EIP-2718), by type. */
const typeBytes = ['', '01', '02'] as const;

/** Encodes the fields; a legacy fee with an access list makes a transaction of type 1. */
export function encodeUnsigned(transaction: TransactionFields): UnsignedTransaction {
  const { chainId, nonce, to, value, data, gas, fee, accessList } = transaction;
  const type = fee.type === 'eip1559' ? 2 : accessList === undefined ? 0 : 1;
  const price =
    fee.type === 'legacy'
      ? rlpQuantity(fee.gasPrice)
      : rlpQuantity(fee.maxPriorityFeePerGas) + rlpQuantity(fee.maxFeePerGas);
  const common =
    rlpQuantity(nonce) + price + rlpQuantity(gas) + rlpHex(to ?? '0x') + rlpQuantity(value) + rlpHex(data);
  const fields = type === 0 ? common : rlpQuantity(chainId) + common + encodeAccessList(accessList ?? []);
  return { type, chainId, fields, cost: value + gas * highestPrice(fee) };
}

function encodeAccessList(accessList: AccessList): string {
  return rlpList(
    accessList.map(({ address, storageKeys }) =>
      rlpList([rlpHex(address), rlpList(storageKeys.map(rlpHex))]),
    ),
  );
}

/** Returns the digest to sign; for legacy transactions it includes the chain id (EIP-155). */
export function digestOf({ type, chainId, fields }: UnsignedTransaction): Uint8Array {
  const items = type === 0 ? [fields, rlpQuantity(chainId), rlpQuantity(0n), rlpQuantity(0n)] : [fields];
  return keccak256(bytesOfHex(typeBytes[type] + rlpList(items)));
}

/** Half of the curve's order: the highest canonical s (EIP-2). */
const halfOrder = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';

/**
 * Adds a signature (r, s, recovery bit: 65 bytes) to a transaction.
 *
 * @throws AdapterError `invalid-argument` if the signature is not canonical
 */
export function assemble(unsigned: UnsignedTransaction, signature: Uint8Array): SignedTransaction {
  const { type, chainId, fields, cost } = unsigned;
  const parity = signature[64];
  const hex = Buffer.from(signature.buffer, signature.byteOffset, signature.byteLength).toString('hex');
  const [r, s] = [withoutZeros(hex.slice(0, 64)), withoutZeros(hex.slice(64, 128))];
  const isHigh = hex.slice(64, 128) > halfOrder;
  if (signature.length !== 65 || (parity !== 0 && parity !== 1) || r === '' || s === '' || isHigh) {
    const detail =
      'A signature must have 65 bytes: r, s in the lower half of the curve order, and a recovery bit of 0 or 1.';
    throw adapterError('invalid-argument', detail, {
      phase: 'prepare',
      issues: [
        { pointer: '/signatures/0', detail: 'is not a canonical secp256k1 signature with its recovery bit' },
      ],
    });
  }
  const v = type === 0 ? 35n + chainId * 2n + BigInt(parity) : BigInt(parity);
  const list = rlpList([fields, rlpQuantity(v), rlpBytes(r), rlpBytes(s)]);
  const bytes = bytesOfHex(typeBytes[type] + list);
  return { txId: `0x${Buffer.from(keccak256(bytes)).toString('hex')}`, bytes, cost };
}

/** Removes leading zero bytes from hex text. */
function withoutZeros(hex: string): string {
  let start = 0;
  while (hex.startsWith('00', start)) start += 2;
  return start === 0 ? hex : hex.slice(start);
}

/** Reads an unsigned transaction that the host returned. @throws AdapterError `invalid-argument` */
export function readUnsigned(state: unknown): UnsignedTransaction {
  if (isUnsigned(state)) return state;
  throw adapterError('invalid-argument', 'The state was not created by this adapter.', {
    phase: 'prepare',
    issues: [{ pointer: '/state', detail: 'is not a state of this adapter' }],
  });
}

function isUnsigned(state: unknown): state is UnsignedTransaction {
  if (typeof state !== 'object' || state === null) return false;
  const { type, chainId, fields, cost } = state as Partial<Record<keyof UnsignedTransaction, unknown>>;
  const isType = type === 0 || type === 1 || type === 2;
  return isType && typeof chainId === 'bigint' && typeof fields === 'string' && typeof cost === 'bigint';
}
