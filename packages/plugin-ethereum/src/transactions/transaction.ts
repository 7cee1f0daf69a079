import { adapterError, type SignedTransaction } from '@ledger-ops/adapter';
import { keccak256 } from '@ledger-ops/base/keccak';
import { z } from 'zod';
import type { AccessList } from './access-list.ts';
import { type Fee, highestPrice } from './fee.ts';
import { concat, rlpHex, rlpList, rlpQuantity } from './rlp.ts';

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
  /** The encoded fields, without the enclosing list. */
  fields: Uint8Array;
  cost: bigint;
}

const before = [new Uint8Array(), Uint8Array.of(1), Uint8Array.of(2)] as const;

/** Encodes the fields; a legacy fee with an access list makes a transaction of type 1. */
export function encodeUnsigned(transaction: TransactionFields): UnsignedTransaction {
  const { chainId, nonce, to, value, data, gas, fee, accessList } = transaction;
  const type = fee.type === 'eip1559' ? 2 : accessList === undefined ? 0 : 1;
  const items: Uint8Array[] = type === 0 ? [] : [rlpQuantity(chainId)];
  items.push(rlpQuantity(nonce));
  if (fee.type === 'legacy') items.push(rlpQuantity(fee.gasPrice));
  else items.push(rlpQuantity(fee.maxPriorityFeePerGas), rlpQuantity(fee.maxFeePerGas));
  items.push(rlpQuantity(gas), rlpHex(to ?? '0x'), rlpQuantity(value), rlpHex(data));
  if (type !== 0) items.push(encodeAccessList(accessList ?? []));
  return { type, chainId, fields: concat(items), cost: value + gas * highestPrice(fee) };
}

function encodeAccessList(accessList: AccessList): Uint8Array {
  return rlpList(
    accessList.map(({ address, storageKeys }) =>
      rlpList([rlpHex(address), rlpList(storageKeys.map(rlpHex))]),
    ),
  );
}

/** Returns the digest to sign; for legacy transactions it includes the chain id (EIP-155). */
export function digestOf({ type, chainId, fields }: UnsignedTransaction): Uint8Array {
  const items = type === 0 ? [fields, rlpQuantity(chainId), rlpQuantity(0n), rlpQuantity(0n)] : [fields];
  return keccak256(rlpList(items, before[type]));
}

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Adds a signature (r, s, recovery bit: 65 bytes) to a transaction.
 *
 * @throws AdapterError `invalid-argument` if the signature is not canonical
 */
export function assemble(unsigned: UnsignedTransaction, signature: Uint8Array): SignedTransaction {
  const { type, chainId, fields, cost } = unsigned;
  const parity = signature[64];
  const [r, s] = [quantityAt(signature, 0), quantityAt(signature, 32)];
  if (signature.length !== 65 || (parity !== 0 && parity !== 1) || r === 0n || s === 0n || s > halfOrder) {
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
  const bytes = rlpList([fields, rlpQuantity(v), rlpQuantity(r), rlpQuantity(s)], before[type]);
  return { txId: `0x${Buffer.from(keccak256(bytes)).toString('hex')}`, bytes, cost };
}

function quantityAt(signature: Uint8Array, start: number): bigint {
  if (signature.length !== 65) return 0n;
  return BigInt(`0x${Buffer.from(signature.buffer, signature.byteOffset + start, 32).toString('hex')}`);
}

const stateSchema = z.object({
  type: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  chainId: z.bigint(),
  fields: z.instanceof(Uint8Array),
  cost: z.bigint(),
});

/** Reads an unsigned transaction that the host returned. @throws AdapterError `invalid-argument` */
export function readUnsigned(state: unknown): UnsignedTransaction {
  const parsed = stateSchema.safeParse(state);
  if (parsed.success) return parsed.data;
  throw adapterError('invalid-argument', 'The state was not made by this adapter.', {
    phase: 'prepare',
    issues: [{ pointer: '/state', detail: 'is not a state of this adapter' }],
  });
}
