import { address } from '@solana/kit';
import { choosePrice } from '../estimate.ts';
import type { InstructionJson } from '../native.ts';
import { feeOf } from '../plan.ts';
import type { SolanaProperties } from '../properties.ts';
import { answers, ask } from '../rpc/answers.ts';
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
  /** Each the instructions of one transaction; the last one's outcome is the step's. */
  transactions: InstructionJson[][];
  program: string;
  /** The most lamports that it takes. */
  cost: bigint;
}

/** Writes that are sent at once. */
const mostWrites = 64;

/** The loader and the system program take some 2,500 compute units for what they are asked. */
const units = { create: 10_000, write: 10_000, deploy: 50_000 } as const;

/** The next step, by what the ledger holds at its commitment: a write that could be taken back is made again. */
export async function nextStep(
  node: SolanaNode,
  { wallet, actionId, deployment }: { wallet: string; actionId: string; deployment: Deployment },
  properties: SolanaProperties,
): Promise<DeploymentStep> {
  const accounts = await accountsOfDeployment(wallet, actionId);
  const elf = Buffer.from(deployment.elf, 'base64');
  const { kind, parts, lamports } = await movesOf(node, accounts, elf, properties);
  const own = deployment.computeUnitPrice;
  const plan = { instructions: parts[0] ?? [], amount: 0n };
  const price =
    own === undefined ? await choosePrice(node, wallet, plan, units[kind], properties) : BigInt(own);
  const head = [limitInstruction(units[kind]), ...(price === 0n ? [] : [priceInstruction(price)])];
  return {
    kind,
    transactions: parts.map((part) => [...head, ...part]),
    program: accounts.program.address,
    cost: lamports + feeOf(units[kind], price) * BigInt(parts.length),
  };
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

/** The part of a program that a buffer holds; undefined where there is none. */
async function readBuffer(
  { nodeId, rpc }: SolanaNode,
  buffer: string,
  { commitment }: SolanaProperties,
): Promise<Uint8Array | undefined> {
  const call = rpc.getAccountInfo(address(buffer), { commitment, encoding: 'base64' });
  const { value } = await ask(nodeId, call, answers.account);
  if (value === null || value.owner !== loader) return undefined;
  return Buffer.from(value.data[0], 'base64').subarray(bufferHeader);
}

async function leastOf({ nodeId, rpc }: SolanaNode, size: number): Promise<bigint> {
  return ask(nodeId, rpc.getMinimumBalanceForRentExemption(BigInt(size)), answers.lamports);
}
