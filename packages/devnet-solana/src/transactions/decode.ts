import { createPublicKey, verify } from 'node:crypto';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import { addressOf, type Base58, bytesOf } from '../base58.ts';

export interface Instruction {
  programIndex: number;
  accounts: readonly number[];
  data: Uint8Array;
}

interface TableLookup {
  table: Base58;
  writable: readonly number[];
  readonly: readonly number[];
}

/** A message as encoded. Accounts of lookup tables are not resolved. */
export interface DecodedMessage {
  version: 'legacy' | 0;
  header: { signers: number; readonlySigners: number; readonlyOthers: number };
  accounts: readonly Base58[];
  recentBlockhash: Base58;
  instructions: readonly Instruction[];
  lookups: readonly TableLookup[];
}

export interface DecodedTransaction extends DecodedMessage {
  wire: Uint8Array;
  message: Uint8Array;
  /** A missing signature is 64 zero bytes. */
  signatures: readonly Uint8Array[];
  /** The first signature, which identifies the transaction. */
  id: Base58;
}

/** The packet size limit, which every node enforces. */
export const maxTransactionBytes = 1232;

const transactions = getTransactionDecoder();
const messages = getCompiledTransactionMessageDecoder();

/** @throws if the bytes are not a legacy or version 0 transaction */
export function decodeTransaction(wire: Uint8Array): DecodedTransaction {
  const { messageBytes, signatures } = transactions.decode(wire);
  const message = new Uint8Array(messageBytes);
  const decoded = decodeMessage(message);
  const all = decoded.accounts
    .slice(0, decoded.header.signers)
    // The decoder returns signatures by address.
    .map((address) => Object.entries(signatures).find(([signer]) => signer === address)?.[1])
    .map((signature) => (signature ? new Uint8Array(signature) : new Uint8Array(64)));
  return { ...decoded, wire, message, signatures: all, id: addressOf(all[0] ?? new Uint8Array(64)) };
}

/** @throws if the bytes are not a legacy or version 0 message */
export function decodeMessage(bytes: Uint8Array): DecodedMessage {
  const message = messages.decode(bytes);
  if (message.version === 1) throw new Error('transactions of version 1 are not supported');
  const { header } = message;
  if (header.numSignerAccounts === 0) throw new Error('it has no signer');
  return {
    version: message.version,
    header: {
      signers: header.numSignerAccounts,
      readonlySigners: header.numReadonlySignerAccounts,
      readonlyOthers: header.numReadonlyNonSignerAccounts,
    },
    accounts: message.staticAccounts,
    recentBlockhash: message.lifetimeToken,
    instructions: message.instructions.map((one) => ({
      programIndex: one.programAddressIndex,
      accounts: one.accountIndices ?? [],
      data: new Uint8Array(one.data ?? []),
    })),
    lookups: ('addressTableLookups' in message ? (message.addressTableLookups ?? []) : []).map((lookup) => ({
      table: lookup.lookupTableAddress,
      writable: lookup.writableIndexes,
      readonly: lookup.readonlyIndexes,
    })),
  };
}

/** DER prefix of an Ed25519 public key. */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether every signer has a valid signature. */
export function signaturesHold(transaction: DecodedTransaction): boolean {
  return transaction.signatures.every((signature, index) => {
    const key = bytesOf(transaction.accounts[index] ?? '');
    if (key.length !== 32) return false;
    const publicKey = createPublicKey({ key: Buffer.concat([derPrefix, key]), format: 'der', type: 'spki' });
    return verify(null, transaction.message, publicKey, signature);
  });
}

/** Whether the message marks one of its own accounts as writable. */
export function isWritable({ header, accounts }: DecodedMessage, index: number): boolean {
  return index < header.signers
    ? index < header.signers - header.readonlySigners
    : index < accounts.length - header.readonlyOthers;
}
