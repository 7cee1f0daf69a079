import type { JsonObject, Phase } from '@ledger-ops/adapter';
import { z } from 'zod';
import { type ProgramErrors, programErrorsSchema } from './idl/program-errors.ts';
import { invalid } from './invalid.ts';
import { type InstructionJson, instructionSchema } from './native.ts';
import { limitInstruction, priceInstruction, priorityFee } from './transactions/compute-budget.ts';

/** Everything by which the transaction is made but its payer and blockhash. */
export interface Plan {
  instructions: InstructionJson[];
  nonceAccount?: string | undefined;
  /** Tables in which accounts are looked up. */
  lookupTables?: string[] | undefined;
  /** Pays the fee; absent: the wallet. */
  feePayer?: string | undefined;
  /** Lamports that leave the wallet by the operation itself. */
  amount: bigint;
  computeUnitLimit?: number | undefined;
  /** Micro-lamports. */
  computeUnitPrice?: bigint | undefined;
  /** By which its failure is named. */
  errors?: ProgramErrors | undefined;
}

const integer = z
  .string()
  .regex(/^[0-9]{1,20}$/)
  .transform(BigInt);
const schema = z.strictObject({
  instructions: z.array(instructionSchema).min(1),
  nonceAccount: z.string().optional(),
  lookupTables: z.array(z.string()).optional(),
  feePayer: z.string().optional(),
  amount: integer,
  computeUnitLimit: z.number().optional(),
  computeUnitPrice: integer.optional(),
  errors: programErrorsSchema.optional(),
});

export function planToJson({
  instructions,
  nonceAccount,
  lookupTables,
  feePayer,
  amount,
  computeUnitLimit,
  computeUnitPrice,
  errors,
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
    ...(feePayer === undefined ? {} : { feePayer }),
    amount: amount.toString(),
    ...(computeUnitLimit === undefined ? {} : { computeUnitLimit }),
    ...(computeUnitPrice === undefined ? {} : { computeUnitPrice: computeUnitPrice.toString() }),
    ...(errors === undefined ? {} : { errors }),
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
export function costOf(plan: Plan, wallet: string): bigint {
  return plan.feePayer === undefined ? plan.amount + feeOfPlan(plan, wallet) : plan.amount;
}

/** The same of who pays the fee in its place. */
export function costsOf(plan: Plan, wallet: string): { costs?: { address: string; amount: bigint }[] } {
  const { feePayer } = plan;
  return feePayer === undefined ? {} : { costs: [{ address: feePayer, amount: feeOfPlan(plan, wallet) }] };
}

function feeOfPlan(plan: Plan, wallet: string): bigint {
  const { computeUnitLimit = 0, computeUnitPrice = 0n } = plan;
  return feeOf(computeUnitLimit, computeUnitPrice, signersOf(plan, wallet).size);
}

/** Everybody who signs. */
export function signersOf({ feePayer, nonceAccount, instructions }: Plan, wallet: string): Set<string> {
  const signing = instructions.flatMap(({ accounts }) => accounts.filter(({ signer }) => signer === true));
  return new Set([
    feePayer ?? wallet,
    // The nonce is the wallet's.
    ...(nonceAccount === undefined ? [] : [wallet]),
    ...signing.map(({ address }) => address),
  ]);
}

export function feeOf(units: number, price: bigint, signatures = 1): bigint {
  return signatureFee * BigInt(signatures) + priorityFee(units, price);
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
