import { address, getAddressEncoder } from '@solana/addresses';
import type { InstructionJson } from '../native.ts';

export const systemProgram = '11111111111111111111111111111111';

/** Transfers lamports from one account to another. */
export function transferInstruction(from: string, to: string, lamports: bigint): InstructionJson {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  return {
    program: systemProgram,
    accounts: [
      { address: from, signer: true, writable: true },
      { address: to, writable: true },
    ],
    data: data.toString('base64'),
  };
}

/**
 * Creates an account whose address is derived from the payer and a seed, so that no key of the new account
 * must sign.
 */
export function createWithSeedInstruction(made: {
  payer: string;
  account: string;
  seed: string;
  lamports: bigint;
  space: number;
  /** The program that owns the account. */
  owner: string;
}): InstructionJson {
  const encoder = getAddressEncoder();
  const seed = Buffer.from(made.seed);
  const numbers = Buffer.alloc(16);
  numbers.writeBigUInt64LE(made.lamports, 0);
  numbers.writeBigUInt64LE(BigInt(made.space), 8);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(3, 0);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(seed.length), 0);
  const payer = Uint8Array.from(encoder.encode(address(made.payer)));
  const owner = Uint8Array.from(encoder.encode(address(made.owner)));
  return {
    program: systemProgram,
    accounts: [
      { address: made.payer, signer: true, writable: true },
      { address: made.account, writable: true },
    ],
    data: Buffer.concat([head, payer, length, seed, numbers, owner]).toString('base64'),
  };
}

/** Returns the instruction that advances a durable nonce. */
export function advanceNonceInstruction(account: string, authority: string): InstructionJson {
  return {
    program: systemProgram,
    accounts: [
      { address: account, writable: true },
      { address: 'SysvarRecentB1ockHashes11111111111111111111' },
      { address: authority, signer: true },
    ],
    data: Buffer.of(4, 0, 0, 0).toString('base64'),
  };
}

export function isNonceAdvance({ program, data }: InstructionJson): boolean {
  return program === systemProgram && Buffer.from(data, 'base64').equals(Buffer.of(4, 0, 0, 0));
}
