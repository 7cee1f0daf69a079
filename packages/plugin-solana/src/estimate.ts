import { AdapterError, type Estimated, type EstimateRequest } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import { readHead } from './blocks/head.ts';
import { costOfDeployment, deploymentFromJson } from './deployment/deployment.ts';
import { costOf, type Plan, planFromJson, planToJson } from './plan.ts';
import type { SolanaProperties } from './properties.ts';
import { answers, ask } from './rpc/answers.ts';
import { problemOf } from './rpc/errors.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { simulate } from './rpc/simulate.ts';
import { mostComputeUnits } from './transactions/compute-budget.ts';
import { writableAccounts } from './transactions/message.ts';

/** The part of a session that estimating needs. */
export interface EstimateContext {
  nodes: Nodes;
  properties: SolanaProperties;
}

const phase = 'estimate';

/** Plays each on a node that has the blocks of its dependencies, and fills in compute units and their price. */
export function estimateAll(
  requests: readonly EstimateRequest[],
  context: EstimateContext,
): Promise<Estimated[]> {
  return Promise.all(
    requests.map(async (request): Promise<Estimated> => {
      try {
        return await context.nodes.onNode(phase, (node) => estimateOn(node, request, context));
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        // A lookup table that is none; a plan of another adapter is the host's fault.
        const isOwn = error.problem.issues?.some(({ pointer }) => pointer.startsWith('/native')) === true;
        if (error.code === 'invalid-argument' && !isOwn) throw error;
        if (isOwn) return { status: 'failed', problem: error.problem };
        return { status: 'wait', problem: error.problem };
      }
    }),
  );
}

async function estimateOn(
  node: SolanaNode,
  { wallet, plan: json, minHeight }: EstimateRequest,
  { properties }: EstimateContext,
): Promise<Estimated> {
  const deployment = deploymentFromJson(json);
  if (deployment !== undefined) return { status: 'ready', plan: json, cost: costOfDeployment(deployment) };
  const plan = planFromJson(json, phase);
  if (minHeight > 0) {
    const { height } = await readHead(node);
    if (height < minHeight) {
      const detail = `Node ${node.nodeId} is at block ${height}, block ${minHeight} is needed: ask again later.`;
      throw new NodeError('behind', detail);
    }
  }
  const simulated = await simulate(node, wallet.address, plan, phase);
  if (!simulated.ok) {
    const problem = problemOf(simulated.failure, plan.errors, phase);
    return { status: problem.code === 'unavailable' ? 'wait' : 'failed', problem };
  }
  const units = plan.computeUnitLimit ?? withHeadroom(simulated.units);
  const price = plan.computeUnitPrice ?? (await choosePrice(node, wallet.address, plan, units, properties));
  const ready = { ...plan, computeUnitLimit: units, computeUnitPrice: price };
  return { status: 'ready', plan: planToJson(ready), cost: costOf(ready, wallet.address) };
}

/** A tenth more compute units, and those of the instructions for the budget. */
export function withHeadroom(units: number): number {
  return Math.min(mostComputeUnits, Math.ceil(units * 1.1) + 450);
}

/** Micro-lamports for a compute unit: where the upper quarter of recent blocks begins for the written accounts, below the cap. */
export async function choosePrice(
  { nodeId, rpc }: SolanaNode,
  wallet: string,
  { instructions, feePayer = wallet }: Plan,
  units: number,
  { computeUnitPrice, priorityFeeCap }: SolanaProperties,
): Promise<bigint> {
  if (computeUnitPrice !== undefined) return computeUnitPrice;
  const most = (priorityFeeCap * 1_000_000n) / BigInt(units);
  if (most === 0n) return 0n;
  const accounts = writableAccounts(feePayer, instructions).slice(0, 128);
  const recent = await ask(nodeId, rpc.getRecentPrioritizationFees(accounts), answers.priorityFees);
  const fees = recent
    .map(({ prioritizationFee }) => BigInt(prioritizationFee))
    .sort((a, b) => (a < b ? -1 : 1));
  const price = fees[Math.floor(fees.length * 0.75)] ?? 0n;
  return price < most ? price : most;
}
