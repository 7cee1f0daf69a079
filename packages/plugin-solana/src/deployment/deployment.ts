import type { JsonObject, Phase, ResolvedOperation } from '@ledger-ops/adapter';
import { z } from 'zod';
import { invalid } from '../invalid.ts';
import { feeOf } from '../plan.ts';
import { bufferHeader, codeHeader, programSize } from './loader.ts';

type Deploy = Extract<ResolvedOperation, { type: 'contract_deploy' }>;

/** The plan of a deployment. Its progress is read from the ledger. */
export interface Deployment {
  /** Base64. */
  elf: string;
  /** Micro-lamports per compute unit; if undefined, the ledger's properties apply. */
  computeUnitPrice?: string | undefined;
  /** Minimum micro-lamports per compute unit of the next step, set after a step expired. */
  leastPrice?: string | undefined;
  /** Number of consecutive transactions that failed in their blocks. */
  failures: number;
}

const price = z
  .string()
  .regex(/^[0-9]{1,20}$/)
  .optional();

const schema = z.strictObject({
  deployment: z.strictObject({
    elf: z.base64(),
    computeUnitPrice: price,
    leastPrice: price,
    failures: z.int().min(0),
  }),
});

export function deploymentToJson({ elf, computeUnitPrice, leastPrice, failures }: Deployment): JsonObject {
  return {
    deployment: {
      elf,
      failures,
      ...(computeUnitPrice === undefined ? {} : { computeUnitPrice }),
      ...(leastPrice === undefined ? {} : { leastPrice }),
    },
  };
}

/** Returns the deployment of a plan; undefined for another kind of plan. */
export function deploymentFromJson(json: JsonObject): Deployment | undefined {
  return schema.safeParse(json).data?.deployment;
}

/** Maximum number of bytes of a program: the amount that the transactions of one action can upload. */
const mostBytes = 2 ** 20;

/**
 * Returns the plan of a deployment, and its cost in lamports.
 * @throws AdapterError `invalid-argument`
 */
export function planDeployment(
  { source, args, data, value }: Deploy,
  { computeUnitPrice, ...others }: { computeUnitPrice?: bigint | undefined },
  phase: Phase,
): { plan: JsonObject; cost: bigint } {
  const [foreign] = Object.keys(others);
  if (foreign !== undefined) throw invalid(phase, `/native/${foreign}`, 'is not allowed in a deployment');
  if (args.length > 0) {
    throw invalid(
      phase,
      '/args',
      'is not allowed: a program has no constructor; call it after the deployment',
    );
  }
  if (value > 0n || data !== undefined || source === undefined) {
    throw invalid(phase, '/contract_source', "must name the template that contains the program's ELF");
  }
  const elf = Buffer.from(source.code, 'base64');
  if (elf.toString('base64') !== source.code || elf.subarray(0, 4).toString('latin1') !== '\x7fELF') {
    throw invalid(phase, '/contract_source', 'must contain a program: an ELF in base64');
  }
  if (elf.length > mostBytes) {
    throw invalid(phase, '/contract_source', `has ${elf.length} bytes, but at most ${mostBytes} are allowed`);
  }
  const given = computeUnitPrice === undefined ? {} : { computeUnitPrice: computeUnitPrice.toString() };
  const deployment = { elf: source.code, failures: 0, ...given };
  return { plan: deploymentToJson(deployment), cost: costOfDeployment(deployment) };
}

/**
 * Returns the lamports that a deployment costs, without fees. The buffer's lamports are refunded and pay for
 * the program.
 */
export function costOfDeployment({ elf }: Deployment): bigint {
  const largest = Math.max(bufferHeader, codeHeader) + Buffer.byteLength(elf, 'base64');
  return rentOf(largest) + rentOf(programSize) + feeOf(0, 0n);
}

/** Lamports that make an account of this size rent-exempt. */
function rentOf(size: number): bigint {
  return BigInt(128 + size) * 6_960n;
}
