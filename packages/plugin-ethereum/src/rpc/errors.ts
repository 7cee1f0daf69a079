import type { AdapterErrorCode, AdapterProblem, Phase } from '@ledger-ops/adapter';
import type { ErrorRegistry } from '../abi/error-registry.ts';
import type { RpcError } from './node.ts';
import { type NodeMessageKind, textsIn } from './node-texts.ts';

const codeKinds: Readonly<Record<number, NodeMessageKind>> = {
  // EIP-1474, and what hosts say by HTTP.
  [-32005]: 'busy',
  429: 'busy',
  // OpenEthereum and Nethermind: an execution error, whatever the text.
  [-32015]: 'reverted',
};

/**
 * Gives the meaning of a node's error: the one place where texts of nodes (`node-texts.ts`) and codes are looked at. A
 * contract's own words follow what says that it reverted, so that counts first.
 */
export function classify({ code, message, data }: RpcError): NodeMessageKind {
  if (code === 3) return 'reverted';
  if (code === -32601) return 'unknown-method';
  const found = textsIn(message);
  const first = found.find(({ at }) => at === 0);
  const best = first?.kind === 'reverted' ? first : found[0];
  if (best !== undefined) return best.kind;
  return codeKinds[code] ?? (revertDataOf(data) === undefined ? 'other' : 'reverted');
}

/** The bytes with which a contract reverted, wherever the node put them; undefined when it gave none. */
export function revertDataOf(data: unknown): string | undefined {
  if (typeof data === 'string')
    return /^(?:reverted )?(0x(?:[0-9a-f]{2})*)$/i.exec(data.trim())?.[1]?.toLowerCase();
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
};

/** A node's error as a problem of the contract. */
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
    kind === 'reverted' ? `The contract refused: ${said}.` : `The node said: ${said} (${error.code}).`;
  return { code, phase, detail, ...txId, data: { node: kind } };
}

/** Longest text of a node that is repeated. */
const longestSaid = 300;
/** Where nodes are, and what may be a key: nobody needs them to understand what a node says. */
const unsaid: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/\S+/gi, '[address]'],
  [/\S+@\S+/g, '[address]'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, '[address]'],
  [/\[[0-9a-f]*:[0-9a-f:.]+\](?::\d{1,5})?/gi, '[address]'],
  [/\b(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+):\d{2,5}\b/gi, '[address]'],
  [/(?<![\w-])(?!0x)(?=[a-z_-]*\d)(?=[\d_-]*[a-z])[\w-]{24,}/gi, '[key]'],
];

/** A node's message, word for word but for addresses and keys. */
export function readable(message: string): string {
  let text = message.slice(0, 4 * longestSaid).replace(/[\p{C}\p{Z}]+/gu, ' ');
  for (const [pattern, instead] of unsaid) text = text.replace(pattern, instead);
  return text.trim().slice(0, longestSaid).toWellFormed().replace(/\.$/, '');
}
