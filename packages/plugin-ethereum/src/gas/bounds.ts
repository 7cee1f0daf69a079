import { type AdapterError, adapterError } from '@ledger-ops/adapter';
import type { ErrorRegistry } from '../abi/error-registry.ts';
import type { LedgerView, LedgerViews } from '../blocks/ledger-view.ts';
import type { EthereumProperties } from '../properties.ts';
import { callObject } from '../rpc/call-object.ts';
import { classify, problemOf } from '../rpc/errors.ts';
import type { NodeMessageKind } from '../rpc/node-texts.ts';
import type { Nodes } from '../rpc/nodes.ts';
import { bytesOf } from '../transactions/size.ts';
import { mostGas } from './gas-limit.ts';
import { gasCapOf, rulesOf } from './gas-rules.ts';
import { type ChargedContent, intrinsicGas, mostInitCode, strictestRules } from './intrinsic-gas.ts';

/** The part of a session that bounds need, where a node has to say them. */
export interface BoundsContext {
  nodes: Nodes;
  views: LedgerViews;
  registry: ErrorRegistry;
  properties: EthereumProperties;
}

/** A transaction as far as its bounds go by it. */
export interface BoundedContent extends ChargedContent {
  from: string;
  /** Null for a deployment, and for a call of what is still to be deployed. */
  to: string | null;
  value: bigint;
}

const phase = 'check';

/**
 * Holds a gas limit that the user gave against what the transaction takes before it runs, and what a block has.
 * @throws AdapterError `out-of-gas` with the least that is needed; `refused` above what can be
 */
export async function requireGasLimit(
  gasLimit: bigint,
  content: BoundedContent,
  view: LedgerView,
  context: BoundsContext,
): Promise<void> {
  const { properties, nodes, views } = context;
  if (properties.transferGas === 'estimate') await requireNodesWord(gasLimit, content, context);
  else if (gasLimit < intrinsicGas(content, strictestRules)) {
    const least = intrinsicGas(content, await rulesOf(view.head, nodes, phase));
    if (gasLimit < least) {
      const detail = `is ${gasLimit}: the transaction needs at least ${least} before anything of it runs`;
      throw adapterError('out-of-gas', `gasLimit ${detail}.`, {
        phase,
        issues: [{ pointer: gasPointer, detail }],
        data: { least: least.toString() },
      });
    }
  }
  if (gasLimit > view.head.gasLimit) {
    const { head } = await views.refresh(phase);
    if (gasLimit > head.gasLimit) throw tooMuchGas(gasLimit, head.gasLimit, 'a block of this ledger has');
  }
  const cap = properties.maxTransactionGas ?? mostGas;
  if (gasLimit <= cap) return;
  const most = properties.maxTransactionGas ?? (await gasCapOf(nodes, phase));
  if (most !== undefined && gasLimit > most) throw tooMuchGas(gasLimit, most, 'a transaction may have');
}

/** Chains that charge in ways of their own: their node says whether the gas is too little. */
async function requireNodesWord(gasLimit: bigint, content: BoundedContent, context: BoundsContext) {
  // A contract that is still to be deployed cannot be called.
  if (content.to === null && !content.creation) return;
  const call = { ...callObject(content.from, content), gas: `0x${gasLimit.toString(16)}` };
  const said = await nodesRefusal(call, 'gas-too-low', context);
  if (said === undefined) return;
  const detail = `is ${gasLimit}, and the node takes it for too little`;
  throw adapterError('out-of-gas', `gasLimit ${detail}. ${said}`, {
    phase,
    issues: [{ pointer: gasPointer, detail }],
  });
}

/**
 * Creation code above the bound of most chains (EIP-3860): private ones raise it, so the node has the word.
 * @throws AdapterError `refused`
 */
export async function requireInitCode(
  { creation, data, from }: BoundedContent,
  pointer: string,
  context: BoundsContext,
): Promise<void> {
  const bytes = bytesOf(data);
  if (!creation || bytes <= mostInitCode) return;
  const said = await nodesRefusal({ from, data }, 'too-large', context);
  if (said === undefined) return;
  const detail = `makes ${bytes} bytes of creation code; most chains take ${mostInitCode} at most (EIP-3860)`;
  throw adapterError('refused', `The deployment ${detail}. ${said}`, {
    phase,
    issues: [{ pointer, detail }],
  });
}

/** A node's words, where it refuses a call for this reason. */
async function nodesRefusal(
  call: Record<string, unknown>,
  kind: NodeMessageKind,
  { nodes, registry }: BoundsContext,
): Promise<string | undefined> {
  const [answer] = await nodes.onNode(phase, (node) =>
    node.batch([{ method: 'eth_call', params: [call, 'latest'] }]),
  );
  if (answer === undefined || answer.ok || classify(answer.error) !== kind) return undefined;
  return problemOf(answer.error, phase, registry).detail;
}

const gasPointer = '/native/gasLimit';

function tooMuchGas(gasLimit: bigint, most: bigint, has: string): AdapterError {
  const detail = `is ${gasLimit}: ${has} ${most} at most`;
  return adapterError('refused', `gasLimit ${detail}.`, {
    phase,
    issues: [{ pointer: gasPointer, detail }],
    data: { most: most.toString() },
  });
}
