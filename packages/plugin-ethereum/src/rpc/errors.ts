import type { AdapterErrorCode, AdapterProblem, Phase } from '@ledger-ops/adapter';
import type { ErrorRegistry } from '../abi/error-registry.ts';
import type { RpcAnswer, RpcError } from './json-rpc.ts';
import { type NodeMessageKind, textsIn } from './node-texts.ts';
import { unlistedKind } from './unlisted-texts.ts';

const codeKinds: Readonly<Record<number, NodeMessageKind>> = {
  // EIP-1474, and HTTP-like codes of hosted nodes.
  [-32005]: 'busy',
  429: 'busy',
  // OpenEthereum and Nethermind use this code for execution errors, regardless of the message.
  [-32015]: 'reverted',
};

/**
 * Classifies a node's error. Only this function interprets messages (`node-texts.ts`, `unlisted-texts.ts`)
 * and codes of nodes. If a message starts with "execution reverted" or similar, it is a revert: the rest is
 * the contract's own message, which may contain anything.
 */
export function classify({ code, message, data }: RpcError): NodeMessageKind {
  if (code === -32601) return 'unknown-method';
  const found = textsIn(message);
  const first = found.find(({ at }) => at === 0);
  if (code === 3) {
    // Most nodes send revert data with code 3; zkSync also uses this code for refused transactions.
    const isOfNode = first !== undefined && (revertDataOf(data) ?? '0x') === '0x';
    return isOfNode ? first.kind : 'reverted';
  }
  const best = first?.kind === 'reverted' ? first : found[0];
  if (best !== undefined) return best.kind;
  if (revertDataOf(data) !== undefined) return codeKinds[code] ?? 'reverted';
  return unlistedKind(message) ?? codeKinds[code] ?? 'other';
}

/**
 * Maximum number of characters of revert data that are read, because a node may send megabytes. Data of this length is
 * shown as bytes: `ErrorRegistry` decodes only shorter data.
 */
const longestRevertData = 65_536;

/**
 * Returns the bytes with which a contract reverted, from any place where nodes put them; undefined if there
 * are none.
 */
export function revertDataOf(data: unknown): string | undefined {
  if (typeof data === 'string') {
    const isCut = data.length > longestRevertData;
    const [, bytes, half] =
      /^(?:reverted )?(0x(?:[0-9a-f]{2})*)([0-9a-f]?)$/i.exec(data.slice(0, longestRevertData).trim()) ?? [];
    return half === '' || isCut ? bytes?.toLowerCase() : undefined;
  }
  if (typeof data !== 'object' || data === null) return undefined;
  if ('data' in data) return revertDataOf(data.data);
  if ('originalError' in data) return revertDataOf(data.originalError);
  return undefined;
}

const codes: Readonly<Partial<Record<NodeMessageKind, AdapterErrorCode>>> = {
  'insufficient-funds': 'insufficient-funds',
  reverted: 'reverted',
  'gas-too-low': 'out-of-gas',
  'gas-too-high': 'refused',
  'too-large': 'refused',
  'not-allowed': 'refused',
  'out-of-gas': 'out-of-gas',
  behind: 'unavailable',
  busy: 'unavailable',
  'batch-refused': 'unavailable',
};

/** Converts a node's error to a problem of the adapter contract. */
export function problemOf(
  error: RpcError,
  phase: Phase,
  registry: ErrorRegistry,
  more: { txId?: string; otherwise?: AdapterErrorCode } = {},
): AdapterProblem {
  const kind = classify(error);
  const txId = more.txId === undefined ? {} : { txId: more.txId };
  const data = revertDataOf(error.data);
  if (kind === 'reverted' && data !== undefined && data !== '0x') {
    return { phase, ...txId, ...registry.describe(data) };
  }
  const code = codes[kind] ?? more.otherwise ?? 'refused';
  const said = readable(error.message);
  const detail =
    kind === 'reverted' ? `The contract reverted: ${said}.` : `Error from the node: ${said} (${error.code}).`;
  return { code, phase, detail, ...txId, data: { node: kind } };
}

/** Maximum number of characters of a node's message that errors quote. */
const longestSaid = 300;
/** Parts of messages that are removed: addresses of nodes and possible API keys. */
const unsaid: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/\S+/gi, '[address]'],
  [/\S+@\S+/g, '[address]'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, '[address]'],
  [/\[[0-9a-f]*:[0-9a-f:.]+\](?::\d{1,5})?/gi, '[address]'],
  [/\b(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+):\d{2,5}\b/gi, '[address]'],
  [/(?<![\w-])(?!0x)(?=[a-z_-]*\d)(?=[\d_-]*[a-z])[\w-]{24,}/gi, '[key]'],
];

/** Returns a sentence that quotes an error answer; empty if there is nothing to quote. */
export function quoteAnswer(answer: RpcAnswer | undefined): string {
  if (answer === undefined || answer.ok) return '';
  return ` It said: ${readable(answer.error.message)} (${answer.error.code}).`;
}

/** Returns a node's message without addresses and keys. */
export function readable(message: string): string {
  let text = message.slice(0, 4 * longestSaid).replace(/[\p{C}\p{Z}]+/gu, ' ');
  for (const [pattern, instead] of unsaid) text = text.replace(pattern, instead);
  return text.trim().slice(0, longestSaid).toWellFormed().replace(/\.$/, '');
}
