import { createPublicKey, verify } from 'node:crypto';
import type { JsonObject } from '@ledger-ops/adapter';
import { getAddressEncoder, isAddress } from '@solana/addresses';
import { getBase58Decoder } from '@solana/codecs';
import { getTransactionDecoder } from '@solana/transactions';
import { z } from 'zod';
import { type ProgramErrors, programErrorsSchema } from '../idl/program-errors.ts';

/**
 * Data needed to interpret a transaction's outcome: a deployment step, a durable nonce, or the errors of an
 * IDL.
 */
export type SignedStep = DeploymentStepSigned | NonceStepSigned | CallSigned;

interface DeploymentStepSigned {
  kind: 'create' | 'write' | 'deploy';
  /** The program that is deployed. */
  program: string;
  plan: JsonObject;
}

interface NonceStepSigned {
  kind: 'nonce';
  account: string;
  nonce: string;
  /** Height at which the transaction was signed. */
  since: number;
  plan: JsonObject;
}

interface CallSigned {
  kind: 'call';
  errors: ProgramErrors;
}

/**
 * Signed bytes as the host stores them: a transaction, or the transactions of a step. The id of a step is the
 * id of its last transaction.
 */
export interface SignedBytes {
  txId: string;
  transactions: Uint8Array[];
  step?: SignedStep;
}

/** A transaction starts with its number of signatures, which is never 0. */
const stepMark = 0;

const plan = z.record(z.string(), z.json());

export const stepSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['create', 'write', 'deploy']), program: z.string(), plan }),
  z.strictObject({ kind: z.literal('nonce'), account: z.string(), nonce: z.string(), since: z.int(), plan }),
  z.strictObject({ kind: z.literal('call'), errors: programErrorsSchema }),
]);

const signedSchema = z.strictObject({
  step: stepSchema,
  transactions: z.array(z.base64()).min(1),
});

export function encodeStep(transactions: readonly Uint8Array[], step: SignedStep): Uint8Array {
  const texts = transactions.map((bytes) => Buffer.from(bytes).toString('base64'));
  const json = Buffer.from(JSON.stringify({ ...{ step }, transactions: texts }));
  return Uint8Array.from([stepMark, ...json]);
}

/** Undefined if the bytes are not fully signed transactions. */
export function readSigned(bytes: Uint8Array): SignedBytes | undefined {
  if (bytes[0] !== stepMark) {
    const txId = idOfSigned(bytes);
    return txId === undefined ? undefined : { txId, transactions: [bytes] };
  }
  const parsed = signedSchema.safeParse(readJson(bytes.subarray(1)));
  if (!parsed.success) return undefined;
  const transactions = parsed.data.transactions.map((text) => Uint8Array.from(Buffer.from(text, 'base64')));
  const ids = transactions.map(idOfSigned);
  const txId = ids.at(-1);
  return txId === undefined || ids.includes(undefined)
    ? undefined
    : { txId, transactions, step: parsed.data.step };
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

/**
 * Returns the first signature in base58, which is the transaction's id; undefined if the bytes are not a
 * fully signed transaction.
 */
export function idOfSigned(bytes: Uint8Array): string | undefined {
  try {
    const { messageBytes, signatures } = getTransactionDecoder().decode(bytes);
    const all = Object.entries(signatures);
    if (
      !all.every(
        ([signer, signature]) => signature !== null && isBy(signer, signature, Uint8Array.from(messageBytes)),
      )
    ) {
      return undefined;
    }
    const [first] = Object.values(signatures);
    return first === undefined || first === null ? undefined : getBase58Decoder().decode(first);
  } catch {
    return undefined;
  }
}

function isBy(signer: string, signature: Uint8Array, message: Uint8Array): boolean {
  if (!isAddress(signer)) return false;
  const x = Buffer.from(getAddressEncoder().encode(signer)).toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  return verify(null, message, key, signature);
}
