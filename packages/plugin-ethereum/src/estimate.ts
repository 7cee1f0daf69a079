import type { AdapterProblem, Estimated, EstimateRequest } from '@ledger-ops/adapter';
import { AdapterError } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import type { ErrorRegistry } from './abi/error-registry.ts';
import type { LedgerView, LedgerViews } from './blocks/ledger-view.ts';
import { chooseFee } from './gas/fees.ts';
import { withHeadroom } from './gas/gas-limit.ts';
import { intrinsicGas, strictestRules } from './gas/intrinsic-gas.ts';
import { costOf, type Plan, planFromJson, planToJson, unpayable } from './plan.ts';
import type { EthereumProperties } from './properties.ts';
import { callObject } from './rpc/call-object.ts';
import { classify, problemOf } from './rpc/errors.ts';
import type { RpcAnswer, RpcCall, RpcNode } from './rpc/node.ts';
import type { NodeMessageKind } from './rpc/node-texts.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readNumber } from './rpc/quantity.ts';

/** The parts of a session that `estimate` needs. */
export interface EstimateContext {
  nodes: Nodes;
  views: LedgerViews;
  registry: ErrorRegistry;
  properties: EthereumProperties;
}

interface Item {
  index: number;
  from: string;
  plan: Plan;
  minHeight: number;
}

const phase = 'estimate';

/**
 * Fills in gas and fee in one batch, without a nonce, because earlier transactions of the wallet do not
 * matter. Reads the fee again even if the plan has one. Never throws because of a node.
 */
export async function estimateAll(
  requests: readonly EstimateRequest[],
  context: EstimateContext,
): Promise<Estimated[]> {
  const items = requests.map((request, index): Item => {
    const plan = planFromJson(request.plan, phase);
    return { index, plan, from: request.wallet.address, minHeight: request.minHeight };
  });
  const answers = new Map<number, Estimated>();
  let open = items;
  try {
    // Plans for which the first node is behind are estimated on the other nodes.
    await context.nodes.onNode(phase, async (node) => {
      const view = await context.views.refreshOn(node);
      const reached = open.filter(({ minHeight }) => minHeight <= view.head.height);
      const { found, height } = await estimateOn(node, view, reached, context);
      for (const [index, answer] of found) answers.set(index, answer);
      open = open.filter(({ index }) => !answers.has(index));
      if (open.length > 0) {
        const needed = Math.max(...open.map(({ minHeight }) => minHeight));
        const detail = `Node ${node.nodeId} is at block ${height}, but block ${needed} is required. Try again later.`;
        throw new NodeError('behind', detail);
      }
    });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    for (const { index } of open) answers.set(index, { status: 'wait', problem: error.problem });
  }
  return items.map(({ index }) => answers.get(index) ?? wait(unanswered));
}

const unanswered: AdapterProblem = {
  code: 'unavailable',
  phase,
  detail: 'No node responded. Try again later.',
};

function wait(problem: AdapterProblem): Estimated {
  return { status: 'wait', problem };
}

/**
 * Returns the estimates of one node, and the node's height. Omits plans that require a block that the node
 * does not have yet.
 */
async function estimateOn(
  node: RpcNode,
  view: LedgerView,
  items: readonly Item[],
  { registry, properties }: EstimateContext,
): Promise<{ found: Map<number, Estimated>; height: number }> {
  const needGas = items.filter(({ plan }) => plan.gas === undefined);
  const { answers, height } = await estimatesOf(node, view, needGas);
  const byIndex = new Map(needGas.map(({ index }, place) => [index, answers[place]]));
  const reached = items.filter(({ minHeight, plan }) => plan.gas !== undefined || minHeight <= height);
  const results = reached.map((item): [number, Estimated] => {
    registry.learn(item.plan.errors);
    if (item.plan.chainId !== view.chainId) return [item.index, otherChain(item.plan, view)];
    const answer = byIndex.get(item.index);
    const gas = item.plan.gas ?? readGas(answer, view, item.plan);
    if (gas === undefined) return [item.index, refusal(answer, registry)];
    if (gas > view.head.gasLimit) return [item.index, wait(beyondBlock(gas, view))];
    const chosen = chooseFee(view, item.plan.given, properties.maxFeeCap, phase);
    if ('problem' in chosen) return [item.index, wait(chosen.problem)];
    const plan: Plan = { ...item.plan, gas, fee: chosen.fee, errors: [] };
    const problem = unpayable(plan, phase);
    if (problem !== undefined)
      return [item.index, { status: problem.code === 'refused' ? 'failed' : 'wait', problem }];
    return [item.index, { status: 'ready', plan: planToJson(plan), cost: costOf(plan) }];
  });
  return { found: new Map(results), height };
}

