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

/** A message as it stands in the bytes: accounts of lookup tables are not resolved. */
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
  /** All 64 bytes zero where one is missing. */
  signatures: readonly Uint8Array[];
  /** The first signature, by which it is known. */
  id: Base58;
}

/** The size of a packet, by which every node measures. */
export const maxTransactionBytes = 1232;

const transactions = getTransactionDecoder();
const messages = getCompiledTransactionMessageDecoder();

/** @throws when the bytes are no transaction of version 0 or before */
export function decodeTransaction(wire: Uint8Array): DecodedTransaction {
  const { messageBytes, signatures } = transactions.decode(wire);
  const message = new Uint8Array(messageBytes);
  const decoded = decodeMessage(message);
  const all = decoded.accounts
    .slice(0, decoded.header.signers)
    // The decoder names signatures by address.
    .map((address) => Object.entries(signatures).find(([signer]) => signer === address)?.[1])
    .map((signature) => (signature ? new Uint8Array(signature) : new Uint8Array(64)));
  return { ...decoded, wire, message, signatures: all, id: addressOf(all[0] ?? new Uint8Array(64)) };
}

/** @throws when the bytes are no message of version 0 or before */
export function decodeMessage(bytes: Uint8Array): DecodedMessage {
  const message = messages.decode(bytes);
  if (message.version === 1) throw new Error('transactions of version 1 are not supported');
  const { header } = message;
  if (header.numSignerAccounts === 0) throw new Error('no account signs it');
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

/** In front of a public key of Ed25519 in DER. */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether every signer signed the message. */
export function signaturesHold(transaction: DecodedTransaction): boolean {
  return transaction.signatures.every((signature, index) => {
    const key = bytesOf(transaction.accounts[index] ?? '');
    if (key.length !== 32) return false;
    const publicKey = createPublicKey({ key: Buffer.concat([derPrefix, key]), format: 'der', type: 'spki' });
    return verify(null, transaction.message, publicKey, signature);
  });
}

/** Whether the message lets an account of its own list be written. */
export function isWritable({ header, accounts }: DecodedMessage, index: number): boolean {
  return index < header.signers
    ? index < header.signers - header.readonlySigners
    : index < accounts.length - header.readonlyOthers;
}
