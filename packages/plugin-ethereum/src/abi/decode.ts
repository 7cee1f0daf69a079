import { isUtf8 } from 'node:buffer';
import type { Json, JsonObject } from '@ledger-ops/adapter';
import { type EventFragment, getAddress, type ParamType } from 'ethers';

/** Maximum number of values that are decoded. No valid result of a real contract has more. */
const mostValues = 20_000;
/** Maximum number of hex digits: 8 MB of data. */
const mostDigits = 2 ** 24;
/**
 * Maximum number of digits read, as a multiple of the data's length. ABI items can share bytes: nested lists whose items all
 * point to the same bytes would expand 10 kB to gigabytes.
 */
const mostRepeated = 2;
/** Number of hex digits per word. */
const wordLength = 64;

/**
 * Decodes contract ABI values to JSON: integers as decimal strings, bytes as `0x` hex, addresses in checksum
 * form, arrays as arrays. A tuple becomes an object if all its members have distinct names, otherwise an
 * array. Safe for hostile data: it runs in linear time. The ethers decoder can take many seconds for 10 kB.
 *
 * @param data `0x` hex
 * @throws RangeError, TypeError if the data do not fit the types or hold too many values
 */
export function decodeValues(types: readonly ParamType[], data: string): Json[] {
  if (data.length > mostDigits || !/^0x[0-9a-f]*$/i.test(data)) {
    throw new RangeError('The data is too long or contains characters that are not hexadecimal digits.');
  }
  const hex = data.slice(2).toLowerCase();
  let values = mostValues;
  let digits = mostRepeated * hex.length;

  function digitsAt(at: number, length: number): string {
    if (at + length > hex.length) throw new RangeError('The data is too short.');
    digits -= length;
    if (digits < 0) throw new RangeError('The data is invalid: too many offsets point to the same bytes.');
    return hex.slice(at, at + length);
  }
  const wordAt = (at: number): bigint => BigInt(`0x${digitsAt(at, wordLength)}`);
  /** Reads an offset or a length, in bytes or items. Throws if it is greater than the number of digits. */
  function sizeAt(at: number): number {
    const size = wordAt(at);
    if (size > BigInt(hex.length)) throw new RangeError('An offset or a length is outside the data.');
    return Number(size);
  }
  /** Reads a length and the bytes after it. */
  const bytesAt = (at: number): string => digitsAt(at + wordLength, 2 * sizeAt(at));

  function read(type: ParamType, at: number): Json {
    values -= 1;
    if (values < 0) throw new RangeError('The data contains too many values.');
    if (type.isArray()) {
      const { arrayChildren, arrayLength } = type;
      const isOpen = arrayLength === -1;
      const count = isOpen ? sizeAt(at) : arrayLength;
      return readAll(repeated(arrayChildren, count), isOpen ? at + wordLength : at);
    }
    if (type.isTuple()) return namedValues(type.components, readAll(type.components, at));
    const { baseType } = type;
    if (baseType === 'string') return textOf(bytesAt(at));
    if (baseType === 'bytes') return `0x${bytesAt(at)}`;
    const word = digitsAt(at, wordLength);
    if (baseType === 'address') {
      if (/[^0]/.test(word.slice(0, 24))) throw new RangeError('An address is too long.');
      return getAddress(`0x${word.slice(24)}`);
    }
    const size = Number(/\d+$/.exec(baseType)?.[0] ?? 256);
    if (baseType.startsWith('bytes')) return `0x${word.slice(0, 2 * size)}`;
    const value = BigInt(`0x${word}`);
    if (baseType === 'bool') return value !== 0n;
    if (!/^u?int/.test(baseType)) throw new TypeError('The type is unknown.');
    return String(baseType.startsWith('u') ? BigInt.asUintN(size, value) : BigInt.asIntN(size, value));
  }

  /** Reads consecutive values. A dynamic value is stored as its offset, counted from `start`. */
  function readAll(of: Iterable<ParamType>, start: number): Json[] {
    let at = start;
    const all: Json[] = [];
    for (const type of of) {
      const size = sizeOf(type);
      all.push(read(type, size === undefined ? start + 2 * sizeAt(at) : at));
      at += size ?? wordLength;
    }
    return all;
  }

  return readAll(types, 0);
}

/**
 * Decodes the arguments of an event by name, and unnamed arguments by index. For indexed arguments longer
 * than a word, returns the hash, because the log contains only their hash.
 *
 * @throws as {@link decodeValues}
 */
export function decodeLog({ inputs }: EventFragment, topics: readonly string[], data: string): JsonObject {
  const rest = decodeValues(
    inputs.filter(({ indexed }) => indexed !== true),
    data,
  )[Symbol.iterator]();
  const words = topics.slice(1)[Symbol.iterator]();
  const argument = (input: ParamType): Json => {
    if (input.indexed !== true) return rest.next().value ?? null;
    const word = words.next().value;
    if (word === undefined) throw new RangeError('A topic is missing.');
    const isHashed = input.isArray() || input.isTuple() || sizeOf(input) === undefined;
    return isHashed ? word : (decodeValues([input], word)[0] ?? null);
  };
  return Object.fromEntries(
    inputs.map((input, at) => [
      input.name === '' || input.name === '__proto__' ? String(at) : input.name,
      argument(input),
    ]),
  );
}

/** Converts several values to JSON, named like the members of a tuple. */
export function namedValues(types: readonly ParamType[], values: readonly Json[]): Json {
  const names = types.map(({ name }) => name);
  const isNamed =
    names.length > 0 &&
    names.every((name) => name !== '' && name !== '__proto__') &&
    new Set(names).size === names.length;
  return isNamed ? Object.fromEntries(names.map((name, at) => [name, values[at] ?? null])) : [...values];
}

function* repeated(type: ParamType, count: number): Generator<ParamType> {
  for (let at = 0; at < count; at += 1) yield type;
}

/** Returns the number of hex digits of a static type; undefined for a dynamic type. */
function sizeOf(type: ParamType): number | undefined {
  if (type.isArray()) {
    const { arrayChildren, arrayLength } = type;
    const size = arrayLength === -1 ? undefined : sizeOf(arrayChildren);
    return size === undefined ? undefined : size * arrayLength;
  }
  if (type.isTuple()) {
    return type.components.reduce<number | undefined>((sum, one) => {
      const size = sizeOf(one);
      return sum === undefined || size === undefined ? undefined : sum + size;
    }, 0);
  }
  return type.baseType === 'string' || type.baseType === 'bytes' ? undefined : wordLength;
}

function textOf(digits: string): string {
  const bytes = Buffer.from(digits, 'hex');
  if (!isUtf8(bytes)) throw new TypeError('A string is not valid UTF-8.');
  return bytes.toString('utf8');
}