/** One address may lead to many nodes, so the height is requested before and after the estimates. */
async function estimatesOf(
  node: RpcNode,
  view: LedgerView,
  items: readonly Item[],
): Promise<{ answers: RpcAnswer[]; height: number }> {
  const { height } = view.head;
  if (items.every(({ minHeight }) => minHeight === 0)) {
    return { answers: await node.batch(items.map(estimateCall)), height };
  }
  const [first, ...answers] = await node.batch([newestNumber, ...items.map(estimateCall), newestNumber]);
  const ends = [first, answers.pop()].map((answer) =>
    answer?.ok === true ? readNumber(answer.result, 'the newest height') : 0,
  );
  return { answers, height: Math.min(height, ...ends) };
}

const newestNumber: RpcCall = { method: 'eth_blockNumber', params: [] };

/** Returns the failure of an operation that was accepted while the ledger was on another chain. */
function otherChain(plan: Plan, { chainId }: LedgerView): Estimated {
  const detail = `The operation was planned for chain ${plan.chainId}, but the ledger is now on chain ${chainId}. Send it again.`;
  const issues = [{ pointer: '/native/chainId', detail: `is not ${chainId}` }];
  return { status: 'failed', problem: { code: 'wrong-chain', phase, detail, issues } };
}

function estimateCall({ from, plan }: Item): RpcCall {
  return { method: 'eth_estimateGas', params: [callObject(from, plan)] };
}

/** Reads the gas of an estimate. A node with outdated rules estimates less than the chain charges. */
function readGas(
  answer: RpcAnswer | undefined,
  { head, transferGas }: LedgerView,
  { type, data, accessList }: Plan,
): bigint | undefined {
  if (
    answer?.ok !== true ||
    typeof answer.result !== 'string' ||
    !/^0x[0-9a-f]{1,64}$/i.test(answer.result)
  ) {
    return undefined;
  }
  const gas = withHeadroom(BigInt(answer.result), head.gasLimit);
  const least = intrinsicGas({ creation: type === 'contract_deploy', data, accessList }, strictestRules);
  return transferGas === 'fixed' && gas < least ? least : gas;
}

/** Returns the problem of a transaction that cannot be mined unless the block gas limit rises. */
function beyondBlock(gas: bigint, { head }: LedgerView): AdapterProblem {
  const detail = `The transaction needs ${gas} gas, but the gas limit of a block is currently ${head.gasLimit}. The transaction waits until the limit rises.`;
  return {
    code: 'refused',
    phase,
    detail,
    data: { gas: gas.toString(), blockGasLimit: head.gasLimit.toString() },
  };
}

/** Refusals that are assumed to be permanent. */
const final: ReadonlySet<NodeMessageKind> = new Set([
  'reverted',
  'insufficient-funds',
  'out-of-gas',
  'gas-too-low',
  'too-large',
]);

/** Returns a refusal of the execution, which fails the operation. Any other error is retried later. */
function refusal(answer: RpcAnswer | undefined, registry: ErrorRegistry): Estimated {
  if (answer === undefined || answer.ok) return wait(unanswered);
  const kind = classify(answer.error);
  const problem = problemOf(answer.error, phase, registry, { otherwise: 'unavailable' });
  return final.has(kind) ? { status: 'failed', problem } : wait(problem);
}
