import type { JsonObject, Phase } from '@ledger-ops/adapter';
import { z } from 'zod';
import { largest } from './bigints.ts';
import { type ProgramErrors, programErrorsSchema } from './idl/program-errors.ts';
import { invalid } from './invalid.ts';
import { type InstructionJson, instructionSchema } from './native.ts';
import { limitInstruction, priceInstruction, priorityFee } from './transactions/compute-budget.ts';

/** A transaction without its payer and blockhash. */
export interface Plan {
  instructions: InstructionJson[];
  nonceAccount?: string | undefined;
  lookupTables?: string[] | undefined;
  /** The fee payer. Default: the wallet. */
  feePayer?: string | undefined;
  /** Lamports that the operation itself takes from the wallet. */
  amount: bigint;
  /** Compute unit limit from the content. If undefined, the estimate determines it. */
  computeUnitLimit?: number | undefined;
  /** Micro-lamports, from the content. If undefined, the estimate determines them. */
  computeUnitPrice?: bigint | undefined;
  estimated?: Budget | undefined;
  /** The errors of the call's IDL, which name its failure. */
  errors?: ProgramErrors | undefined;
}

/** Compute units of a transaction, and micro-lamports for each. */
export interface Budget {
  units: number;
  price: bigint;
  /**
   * Lamports that leave the wallet in addition to the fee, including those for accounts that programs create.
   * Undefined if unknown.
   */
  spends?: bigint | undefined;
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
  estimated: z.strictObject({ units: z.int().min(1), price: integer, spends: integer.optional() }).optional(),
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
  estimated,
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
    ...(estimated === undefined
      ? {}
      : {
          estimated: {
            units: estimated.units,
            price: estimated.price.toString(),
            ...(estimated.spends === undefined ? {} : { spends: estimated.spends.toString() }),
          },
        }),
    ...(errors === undefined ? {} : { errors }),
  };
}

/** Returns the compute budget from the content or the estimate; undefined if neither determines it. */
export function budgetOf({ computeUnitLimit, computeUnitPrice, estimated }: Plan): Budget | undefined {
  if (estimated !== undefined) return estimated;
  if (computeUnitLimit === undefined || computeUnitPrice === undefined) return undefined;
  return { units: computeUnitLimit, price: computeUnitPrice };
}

/** @throws AdapterError `invalid-argument` */
export function planFromJson(json: JsonObject, phase: Phase): Plan {
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw invalid(phase, '/plan', 'is not from this adapter');
  return parsed.data;
}

/** Lamports per signature. */
const signatureFee = 5_000n;

/** Returns the maximum lamports that the transaction takes from the wallet, according to the known values. */
export function costOf(plan: Plan, wallet: string): bigint {
  const { amount, estimated: { spends = 0n } = {}, feePayer } = plan;
  const moved = largest(spends, amount);
  return feePayer === undefined ? moved + feeOfPlan(plan, wallet) : moved;
}

/** Returns the maximum lamports that a separate fee payer pays. */
export function costsOf(plan: Plan, wallet: string): { costs?: { address: string; amount: bigint }[] } {
  const { feePayer } = plan;
  return feePayer === undefined ? {} : { costs: [{ address: feePayer, amount: feeOfPlan(plan, wallet) }] };
}

function feeOfPlan(plan: Plan, wallet: string): bigint {
  const { units, price } = budgetOf(plan) ?? { units: 0, price: 0n };
  return feeOf(units, price, signersOf(plan, wallet).size);
}

export function signersOf({ feePayer, nonceAccount, instructions }: Plan, wallet: string): Set<string> {
  const signing = instructions.flatMap(({ accounts }) => accounts.filter(({ signer }) => signer === true));
  return new Set([
    feePayer ?? wallet,
    // The nonce's authority is the wallet.
    ...(nonceAccount === undefined ? [] : [wallet]),
    ...signing.map(({ address }) => address),
  ]);
}

export function feeOf(units: number, price: bigint, signatures = 1): bigint {
  return signatureFee * BigInt(signatures) + priorityFee(units, price);
}

/** Returns the plan's instructions, preceded by those for the compute budget. */
export function budgeted(
  { instructions }: Plan,
  { units, price }: Budget,
  reference: string,
): InstructionJson[] {
  return [
    limitInstruction(units, reference),
    ...(price === 0n ? [] : [priceInstruction(price)]),
    ...instructions,
  ];
}
