import { createPublicKey, verify } from 'node:crypto';
import type { Json, JsonObject, KeyType } from '@ledger-ops/adapter';
import { publicKeyOf, sign } from '@ledger-ops/adapter/signing';
import { recover } from 'tiny-secp256k1';
import { addressOfPublicKey, ed25519KeyOf, sha256, toHex } from './address.ts';

/** Gas that every transaction of a memory ledger uses. */
export const gasPerTransaction = 21_000n;

/** Key types that accounts of a memory ledger can have. */
export type MemoryKeyType = Exclude<KeyType, 'p256'>;

/** A transaction before it is signed. */
export interface TransactionBody {
  chainId: bigint;
  from: string;
  /** Null on ledgers without sequences. */
  sequence: bigint | null;
  /** Null deploys a contract. */
  to: string | null;
  value: bigint;
  /** `0x` hex; `0x` if there is none. */
  data: string;
  gas: bigint;
  /** Maximum price per unit of gas. */
  gasPrice: bigint;
  /** Makes transactions without a sequence distinct. */
  salt: string;
  /** The last block that may contain it; null if there is no limit. */
  validUntil: number | null;
  /** Pays the fee and signs. If absent, `from` pays. */
  payer?: string;
  /** Additional accounts that sign. */
  signers?: readonly string[];
}

/** Returns all signers without duplicates, `from` first. */
export function signersOf({ from, payer, signers = [] }: TransactionBody): string[] {
  return [...new Set([from, ...(payer === undefined ? [] : [payer]), ...signers])];
}

/** Returns the maximum that the transaction takes from each account. */
export function costsOf(body: TransactionBody): [address: string, amount: bigint][] {
  const { from, payer = from, value, gas, gasPrice } = body;
  const fee = gas * gasPrice;
  if (payer === from) return [[from, value + fee]];
  return [
    [from, value],
    [payer, fee],
  ];
}

/** A signed transaction with verified signatures. */
export interface MemoryTransaction extends TransactionBody {
  txId: string;
}

/** Returns the body as JSON, with members in a fixed order and quantities as decimal strings. */
export function bodyToJson(body: TransactionBody): JsonObject {
  return {
    chainId: body.chainId.toString(),
    from: body.from,
    sequence: body.sequence?.toString() ?? null,
    to: body.to,
    value: body.value.toString(),
    data: body.data,
    gas: body.gas.toString(),
    gasPrice: body.gasPrice.toString(),
    salt: body.salt,
    ...(body.validUntil === null ? {} : { validUntil: body.validUntil }),
    ...(body.payer === undefined ? {} : { payer: body.payer }),
    ...(body.signers === undefined ? {} : { signers: [...body.signers] }),
  };
}

const quantityOf = (value: Json | undefined): bigint | undefined =>
  typeof value === 'string' && /^(0|[1-9][0-9]*)$/.test(value) ? BigInt(value) : undefined;
const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
const orNull = <Value>(value: Json | undefined, read: (value: Json | undefined) => Value | undefined) =>
  value === null ? null : read(value);

/** Undefined if the JSON is not a transaction body. */
export function bodyFromJson(json: JsonObject): TransactionBody | undefined {
  const chainId = quantityOf(json.chainId);
  const from = textOf(json.from);
  const sequence = orNull(json.sequence, quantityOf);
  const to = orNull(json.to, textOf);
  const value = quantityOf(json.value);
  const data = textOf(json.data);
  const gas = quantityOf(json.gas);
  const gasPrice = quantityOf(json.gasPrice);
  const salt = textOf(json.salt);
  const { validUntil = null, payer, signers } = json;
  if (
    chainId === undefined ||
    from === undefined ||
    sequence === undefined ||
    to === undefined ||
    value === undefined ||
    data === undefined ||
    gas === undefined ||
    gasPrice === undefined ||
    salt === undefined ||
    (validUntil !== null && typeof validUntil !== 'number') ||
    (payer !== undefined && typeof payer !== 'string') ||
    (signers !== undefined && !Array.isArray(signers))
  ) {
    return undefined;
  }
  return {
    ...{ chainId, from, sequence, to, value, data, gas, gasPrice, salt, validUntil },
    ...(payer === undefined ? {} : { payer }),
    ...(signers === undefined ? {} : { signers: signers.map(String) }),
  };
}

