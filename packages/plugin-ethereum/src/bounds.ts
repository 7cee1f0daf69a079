import { type AdapterError, adapterError, type Phase } from '@ledger-ops/adapter';
import { classify, type ErrorRegistry, problemOf } from './errors.ts';
import { callObject } from './estimate.ts';
import { mostGas } from './gas.ts';
import { gasCapOf, rulesOf } from './gas-rules.ts';
import { bytesOf, type ChargedContent, intrinsicGas, mostInitCode, strictestRules } from './intrinsic-gas.ts';
import type { LedgerView, LedgerViews } from './ledger-view.ts';
import type { NodeMessageKind } from './node-texts.ts';
import type { EthereumProperties } from './properties.ts';
import type { Rpc } from './rpc.ts';

/** What bounds are asked of, where a node has to say. */
export interface BoundsContext {
  rpc: Rpc;
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

/** Most bytes of an encoded transaction in the pools of nodes: four slots of 32 KiB. */
const mostBytes = 131_072;
/** What is neither data nor access list takes at most 204 bytes, signature and headers of lists with it. */
const otherBytes = 204;
const listEntryBytes = 30;
const listKeyBytes = 33;

/** @throws AdapterError `refused` for more data than any transaction can carry */
export function requireDataSize(bytes: number, where: Phase, pointer: string): void {
  if (bytes <= mostBytes) return;
  throw refused(
    where,
    pointer,
    `makes ${bytes} bytes of data; nodes take transactions of ${mostBytes} bytes`,
  );
}

/** @throws AdapterError `refused` where the whole transaction is larger than what nodes take */
export function requireSize({ data, accessList }: ChargedContent, dataPointer: string): void {
  const dataBytes = bytesOf(data);
  let listBytes = 0;
  for (const { storageKeys } of accessList ?? []) {
    listBytes += listEntryBytes + listKeyBytes * storageKeys.length;
  }
  const whole = dataBytes + listBytes + otherBytes;
  if (whole <= mostBytes) return;
  const pointer = listBytes > dataBytes ? '/native/accessList' : dataPointer;
  throw refused(
    phase,
    pointer,
    `makes a transaction of up to ${whole} bytes; nodes take ${mostBytes} at most`,
  );
}

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
  const { properties, rpc, views } = context;
  if (properties.transferGas === 'estimate') await requireNodesWord(gasLimit, content, context);
  else if (gasLimit < intrinsicGas(content, strictestRules)) {
    const least = intrinsicGas(content, await rulesOf(view.head, rpc, phase));
    if (gasLimit < least) {
      const detail = `is ${gasLimit}: the transaction needs at least ${least} before anything of it runs`;
      throw adapterError('out-of-gas', phase, `gasLimit ${detail}.`, {
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
  const most = properties.maxTransactionGas ?? (await gasCapOf(rpc, phase));
  if (most !== undefined && gasLimit > most) throw tooMuchGas(gasLimit, most, 'a transaction may have');
}

/** Chains that charge in ways of their own: their node says whether the gas is too little. */
async function requireNodesWord(gasLimit: bigint, content: BoundedContent, context: BoundsContext) {
  // What is still to be deployed cannot be called.
  if (content.to === null && !content.creation) return;
  const call = { ...callObject(content.from, content), gas: `0x${gasLimit.toString(16)}` };
  const said = await nodesRefusal(call, 'gas-too-low', context);
  if (said === undefined) return;
  const detail = `is ${gasLimit}, and the node takes it for too little`;
  throw adapterError('out-of-gas', phase, `gasLimit ${detail}. ${said}`, {
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
  throw adapterError('refused', phase, `The deployment ${detail}. ${said}`, {
    issues: [{ pointer, detail }],
  });
}

/** What a node says of a call, where it refuses it for this. */
async function nodesRefusal(
  call: Record<string, unknown>,
  kind: NodeMessageKind,
  { rpc, registry }: BoundsContext,
): Promise<string | undefined> {
  const [answer] = await rpc.onNode(phase, (node) =>
    node.batch([{ method: 'eth_call', params: [call, 'latest'] }]),
  );
  if (answer === undefined || answer.ok || classify(answer.error) !== kind) return undefined;
  return problemOf(answer.error, phase, registry).detail;
}

const gasPointer = '/native/gasLimit';

function tooMuchGas(gasLimit: bigint, most: bigint, has: string): AdapterError {
  const detail = `is ${gasLimit}: ${has} ${most} at most`;
  return adapterError('refused', phase, `gasLimit ${detail}.`, {
    issues: [{ pointer: gasPointer, detail }],
    data: { most: most.toString() },
  });
}

function refused(where: Phase, pointer: string, detail: string): AdapterError {
  return adapterError('refused', where, `The operation ${detail}.`, { issues: [{ pointer, detail }] });
}
