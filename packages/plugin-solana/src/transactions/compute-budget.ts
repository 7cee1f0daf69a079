import type { InstructionJson } from '../native.ts';

export const computeBudgetProgram = 'ComputeBudget111111111111111111111111111111';

/** Maximum compute units of a transaction. */
export const mostComputeUnits = 1_400_000;

/**
 * Limits the compute units of the transaction.
 * @param reference an address that makes the transaction unique; the program ignores its accounts
 */
export function limitInstruction(units: number, reference?: string): InstructionJson {
  const data = Buffer.alloc(5);
  data.writeUInt8(2, 0);
  data.writeUInt32LE(units, 1);
  const accounts = reference === undefined ? [] : [{ address: reference }];
  return { program: computeBudgetProgram, accounts, data: data.toString('base64') };
}

/** Returns the priority price per compute unit of the limit. */
export function priceInstruction(microLamports: bigint): InstructionJson {
  const data = Buffer.alloc(9);
  data.writeUInt8(3, 0);
  data.writeBigUInt64LE(microLamports, 1);
  return { program: computeBudgetProgram, accounts: [], data: data.toString('base64') };
}

/** Lamports paid for priority. */
export function priorityFee(units: number, microLamports: bigint): bigint {
  return (BigInt(units) * microLamports + 999_999n) / 1_000_000n;
}
