import type { AdapterProblem, Json, JsonObject } from '@ledger-ops/adapter';
import { ErrorFragment } from 'ethers';
import { decodeValues } from './decode.ts';

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

const builtIn = new Map(
  ['error Error(string reason)', 'error Panic(uint256 code)'].map((text) => {
    const fragment = ErrorFragment.from(text);
    return [fragment.selector, fragment];
  }),
);
/** Maximum number of hex characters of bytes that a message shows. */
const longestBytes = 400;
/**
 * Maximum number of characters of revert data that are decoded. Longer data is shown as bytes, because it is stored
 * with its action.
 */
const longestDecoded = 32_768;

/** Custom errors of known interfaces by selector, used to decode revert data. */
export interface ErrorRegistry {
  /** Adds errors, each as `Name(type name,…)`. Ignores strings that are not errors. */
  learn(signatures: readonly string[]): void;
  /** Decodes revert data into a code, a detail, and structured data. */
  describe(data: string): Pick<AdapterProblem, 'code' | 'detail' | 'data'>;
}

/** @param limit maximum number of custom errors kept; the oldest are evicted first. */
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
          // The registry ignores an error that cannot be parsed. Its reverts are shown as bytes.
        }
        if (seen.size > limit) {
          seen.clear();
          known.clear();
        }
      }
    },
    describe(data) {
      const selector = data.slice(0, 10);
      const error = data.length > longestDecoded ? undefined : (builtIn.get(selector) ?? known.get(selector));
      if (error !== undefined) return describeError(error, data);
      return reverted(`an error that its interface does not declare (${selector})`, {
        selector,
        revertData: data,
      });
    },
  };
}

function describeError(error: ErrorFragment, data: string): Pick<AdapterProblem, 'code' | 'detail' | 'data'> {
  let values: Json[];
  try {
    values = decodeValues(error.inputs, `0x${data.slice(10)}`);
  } catch {
    return undecodable(error, data);
  }
  if (builtIn.has(error.selector)) {
    const [value] = values.map(String);
    const told = { error: error.name, arguments: [(value ?? '').slice(0, 1_000)], revertData: data };
    return reverted(
      error.name === 'Error' ? told.arguments[0] || 'it returned no reason' : panicOf(value),
      told,
    );
  }
  const shown = error.inputs.map(({ name }, index) => {
    const value = values[index];
    const label = name === '' ? '' : `${name} `;
    return `${label}${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  return reverted(`${error.name}(${shown.join(', ')})`.slice(0, 1_000), {
    error: error.name,
    signature: error.format('sighash'),
    arguments: values,
    revertData: data,
  });
}

/**
 * Returns an error whose arguments do not match its declaration, or contain strings that are not UTF-8. The
 * arguments are shown as bytes.
 */
function undecodable(error: ErrorFragment, data: string): Pick<AdapterProblem, 'code' | 'detail' | 'data'> {
  const bytes = `0x${data.slice(10)}`;
  const shown = bytes.length > longestBytes ? `${bytes.slice(0, longestBytes)}…` : bytes;
  const signature = error.format('sighash');
  const reason = `an error whose arguments do not match ${signature}: ${shown}`;
  return reverted(reason, { error: error.name, signature, selector: error.selector, revertData: data });
}

function panicOf(code = '0'): string {
  return `${panics[code] ?? 'a panic'} (panic 0x${BigInt(code).toString(16).padStart(2, '0')})`;
}

function reverted(reason: string, data: JsonObject): Pick<AdapterProblem, 'code' | 'detail' | 'data'> {
  const { revertData } = data;
  const bounded = typeof revertData === 'string' ? { revertData: revertData.slice(0, 2050) } : {};
  return { code: 'reverted', detail: `The contract reverted: ${reason}.`, data: { ...data, ...bounded } };
}
