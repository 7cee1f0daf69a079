import { AdapterError, type Estimated, type EstimateRequest } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { readHead } from './blocks/head.ts';
import { costOfDeployment, deploymentFromJson, deploymentToJson } from './deployment/deployment.ts';
import { raisedDeployment } from './deployment/step.ts';
import { choosePrice } from './fees/compute-unit-price.ts';
import type { RecentFees } from './fees/recent-fees.ts';
import { budgetOf, costOf, planFromJson, planToJson } from './plan.ts';
import type { SolanaProperties } from './properties.ts';
import { problemOf } from './rpc/errors.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { simulate } from './rpc/simulate.ts';
import { withTokenProgram } from './tokens/other-token-program.ts';
import { mostComputeUnits } from './transactions/compute-budget.ts';

/** The parts of a session that `estimate` needs. */
export interface EstimateContext {
  nodes: Nodes;
  properties: SolanaProperties;
  fees: RecentFees;
}

const phase = 'estimate';

/**
 * Simulates each plan on a node that has the blocks of its dependencies, and fills in compute units and their price.
 */
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
        // A pointer into the native content means an invalid lookup table. Otherwise the plan is malformed, which is
        // the host's fault.
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
  { wallet, plan: json, minHeight, raise }: EstimateRequest,
  context: EstimateContext,
): Promise<Estimated> {
  const deployment = deploymentFromJson(json);
  if (deployment !== undefined) {
    const plan =
      raise === undefined ? json : deploymentToJson(raisedDeployment(deployment, raise, context.properties));
    return { status: 'ready', plan, cost: costOfDeployment(deployment) };
  }
  const plan = planFromJson(json, phase);
  if (minHeight > 0) {
    const { height } = await readHead(node);
    if (height < minHeight) {
      const detail = `Node ${node.nodeId} is at block ${height}, but block ${minHeight} is required. Try again later.`;
      throw new NodeError('behind', detail);
    }
  }
  const simulated = await simulate(node, wallet.address, plan, phase);
  if (!simulated.ok) {
    const problem = await withTokenProgram(node, plan, problemOf(simulated.failure, plan.errors, phase));
    return { status: problem.code === 'unavailable' ? 'wait' : 'failed', problem };
  }
  const units = plan.computeUnitLimit ?? withHeadroom(simulated.units);
  const previous = budgetOf(plan)?.price ?? 0n;
  const asked = { wallet: wallet.address, plan, units, previous };
  const price = await choosePrice(node, asked, context, phase, raise);
  const { spends } = simulated;
  const known = spends !== undefined && spends > 0n ? { spends } : {};
  const ready = { ...plan, estimated: { units, price, ...known } };
  return { status: 'ready', plan: planToJson(ready), cost: costOf(ready, wallet.address) };
}

/** Ten percent more compute units, plus those of the compute-budget instructions. */
export function withHeadroom(units: number): number {
  return Math.min(mostComputeUnits, Math.ceil(units * 1.1) + 450);
}
