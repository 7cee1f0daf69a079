import { createHash } from 'node:crypto';
import { addressOf, type Base58, bytesOf } from '../base58.ts';
import type { AccountState } from '../runtime/bank.ts';
import { type DecodedMessage, isWritable } from './decode.ts';

export const systemProgram = '11111111111111111111111111111111';
const nonceSize = 80;
const advance = 4;

/** An initialized nonce account. */
export interface Nonce {
  authority: Base58;
  value: Base58;
  lamportsPerSignature: bigint;
}

/** Returns the nonce value derived from a blockhash. */
export function durableNonce(blockhash: Base58): Base58 {
  return addressOf(createHash('sha256').update('DURABLE_NONCE').update(bytesOf(blockhash)).digest());
}

export function readNonce(account: AccountState | undefined): Nonce | undefined {
  if (account?.owner !== systemProgram || account.data.length !== nonceSize) return undefined;
  const data = Buffer.from(account.data);
  // Version "current", state "initialized".
  if (data.readUInt32LE(0) !== 1 || data.readUInt32LE(4) !== 1) return undefined;
  return {
    authority: addressOf(data.subarray(8, 40)),
    value: addressOf(data.subarray(40, 72)),
    lamportsPerSignature: data.readBigUInt64LE(72),
  };
}

/** Returns the account with another nonce. */
export function withNonce(account: AccountState, value: Base58): AccountState {
  const data = new Uint8Array(account.data);
  data.set(bytesOf(value), 40);
  return { ...account, data };
}

/** Returns the nonce account that a message uses instead of a blockhash; undefined for other messages. */
export function nonceAccountOf(message: DecodedMessage): { address: Base58; signers: Base58[] } | undefined {
  const [first] = message.instructions;
  if (first === undefined || message.accounts[first.programIndex] !== systemProgram) return undefined;
  if (first.data.length < 4 || Buffer.from(first.data).readUInt32LE(0) !== advance) return undefined;
  const [index] = first.accounts;
  const address = index === undefined ? undefined : message.accounts[index];
  if (index === undefined || address === undefined || !isWritable(message, index)) return undefined;
  const signers = first.accounts
    .filter((account) => account < message.header.signers)
    .map((account) => message.accounts[account] ?? '');
  return { address, signers };
}
