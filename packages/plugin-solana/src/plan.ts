import type { JsonObject, Phase } from '@ledger-ops/adapter';
import { z } from 'zod';
import { invalid } from './invalid.ts';
import { type InstructionJson, instructionSchema } from './native.ts';
import { limitInstruction, priceInstruction, priorityFee } from './transactions/compute-budget.ts';

/** Everything by which the transaction is made but its payer and blockhash. */
export interface Plan {
  instructions: InstructionJson[];
  nonceAccount?: string | undefined;
  /** Tables in which accounts are looked up. */
  lookupTables?: string[] | undefined;
  /** Lamports that leave the wallet by the operation itself. */
  amount: bigint;
  computeUnitLimit?: number | undefined;
  /** Micro-lamports. */
  computeUnitPrice?: bigint | undefined;
}

const integer = z
  .string()
  .regex(/^[0-9]{1,20}$/)
  .transform(BigInt);
const schema = z.strictObject({
  instructions: z.array(instructionSchema).min(1),
  nonceAccount: z.string().optional(),
  lookupTables: z.array(z.string()).optional(),
  amount: integer,
  computeUnitLimit: z.number().optional(),
  computeUnitPrice: integer.optional(),
});

export function planToJson({
  instructions,
  nonceAccount,
  lookupTables,
  amount,
  computeUnitLimit,
  computeUnitPrice,
}: Plan): JsonObject {
  return {
    instructions: instructions.map(({ program, accounts, data }) => ({
      ...{ program, data },
      accounts: accounts.map(({ address, signer, writable }) => ({
        address,
        ...(signer === true ? { signer } : {}),
        ...(writable === true ? { writable } : {}),
      })),
    })),
    ...(nonceAccount === undefined ? {} : { nonceAccount }),
    ...(lookupTables === undefined ? {} : { lookupTables }),
    amount: amount.toString(),
    ...(computeUnitLimit === undefined ? {} : { computeUnitLimit }),
    ...(computeUnitPrice === undefined ? {} : { computeUnitPrice: computeUnitPrice.toString() }),
  };
}

/** @throws AdapterError `invalid-argument` */
export function planFromJson(json: JsonObject, phase: Phase): Plan {
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw invalid(phase, '/plan', 'is none of this adapter');
  return parsed.data;
}

/** Lamports for each signature. */
const signatureFee = 5_000n;

/** The most lamports that the transaction takes from the wallet, as far as it is known. */
export function costOf({ amount, computeUnitLimit = 0, computeUnitPrice = 0n }: Plan): bigint {
  return amount + feeOf(computeUnitLimit, computeUnitPrice);
}

export function feeOf(units: number, price: bigint): bigint {
  return signatureFee + priorityFee(units, price);
}

/** The plan's instructions after those for the compute budget. */
export function budgeted(
  { instructions }: Plan,
  units: number,
  price: bigint,
  reference: string,
): InstructionJson[] {
  return [
    limitInstruction(units, reference),
    ...(price === 0n ? [] : [priceInstruction(price)]),
    ...instructions,
  ];
}
