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

/** The parts of a session that checking the bounds needs if a node must decide. */
export interface BoundsContext {
  nodes: Nodes;
  views: LedgerViews;
  registry: ErrorRegistry;
  properties: EthereumProperties;
}

/** The parts of a transaction that determine its bounds. */
export interface BoundedContent extends ChargedContent {
  from: string;
  /** The target address; null for a deployment, and for a call to a contract that is not deployed yet. */
  to: string | null;
  value: bigint;
}

const phase = 'check';

/**
 * Compares the user's gas limit with the transaction's intrinsic gas and the block's limit.
 *
 * @throws AdapterError `out-of-gas` with the minimum; `refused` above the maximum
 */
export async function requireGasLimit(
  gasLimit: bigint,
  content: BoundedContent,
  view: LedgerView,
  context: BoundsContext,
): Promise<void> {
  const { properties, nodes, views } = context;
  if (view.transferGas === 'estimate') await requireNodesWord(gasLimit, content, context);
  else if (gasLimit < intrinsicGas(content, strictestRules)) {
    const least = intrinsicGas(content, await rulesOf(view.head, nodes, phase));
    if (gasLimit < least) {
      const detail = `is ${gasLimit}, but the transaction needs at least ${least} before it executes anything`;
      throw adapterError('out-of-gas', `gasLimit ${detail}.`, {
        phase,
        issues: [{ pointer: gasPointer, detail }],
        data: { least: least.toString() },
      });
    }
  }
  if (gasLimit > view.head.gasLimit) {
    const { head } = await views.refresh(phase);
    if (gasLimit > head.gasLimit)
      throw tooMuchGas(gasLimit, head.gasLimit, 'a block of this ledger has at most');
  }
  const cap = properties.maxTransactionGas ?? mostGas;
  if (gasLimit <= cap) return;
  const most = properties.maxTransactionGas ?? (await gasCapOf(nodes, phase));
  if (most !== undefined && gasLimit > most)
    throw tooMuchGas(gasLimit, most, 'a transaction can have at most');
}

/** On chains with other gas rules, the node decides whether the gas is too low. */
async function requireNodesWord(gasLimit: bigint, content: BoundedContent, context: BoundsContext) {
  // A contract that is not deployed yet cannot be called.
  if (content.to === null && !content.creation) return;
  const call = { ...callObject(content.from, content), gas: `0x${gasLimit.toString(16)}` };
  const said = await nodesRefusal(call, 'gas-too-low', context);
  if (said === undefined) return;
  const detail = `is ${gasLimit}, which the node considers too low`;
  throw adapterError('out-of-gas', `gasLimit ${detail}. ${said}`, {
    phase,
    issues: [{ pointer: gasPointer, detail }],
  });
}

/**
 * Checks creation code above the limit of most chains (EIP-3860). Private chains raise it, so the node
 * decides.
 *
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
  const detail = `contains ${bytes} bytes of creation code, but most chains accept at most ${mostInitCode} (EIP-3860)`;
  throw adapterError('refused', `The deployment ${detail}. ${said}`, {
    phase,
    issues: [{ pointer, detail }],
  });
}

/** Returns the node's message if it refuses the call with an error of this kind. */
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
  const detail = `is ${gasLimit}, but ${has} ${most}`;
  return adapterError('refused', `gasLimit ${detail}.`, {
    phase,
    issues: [{ pointer: gasPointer, detail }],
    data: { most: most.toString() },
  });
}
