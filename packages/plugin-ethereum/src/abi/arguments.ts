import type { Phase } from '@ledger-ops/adapter';
import { JsonError, parseJson } from '@ledger-ops/glo-core';
import type { ParamType } from 'ethers';
import { invalid } from '../invalid.ts';
import { requireAddress } from '../transactions/address.ts';

/**
 * Converts argument strings to ABI values. Integers are decimal or `0x` strings, bytes are `0x` strings,
 * booleans are `true` or `false`, strings are taken unchanged, arrays are JSON arrays, tuples are JSON arrays
 * or objects keyed by member name. Inside JSON, numbers and booleans may also be JSON numbers and booleans.
 *
 * @throws AdapterError `invalid-argument` at `/args` or `/args/<index>/…`.
 */
export function readArguments(
  types: readonly ParamType[],
  texts: readonly string[],
  phase: Phase,
): unknown[] {
  if (types.length !== texts.length) {
    const expected = types.map((type) => `${type.format('sighash')} ${type.name}`.trim()).join(', ');
    const detail =
      types.length === 0
        ? `must be empty, but contains ${texts.length}`
        : `must contain ${types.length} ${types.length === 1 ? 'argument' : 'arguments'} (${expected}), but contains ${texts.length}`;
    throw invalid(phase, '/args', detail);
  }
  const budget: Budget = { values: maxValues };
  return types.map((type, index) => readText(type, texts[index] ?? '', budget, phase, `/args/${index}`));
}

/**
 * Maximum number of values in all JSON arguments together, including arrays and tuples. This is twice the number of
 * 32-byte words that a transaction can carry (4,096).
 */
const maxValues = 8_192;

/** Maximum number of characters of one value: as many hex digits as a transaction can carry. */
const maxText = 262_146;

/** Number of values that may still be read before the limit is reached. */
interface Budget {
  values: number;
}

function readText(type: ParamType, text: string, budget: Budget, phase: Phase, pointer: string): unknown {
  if (!type.isArray() && !type.isTuple()) return readSimple(type.type, text, phase, pointer);
  let json: unknown;
  try {
    json = parseJson(text, { values: maxValues });
  } catch (error) {
    const why = error instanceof JsonError ? ` (${error.message})` : '';
    throw invalid(phase, pointer, `must be JSON for ${type.format('sighash')}${why}`);
  }
  return readJson(type, json, budget, phase, pointer);
}

function readJson(type: ParamType, json: unknown, budget: Budget, phase: Phase, pointer: string): unknown {
  budget.values -= 1;
  if (budget.values < 0)
    throw invalid(
      phase,
      pointer,
      `exceeds the limit: all arguments together can contain at most ${maxValues} values`,
    );
  if (type.isArray()) {
    const { arrayChildren, arrayLength } = type;
    if (!Array.isArray(json))
      throw invalid(phase, pointer, `must be a JSON array for ${type.format('sighash')}`);
    if (arrayLength !== -1 && arrayLength !== json.length) {
      throw invalid(phase, pointer, `must contain ${arrayLength} items, but contains ${json.length}`);
    }
    return json.map((item, index) => readJson(arrayChildren, item, budget, phase, `${pointer}/${index}`));
  }
  if (type.isTuple()) {
    return membersOf(type, json, phase, pointer).map(({ member, value, key }) =>
      readJson(member, value, budget, phase, `${pointer}/${key}`),
    );
  }
  if (typeof json === 'string') return readSimple(type.type, json, phase, pointer);
  if (typeof json === 'boolean' && type.type === 'bool') return json;
  if (typeof json === 'number' && Number.isSafeInteger(json) && /^u?int/.test(type.type)) {
    return readInteger(type.type, String(json), phase, pointer);
  }
  throw invalid(phase, pointer, `must be ${expectation(type.type)}`);
}

function membersOf(
  type: ParamType & { components: readonly ParamType[] },
  json: unknown,
  phase: Phase,
  pointer: string,
): { member: ParamType; value: unknown; key: string }[] {
  const { components } = type;
  if (Array.isArray(json)) {
    if (json.length !== components.length) {
      throw invalid(phase, pointer, `must contain ${components.length} members, but contains ${json.length}`);
    }
    return components.map((member, index) => ({ member, value: json[index], key: String(index) }));
  }
  if (typeof json === 'object' && json !== null) {
    const given = new Map<string, unknown>(Object.entries(json));
    const names = components.map(({ name }) => name);
    const unknown = [...given.keys()].find((name) => !names.includes(name));
    if (unknown !== undefined) {
      throw invalid(
        phase,
        pointer,
        `has a member that ${type.format('sighash')} does not have: ${unknown.slice(0, 100)}`,
      );
    }
    return components.map((member) => {
      if (member.name === '' || !given.has(member.name)) {
        throw invalid(
          phase,
          pointer,
          `does not contain the member ${member.name || '(a member without a name; use an array)'}`,
        );
      }
      return { member, value: given.get(member.name), key: member.name };
    });
  }
  throw invalid(phase, pointer, `must be a JSON array or object for ${type.format('sighash')}`);
}

function readSimple(type: string, text: string, phase: Phase, pointer: string): unknown {
  if (text.length > maxText) throw invalid(phase, pointer, `has more than ${maxText} characters`);
  if (type === 'string') {
    if (text.isWellFormed()) return text;
    throw invalid(phase, pointer, 'is not well-formed Unicode');
  }
  if (type === 'bool') {
    if (text === 'true' || text === 'false') return text === 'true';
    throw invalid(phase, pointer, `must be ${expectation(type)}`);
  }
  if (type === 'address') return requireAddress(text, phase, pointer);
  if (type.startsWith('bytes')) return readBytes(type, text, phase, pointer);
  return readInteger(type, text, phase, pointer);
}

function readBytes(type: string, text: string, phase: Phase, pointer: string): string {
  const size = type.slice(5);
  const fits = /^0x(?:[0-9a-fA-F]{2})*$/.test(text) && (size === '' || text.length === 2 + 2 * Number(size));
  if (!fits) throw invalid(phase, pointer, `must be ${expectation(type)}`);
  return text;
}

function readInteger(type: string, text: string, phase: Phase, pointer: string): bigint {
  const match = /^(u?)int(\d+)$/.exec(type);
  if (match === null) throw invalid(phase, pointer, `has an unsupported type: ${type}`);
  if (!/^(?:-?[0-9]{1,80}|-?0x[0-9a-fA-F]{1,64})$/.test(text))
    throw invalid(phase, pointer, `must be ${expectation(type)}`);
  const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
  const bits = BigInt(match[2] ?? 0);
  const [minimum, maximum] =
    match[1] === 'u' ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
  if (value < minimum || value > maximum) throw invalid(phase, pointer, `is out of range for ${type}`);
  return value;
}

function expectation(type: string): string {
  if (type === 'bool') return 'true or false';
  if (type === 'string') return 'a text';
  if (type === 'address') return 'an address: 0x followed by 40 hexadecimal digits';
  if (type === 'bytes') return '0x followed by an even number of hexadecimal digits';
  if (type.startsWith('bytes'))
    return `0x followed by ${Number(type.slice(5)) * 2} hexadecimal digits for ${type}`;
  return `a whole number for ${type}, in decimal or 0x form`;
}
