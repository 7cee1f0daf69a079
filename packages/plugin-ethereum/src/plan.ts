import { type AdapterProblem, adapterError, type JsonObject, type Phase } from '@ledger-ops/adapter';
import { z } from 'zod';
import type { GivenFee } from './gas/fees.ts';
import type { AccessList } from './transactions/access-list.ts';
import { type Fee, highestPrice } from './transactions/fee.ts';

/** An operation as this adapter will execute it. */
export interface Plan {
  type: 'transfer' | 'contract_call' | 'contract_deploy';
  chainId: bigint;
  /** Null for a deployment. */
  to: string | null;
  value: bigint;
  /** `0x` hex. */
  data: string;
  accessList: AccessList | undefined;
  /** Undefined until estimated. */
  gas: bigint | undefined;
  /** Undefined until estimated. */
  fee: Fee | undefined;
  /** The part of the fee given by the user. */
  given: GivenFee;
  /** Custom errors of the interface, to decode reverts of the estimate. */
  errors: readonly string[];
}

const quantity = z.string().regex(/^\d+$/).transform(BigInt);
const schema = z.object({
  v: z.literal(1),
  type: z.enum(['transfer', 'contract_call', 'contract_deploy']),
  chainId: quantity,
  to: z.string().nullable(),
  value: quantity,
  data: z.string(),
  accessList: z.array(z.object({ address: z.string(), storageKeys: z.array(z.string()) })).optional(),
  gas: quantity.optional(),
  gasPrice: quantity.optional(),
  maxFeePerGas: quantity.optional(),
  maxPriorityFeePerGas: quantity.optional(),
  given: z
    .object({
      gasPrice: quantity.exactOptional(),
      maxFeePerGas: quantity.exactOptional(),
      maxPriorityFeePerGas: quantity.exactOptional(),
    })
    .optional(),
  errors: z.array(z.string()).optional(),
});

/**
 * Plans by their JSON value. A host in the same process usually returns the value that it received, which
 * then need not be parsed again.
 */
const plans = new WeakMap<JsonObject, Plan>();

/** Returns the plan as the host stores it. Omits members without a value. */
export function planToJson(plan: Plan): JsonObject {
  const { fee, given } = plan;
  const json: JsonObject = {
    v: 1,
    type: plan.type,
    chainId: plan.chainId.toString(),
    to: plan.to,
    value: plan.value.toString(),
    data: plan.data,
  };
  if (plan.accessList !== undefined) json.accessList = plan.accessList;
  if (plan.gas !== undefined) json.gas = plan.gas.toString();
  if (fee?.type === 'legacy') json.gasPrice = fee.gasPrice.toString();
  if (fee?.type === 'eip1559') {
    json.maxFeePerGas = fee.maxFeePerGas.toString();
    json.maxPriorityFeePerGas = fee.maxPriorityFeePerGas.toString();
  }
  const user = Object.entries(given).map(([name, price]: [string, bigint]) => [name, price.toString()]);
  if (user.length > 0) json.given = Object.fromEntries(user);
  if (plan.errors.length > 0) json.errors = [...plan.errors];
  plans.set(json, plan);
  return json;
}

/** @throws AdapterError `invalid-argument` if this is not a plan of this adapter */
export function planFromJson(json: JsonObject, phase: Phase): Plan {
  const known = plans.get(json);
  if (known !== undefined) return known;
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    throw adapterError('invalid-argument', 'The plan was not created by this adapter.', {
      phase,
      issues: [{ pointer: '', detail: 'is not a plan of this adapter' }],
    });
  }
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, given, errors, v: _, ...rest } = parsed.data;
  let fee: Fee | undefined;
  if (gasPrice !== undefined) fee = { type: 'legacy', gasPrice };
  else if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined) {
    fee = { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas };
  }
  return {
    ...rest,
    accessList: rest.accessList,
    gas: rest.gas,
    fee,
    given: given ?? {},
    errors: errors ?? [],
  };
}

/** Returns the maximum cost of the transaction, from the members that are known. */
export function costOf({ value, gas, fee }: Pick<Plan, 'value' | 'gas' | 'fee'>): bigint {
  return gas === undefined || fee === undefined ? value : value + gas * highestPrice(fee);
}

/** The maximum balance of an account: no chain accepts a transaction that may cost more. */
const mostWei = (1n << 256n) - 1n;

/**
 * Returns the problem of a plan that costs more than any account can hold; undefined if it costs less. The
 * code is `refused` if the operation's values are too high, and `fee-above-cap` if the price from a node is
 * too high, which is temporary.
 */
export function unpayable(plan: Plan, phase: Phase): AdapterProblem | undefined {
  const cost = costOf(plan);
  if (cost <= mostWei) return undefined;
  const { gas = 0n, value, given } = plan;
  const ownPrice = given.gasPrice ?? given.maxFeePerGas ?? 1n;
  const tooMuch = `The operation can cost up to ${cost} wei, which is more than any account can hold.`;
  if (value + gas * ownPrice > mostWei)
    return { code: 'refused', phase, detail: `${tooMuch} Lower its value or its fee.` };
  const waits = 'A node suggested this fee. The operation waits until the fee falls.';
  return { code: 'fee-above-cap', phase, detail: `${tooMuch} ${waits}` };
}