/** Returns the digest for the next signing round. It covers the body and all signatures of earlier rounds. */
export function signingDigest(body: TransactionBody, signatures: readonly string[]): Uint8Array {
  return sha256(JSON.stringify(bodyToJson(body)), ...signatures);
}

/** Returns the signed bytes. Deterministic for the same body and signatures. */
export function encodeTransaction(body: TransactionBody, signatures: readonly string[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ body: bodyToJson(body), signatures }));
}

export function transactionId(bytes: Uint8Array): string {
  return toHex(sha256(bytes));
}

function isSignatureOf(address: string, signature: Uint8Array, digest: Uint8Array): boolean {
  const ed25519Key = ed25519KeyOf(address);
  if (ed25519Key !== undefined) {
    return signature.length === 64 && verify(null, digest, ed25519KeyObject(ed25519Key), signature);
  }
  const publicKey = recoverPublicKey(signature, digest);
  return publicKey !== undefined && addressOfPublicKey(publicKey) === address;
}

function ed25519KeyObject(publicKey: Uint8Array) {
  const x = Buffer.from(publicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** Half of the order of secp256k1's base point (SEC 2). A low s is not greater than this. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Returns the compressed public key that created a signature r‖s‖v; undefined if the signature is malformed
 * or does not have a low s.
 */
function recoverPublicKey(signature: Uint8Array, digest: Uint8Array): Uint8Array | undefined {
  const recovery = signature[64];
  if (signature.length !== 65 || (recovery !== 0 && recovery !== 1)) return undefined;
  if (BigInt(toHex(signature.subarray(32, 64))) > halfOrder) return undefined;
  try {
    return recover(digest, signature.subarray(0, 64), recovery, true) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Signs for an account of the ledger. Deterministic. */
export function signDigest(keyType: MemoryKeyType, privateKey: Uint8Array, digest: Uint8Array): Uint8Array {
  return sign(
    keyType,
    privateKey,
    keyType === 'ed25519' ? { curve: keyType, message: digest } : { curve: keyType, digest },
  );
}

export function addressOfPrivateKey(keyType: MemoryKeyType, privateKey: Uint8Array): string {
  return addressOfPublicKey(publicKeyOf(keyType, privateKey));
}

/** Decodes and verifies signed bytes. If they are refused, returns the reason as a string. */
export function decodeTransaction(bytes: Uint8Array, rounds: number): MemoryTransaction | string {
  let body: TransactionBody | undefined;
  let signatures: string[] = [];
  try {
    const parsed: { body?: JsonObject; signatures?: unknown } = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(bytes),
    );
    if (typeof parsed.body === 'object') body = bodyFromJson(parsed.body);
    if (Array.isArray(parsed.signatures)) signatures = parsed.signatures.map(String);
  } catch {
    return 'the bytes are not a transaction';
  }
  if (body === undefined) return 'the bytes are not a transaction';
  if (Buffer.compare(encodeTransaction(body, signatures), bytes) !== 0) return 'the bytes are not canonical';
  const signers = signersOf(body);
  const needed = rounds * signers.length;
  if (signatures.length !== needed)
    return `${needed} signatures are required, but there are ${signatures.length}`;
  for (const [index, signature] of signatures.entries()) {
    const place = index % signers.length;
    const signer = signers[place] ?? body.from;
    const digest = signingDigest(body, signatures.slice(0, index - place));
    if (!isSignatureOf(signer, Buffer.from(signature.slice(2), 'hex'), digest)) {
      return `the signature is not a signature of ${signer} for this transaction`;
    }
  }
  return { ...body, txId: transactionId(bytes) };
}
