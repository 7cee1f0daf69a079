import type { InstructionJson } from '../native.ts';

const program = 'ComputeBudget111111111111111111111111111111';

/** The most compute units that a transaction can have. */
export const mostComputeUnits = 1_400_000;

/**
 * The most compute units that the transaction may use.
 * @param reference an address that tells it from others: the program looks at no accounts, so this one is only named
 */
export function limitInstruction(units: number, reference?: string): InstructionJson {
  const data = Buffer.alloc(5);
  data.writeUInt8(2, 0);
  data.writeUInt32LE(units, 1);
  const accounts = reference === undefined ? [] : [{ address: reference }];
  return { program, accounts, data: data.toString('base64') };
}

/** The price of each compute unit of the limit, for priority. */
export function priceInstruction(microLamports: bigint): InstructionJson {
  const data = Buffer.alloc(9);
  data.writeUInt8(3, 0);
  data.writeBigUInt64LE(microLamports, 1);
  return { program, accounts: [], data: data.toString('base64') };
}

/** Lamports that are paid for priority. */
export function priorityFee(units: number, microLamports: bigint): bigint {
  return (BigInt(units) * microLamports + 999_999n) / 1_000_000n;
}
