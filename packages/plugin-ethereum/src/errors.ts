import type { AdapterErrorCode, AdapterProblem, JsonObject, Phase } from '@ledger-ops/adapter';
import { ErrorFragment, Interface } from 'ethers';
import { resultToJson } from './result-to-json.ts';
import type { NodeError } from './rpc-node.ts';

/**
 * The one place where texts and codes of nodes are classified, and where revert data is read. The texts are
 * those of geth (core/error.go, core/txpool/errors.go), erigon's pool, nethermind (AcceptTxResult.cs,
 * TxPoolErrorMessages.cs), besu (RpcErrorType.java), anvil and reth; codes of EIP-1474.
 */
export type NodeMessageKind =
  | 'known'
  | 'nonce-too-low'
  | 'underpriced'
  | 'insufficient-funds'
  | 'reverted'
  | 'out-of-gas'
  | 'behind'
  | 'busy'
  | 'unknown-method'
  | 'other';

const kinds: readonly (readonly [NodeMessageKind, RegExp])[] = [
  // First of all, since a contract's own words may follow.
  ['reverted', /^\W*(?:error: )?(?:vm exception.*revert|execution reverted|vm execution error)/i],
  ['known', /already known|alreadyknown|\bknown transaction|already imported|already in (the )?(mem)?pool/i],
  [
    'nonce-too-low',
    /nonce (is )?too (low|small)|oldnonce|below (the )?sender account nonce|lower than the current nonce/i,
  ],
  [
    'underpriced',
    /underpriced|could not replace existing tx|fee ?too ?low|insufficient maxfee|fee.*less than block base fee|gas price (is )?(too low|below)|tip.*too low|replacement ?not ?allowed/i,
  ],
  [
    'insufficient-funds',
    /insufficient ?(funds|balance|sender balance)|up-?front cost.*exceeds|not enough (funds|balance)/i,
  ],
  [
    'behind',
    /header not found|unknown block|block not found|missing trie node|block ?out ?of ?range|state (is )?not available|could not find block|resource not found|historical state|initial sync/i,
  ],
  ['out-of-gas', /out ?of ?gas|gas required exceeds|intrinsic ?gas|exceeds allowance/i],
  ['other', /gas limit/i],
  [
    'busy',
    /rate limit|too many requests|limit exceeded|exceeds.*limit|capacity|exceeded.*(?:compute|quota)|temporarily|try again|timed? ?out|pool is full/i,
  ],
  ['reverted', /revert|bad instruction|invalid opcode|invalid jump|stack (under|over)flow|evm error/i],
  ['unknown-method', /method.*(not found|not supported|does not exist|not available)|unsupported method/i],
];

/** What a node's error means. */
export function classify({ code, message, data }: NodeError): NodeMessageKind {
  if (code === 3) return 'reverted';
  if (code === -32601) return 'unknown-method';
  const kind = kinds.find(([, pattern]) => pattern.test(message))?.[0];
  if (kind !== undefined) return kind;
  if (code === -32005 || code === 429) return 'busy';
  // Nethermind and others: an execution error, whatever the text.
  return code === -32015 || revertDataOf(data) !== undefined ? 'reverted' : 'other';
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

function readable(message: string): string {
  const printable = message.replace(/[^\x21-\x7e]+/g, ' ').replace(/\b(?:https?|wss?):\/\/\S+/g, '[address]');
  return printable.trim().slice(0, 300).replace(/\.$/, '');
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
