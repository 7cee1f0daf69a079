import type { AdapterProblem, Estimated, EstimateRequest } from '@ledger-ops/adapter';
import { AdapterError } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import type { ErrorRegistry } from './abi/error-registry.ts';
import type { LedgerView, LedgerViews } from './blocks/ledger-view.ts';
import { chooseFee } from './gas/fees.ts';
import { withHeadroom } from './gas/gas-limit.ts';
import { intrinsicGas, strictestRules } from './gas/intrinsic-gas.ts';
import { costOf, mostWei, type Plan, planFromJson, planToJson, unpayable } from './plan.ts';
import type { EthereumProperties } from './properties.ts';
import { callObject } from './rpc/call-object.ts';
import { classify, problemOf } from './rpc/errors.ts';
import type { RpcAnswer, RpcCall, RpcNode } from './rpc/node.ts';
import type { NodeMessageKind } from './rpc/node-texts.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readNumber } from './rpc/quantity.ts';

/** The part of a session that estimating needs. */
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
 * Fills in gas and fee, all in one batch, without a nonce: earlier transactions of the wallet do not matter.
 * The fee is read anew even where the plan has one. Nothing here throws for a node's sake.
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
    // Those that the first node is behind for are asked of the others.
    await context.nodes.onNode(phase, async (node) => {
      const view = await context.views.refreshOn(node);
      const reached = open.filter(({ minHeight }) => minHeight <= view.head.height);
      const { found, height } = await estimateOn(node, view, reached, context);
      for (const [index, answer] of found) answers.set(index, answer);
      open = open.filter(({ index }) => !answers.has(index));
      if (open.length > 0) {
        const needed = Math.max(...open.map(({ minHeight }) => minHeight));
        const detail = `Node ${node.nodeId} is at block ${height}, block ${needed} is needed: ask again later.`;
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
  detail: 'No node answered: ask again later.',
};

function wait(problem: AdapterProblem): Estimated {
  return { status: 'wait', problem };
}

/** Estimates of those whose blocks the node has, and how far it is. */
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
    const gas = item.plan.gas ?? readGas(answer, view, item.plan, properties);
    if (gas === undefined) return [item.index, refusal(answer, registry)];
    if (gas > view.head.gasLimit) return [item.index, wait(beyondBlock(gas, view))];
    const chosen = chooseFee(view, item.plan.given, properties.maxFeeCap, phase);
    if ('problem' in chosen) return [item.index, wait(chosen.problem)];
    const plan: Plan = { ...item.plan, gas, fee: chosen.fee, errors: [] };
    const cost = costOf(plan);
    if (cost > mostWei) return [item.index, { status: 'failed', problem: unpayable(cost, phase) }];
    return [item.index, { status: 'ready', plan: planToJson(plan), cost }];
  });
  return { found: new Map(results), height };
}

/** Behind an address there may be many nodes: whichever answers says how far it is, before and after. */
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

/** The ledger was on another chain when the operation was accepted. */
function otherChain(plan: Plan, { chainId }: LedgerView): Estimated {
  const detail = `The operation was planned for chain ${plan.chainId}, and the ledger is on chain ${chainId} now: send it again.`;
  const issues = [{ pointer: '/native/chainId', detail: `is not ${chainId}` }];
  return { status: 'failed', problem: { code: 'wrong-chain', phase, detail, issues } };
}

function estimateCall({ from, plan }: Item): RpcCall {
  return { method: 'eth_estimateGas', params: [callObject(from, plan)] };
}

/** A node of older rules than its chain's estimates less than the chain takes. */
function readGas(
  answer: RpcAnswer | undefined,
  { head }: LedgerView,
  { type, data, accessList }: Plan,
  { transferGas }: EthereumProperties,
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

/** Blocks may have more room later; until then nothing of it could be mined. */
function beyondBlock(gas: bigint, { head }: LedgerView): AdapterProblem {
  const detail = `The transaction needs ${gas} gas, and a block of the ledger has ${head.gasLimit} now: it waits until blocks have more.`;
  return {
    code: 'refused',
    phase,
    detail,
    data: { gas: gas.toString(), blockGasLimit: head.gasLimit.toString() },
  };
}

/** Refusals that no later moment changes, as far as one can know. */
const final: ReadonlySet<NodeMessageKind> = new Set([
  'reverted',
  'insufficient-funds',
  'out-of-gas',
  'gas-too-low',
  'too-large',
]);

/** A refusal of the execution fails the operation; anything else that a node says is for later. */
function refusal(answer: RpcAnswer | undefined, registry: ErrorRegistry): Estimated {
  if (answer === undefined || answer.ok) return wait(unanswered);
  const kind = classify(answer.error);
  const problem = problemOf(answer.error, phase, registry, { otherwise: 'unavailable' });
  return final.has(kind) ? { status: 'failed', problem } : wait(problem);
}
