import type { JsonObject, Phase, ResolvedOperation } from '@ledger-ops/adapter';
import { z } from 'zod';
import { invalid } from '../invalid.ts';
import { feeOf } from '../plan.ts';
import { bufferHeader, codeHeader, programSize } from './loader.ts';

type Deploy = Extract<ResolvedOperation, { type: 'contract_deploy' }>;

/** The plan of a deployment. How far it is, the ledger says. */
export interface Deployment {
  /** Base64. */
  elf: string;
  /** Micro-lamports for a compute unit; absent: as the ledger's properties have it. */
  computeUnitPrice?: string | undefined;
  /** Transactions in a row that failed in their blocks. */
  failures: number;
}

const schema = z.strictObject({
  deployment: z.strictObject({
    elf: z.base64(),
    computeUnitPrice: z
      .string()
      .regex(/^[0-9]{1,20}$/)
      .optional(),
    failures: z.int().min(0),
  }),
});

export function deploymentToJson({ elf, computeUnitPrice, failures }: Deployment): JsonObject {
  return {
    deployment: { elf, failures, ...(computeUnitPrice === undefined ? {} : { computeUnitPrice }) },
  };
}

/** Undefined where it is the plan of something else. */
export function deploymentFromJson(json: JsonObject): Deployment | undefined {
  return schema.safeParse(json).data?.deployment;
}

/** The most bytes of a program: what the transactions of one action can bring to the ledger. */
const mostBytes = 2 ** 20;

/**
 * The plan of a deployment, and the lamports that it takes.
 * @throws AdapterError `invalid-argument`
 */
export function planDeployment(
  { source, args, data, value }: Deploy,
  { computeUnitPrice, ...others }: { computeUnitPrice?: bigint | undefined },
  phase: Phase,
): { plan: JsonObject; cost: bigint } {
  const [foreign] = Object.keys(others);
  if (foreign !== undefined) throw invalid(phase, `/native/${foreign}`, 'cannot stand in a deployment');
  if (args.length > 0) {
    throw invalid(phase, '/args', 'cannot be given: a program has no constructor; call it afterwards');
  }
  if (value > 0n || data !== undefined || source === undefined) {
    throw invalid(phase, '/contract_source', "must name the template that holds the program's ELF");
  }
  const elf = Buffer.from(source.code, 'base64');
  if (elf.toString('base64') !== source.code || elf.subarray(0, 4).toString('latin1') !== '\x7fELF') {
    throw invalid(phase, '/contract_source', 'must hold a program, an ELF in base64');
  }
  if (elf.length > mostBytes) {
    throw invalid(phase, '/contract_source', `has ${elf.length} bytes, and ${mostBytes} are the most`);
  }
  const price = computeUnitPrice === undefined ? {} : { computeUnitPrice: computeUnitPrice.toString() };
  const deployment = { elf: source.code, failures: 0, ...price };
  return { plan: deploymentToJson(deployment), cost: costOfDeployment(deployment) };
}

/** Lamports that a deployment takes, fees aside. Those of the buffer come back, and pay for the program. */
export function costOfDeployment({ elf }: Deployment): bigint {
  const largest = Math.max(bufferHeader, codeHeader) + Buffer.byteLength(elf, 'base64');
  return rentOf(largest) + rentOf(programSize) + feeOf(0, 0n);
}

/** Lamports that an account of a size must hold, as ledgers have asked them so far. */
function rentOf(size: number): bigint {
  return BigInt(128 + size) * 6_960n;
}
