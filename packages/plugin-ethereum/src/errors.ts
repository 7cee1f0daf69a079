import type { AdapterErrorCode, AdapterProblem, JsonObject, Phase } from '@ledger-ops/adapter';
import { ErrorFragment, Interface } from 'ethers';
import { type NodeMessageKind, textsIn } from './node-texts.ts';
import { resultToJson } from './result-to-json.ts';
import type { NodeError } from './rpc-node.ts';

const codeKinds: Readonly<Record<number, NodeMessageKind>> = {
  // EIP-1474, and what hosts say by HTTP.
  [-32005]: 'busy',
  429: 'busy',
  // OpenEthereum and Nethermind: an execution error, whatever the text.
  [-32015]: 'reverted',
};

/**
 * What a node's error means: the one place where texts of nodes (`node-texts.ts`) and codes are looked at. A
 * contract's own words follow what says that it reverted, so that counts first.
 */
export function classify({ code, message, data }: NodeError): NodeMessageKind {
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
  error: NodeError,
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

/** What a node said, word for word but for what it should have kept to itself. */
function readable(message: string): string {
  let text = message.slice(0, 4 * longestSaid).replace(/[\p{C}\p{Z}]+/gu, ' ');
  for (const [pattern, instead] of unsaid) text = text.replace(pattern, instead);
  return text.trim().slice(0, longestSaid).toWellFormed().replace(/\.$/, '');
}

const panics: Readonly<Record<string, string>> = {
  '0': 'a compiler-inserted panic',
  '1': 'an assertion failed',
  '17': 'arithmetic overflow or underflow',
  '18': 'division or modulo by zero',
  '33': 'conversion to an enum value that does not exist',
  '34': 'a storage byte array is encoded wrongly',
  '49': 'pop of an empty array',
  '50': 'an array index is out of bounds',
  '65': 'too much memory was allocated',
  '81': 'a function variable of value zero was called',
};

const builtIn = Interface.from(['error Error(string reason)', 'error Panic(uint256 code)']);

/** Custom errors that interfaces declared, by selector, so that revert data can be read. */
export interface ErrorRegistry {
  /** Remembers errors, `Name(type name,…)` each; what is no error is ignored. */
  learn(signatures: readonly string[]): void;
  /** Reads revert data: code, detail and the decoded error for programs. */
  describe(data: string): Pick<AdapterProblem, 'code' | 'detail' | 'data'>;
}

/** @param limit Custom errors remembered; the oldest are forgotten first. */
export function createErrorRegistry(limit = 2000): ErrorRegistry {
  const known = new Map<string, ErrorFragment>();
  const seen = new Set<string>();

  return {
    learn(signatures) {
      for (const signature of signatures) {
        if (seen.has(signature)) continue;
        try {
          const fragment = ErrorFragment.from(`error ${signature}`);
          known.set(fragment.selector, fragment);
          seen.add(signature);
        } catch {
          // An error that cannot be read is shown as bytes later.
        }
        if (seen.size > limit) {
          seen.clear();
          known.clear();
        }
      }
    },
    describe(data) {
      const custom = known.get(data.slice(0, 10));
      try {
        const text = builtIn.parseError(data);
        if (text?.name === 'Error') {
          const reason = String(text.args[0]).slice(0, 1000);
          return reverted(reason === '' ? 'it gave no reason' : reason, {
            error: 'Error',
            arguments: [reason],
            revertData: data,
          });
        }
        if (text?.name === 'Panic') {
          const number = String(text.args[0]);
          const why = panics[number] ?? 'a panic';
          return reverted(`${why} (panic 0x${BigInt(number).toString(16).padStart(2, '0')})`, {
            error: 'Panic',
            arguments: [number],
            revertData: data,
          });
        }
        if (custom !== undefined) {
          const values = Interface.from([custom]).decodeErrorResult(custom, data);
          const readableValues = custom.inputs.map((input, index) => resultToJson(input, values[index]));
          const shown = custom.inputs.map((input, index) => {
            const value = readableValues[index];
            const label = input.name === '' ? '' : `${input.name} `;
            return `${label}${typeof value === 'string' ? value : JSON.stringify(value)}`;
          });
          return reverted(`${custom.name}(${shown.join(', ')})`.slice(0, 1000), {
            error: custom.name,
            signature: custom.format('sighash'),
            arguments: readableValues,
            revertData: data,
          });
        }
      } catch {
        // Data that does not fit its selector is shown as bytes.
      }
      const selector = data.slice(0, 10);
      return reverted(`an error that its interface does not declare (${selector})`, {
        selector,
        revertData: data,
      });
    },
  };
}

function reverted(reason: string, data: JsonObject): Pick<AdapterProblem, 'code' | 'detail' | 'data'> {
  const { revertData } = data;
  const bounded = typeof revertData === 'string' ? { revertData: revertData.slice(0, 2050) } : {};
  return { code: 'reverted', detail: `The contract refused: ${reason}.`, data: { ...data, ...bounded } };
}
