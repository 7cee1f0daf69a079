import type { AdapterProblem, JsonObject } from '@ledger-ops/adapter';
import { ErrorFragment, Interface } from 'ethers';
import { resultToJson } from './result-to-json.ts';

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
