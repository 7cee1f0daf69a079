import type { InstructionJson } from '../native.ts';

export const systemProgram = '11111111111111111111111111111111';

/** Moves lamports from one account to another. */
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
