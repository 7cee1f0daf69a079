import type { FeeRaise } from '@ledger-ops/adapter';
import { choosePrice, type PriceSources, raisedPrice } from '../fees/compute-unit-price.ts';
import type { InstructionJson } from '../native.ts';
import { feeOf } from '../plan.ts';
import type { SolanaProperties } from '../properties.ts';
import { answers } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';
import { limitInstruction, priceInstruction } from '../transactions/compute-budget.ts';
import type { Deployment } from './deployment.ts';
import {
  accountsOfDeployment,
  bufferHeader,
  codeHeader,
  createBuffer,
  type DeploymentAccounts,
  deployBuffer,
  loader,
  missingWrites,
  programSize,
} from './loader.ts';

/** The next step of a deployment. */
export interface DeploymentStep {
  kind: 'create' | 'write' | 'deploy';
  /** The instructions of each transaction. The outcome of the last transaction is the outcome of the step. */
  transactions: InstructionJson[][];
  program: string;
  /** Maximum cost in lamports. */
  cost: bigint;
}

/** Maximum number of writes that are sent concurrently. */
const mostWrites = 64;

/** The loader and the system program use about 2,500 compute units. */
const units = { create: 10_000, write: 10_000, deploy: 50_000 } as const;

/**
 * Returns the next step, according to the ledger's state at its commitment. A write that was rolled back is
 * repeated.
 */
export async function nextStep(
  node: SolanaNode,
  { wallet, actionId, deployment }: { wallet: string; actionId: string; deployment: Deployment },
  { properties, fees }: PriceSources & { properties: SolanaProperties },
): Promise<DeploymentStep> {
  const accounts = await accountsOfDeployment(wallet, actionId);
  const elf = Buffer.from(deployment.elf, 'base64');
  const { kind, parts, lamports } = await movesOf(node, accounts, elf, properties);
  const { computeUnitPrice, leastPrice = '0' } = deployment;
  const plan = {
    instructions: parts[0] ?? [],
    amount: 0n,
    ...(computeUnitPrice === undefined ? {} : { computeUnitPrice: BigInt(computeUnitPrice) }),
  };
  const asked = { wallet, plan, units: units[kind] };
  const chosen = await choosePrice(node, asked, { properties, fees }, 'prepare');
  const price = chosen > BigInt(leastPrice) ? chosen : BigInt(leastPrice);
  const head = [limitInstruction(units[kind]), ...(price === 0n ? [] : [priceInstruction(price)])];
  return {
    kind,
    transactions: parts.map((part) => [...head, ...part]),
    program: accounts.program.address,
    cost: lamports + feeOf(units[kind], price) * BigInt(parts.length),
  };
}

/** Returns the deployment with a higher minimum price for its next step, after a transaction expired. */
export function raisedDeployment(
  deployment: Deployment,
  raise: FeeRaise,
  { computeUnitPrice: property, priorityFeeCap }: SolanaProperties,
): Deployment {
  const { computeUnitPrice: own, leastPrice = '0' } = deployment;
  const fixed = own === undefined ? property : BigInt(own);
  if (fixed !== undefined && raise.reason !== 'hurried') return deployment;
  const offered = BigInt(leastPrice);
  const previous = fixed === undefined || fixed < offered ? offered : fixed;
  const most = (priorityFeeCap * 1_000_000n) / BigInt(units.write);
  return { ...deployment, leastPrice: raisedPrice({ previous, recent: 0n, most }, raise).toString() };
}

async function movesOf(
  node: SolanaNode,
  accounts: DeploymentAccounts,
  elf: Uint8Array,
  properties: SolanaProperties,
): Promise<{ kind: DeploymentStep['kind']; parts: InstructionJson[][]; lamports: bigint }> {
  const held = await readBuffer(node, accounts.buffer.address, properties);
  if (held === undefined) {
    const lamports = await leastOf(node, bufferHeader + elf.length);
    return { kind: 'create', parts: [createBuffer(accounts, elf.length, lamports)], lamports };
  }
  const writes = missingWrites(accounts, elf, held);
  if (writes.length > 0) {
    return { kind: 'write', parts: writes.slice(0, mostWrites).map((write) => [write]), lamports: 0n };
  }
  const [own, code] = await Promise.all([leastOf(node, programSize), leastOf(node, codeHeader + elf.length)]);
  return { kind: 'deploy', parts: [deployBuffer(accounts, elf.length, own)], lamports: own + code };
}

/** Returns the contents of a buffer after its header; undefined if there is no buffer. */
async function readBuffer(
  node: SolanaNode,
  buffer: string,
  { commitment }: SolanaProperties,
): Promise<Uint8Array | undefined> {
  const config = { commitment, encoding: 'base64' };
  const { value } = await node.ask('getAccountInfo', [buffer, config], answers.account);
  if (value === null || value.owner !== loader) return undefined;
  return Buffer.from(value.data[0], 'base64').subarray(bufferHeader);
}

function leastOf(node: SolanaNode, size: number): Promise<bigint> {
  const params = [size, { commitment: 'confirmed' }];
  return node.ask('getMinimumBalanceForRentExemption', params, answers.lamports);
}
