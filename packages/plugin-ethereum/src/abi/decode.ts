import { isUtf8 } from 'node:buffer';
import type { Json, JsonObject } from '@ledger-ops/adapter';
import { type EventFragment, getAddress, type ParamType } from 'ethers';

/** Most values that are read: more are no answer that somebody asked for. */
const mostValues = 20_000;
/** Most hexadecimal digits, of eight megabytes. */
const mostDigits = 2 ** 24;
/**
 * How many times its length is read of what a contract says. Items may share their bytes; by items within items of which
 * all are one and the same, ten kilobytes would become gigabytes.
 */
const mostRepeated = 2;
/** Hexadecimal digits of a word. */
const wordLength = 64;

/**
 * Decodes values of the contract ABI to JSON: integers as decimal texts, bytes as `0x` hex, addresses in checksum form,
 * arrays as arrays; a tuple is an object when all its members have different names, else an array. Takes what a hostile contract
 * says, in a time by its length: the library's decoder takes many seconds for ten kilobytes.
 *
 * @param data `0x` hex
 * @throws RangeError, TypeError where the data do not fit the types, or hold too much
 */
export function decodeValues(types: readonly ParamType[], data: string): Json[] {
  if (data.length > mostDigits || !/^0x[0-9a-f]*$/i.test(data)) {
    throw new RangeError('The data are too long, or no hexadecimal digits.');
  }
  const hex = data.slice(2).toLowerCase();
  let values = mostValues;
  let digits = mostRepeated * hex.length;

  function digitsAt(at: number, length: number): string {
    if (at + length > hex.length) throw new RangeError('The data end too early.');
    digits -= length;
    if (digits < 0) throw new RangeError('The data repeat themselves too often.');
    return hex.slice(at, at + length);
  }
  const wordAt = (at: number): bigint => BigInt(`0x${digitsAt(at, wordLength)}`);
  /** An offset or a length, in bytes or items: no more than there are digits. */
  function sizeAt(at: number): number {
    const size = wordAt(at);
    if (size > BigInt(hex.length)) throw new RangeError('An offset or a length is beyond the data.');
    return Number(size);
  }
  /** Bytes behind their length. */
  const bytesAt = (at: number): string => digitsAt(at + wordLength, 2 * sizeAt(at));

  function read(type: ParamType, at: number): Json {
    values -= 1;
    if (values < 0) throw new RangeError('The data hold too many values.');
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
    if (!/^u?int/.test(baseType)) throw new TypeError('This type is not known.');
    return String(baseType.startsWith('u') ? BigInt.asUintN(size, value) : BigInt.asIntN(size, value));
  }

  /** Values one after the other; of those of no fixed size the place, counted from the first. */
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
 * The arguments of an event by their names, those without one by their place. Of indexed ones that are longer than a word the
 * log has the hash alone, which stands in their place.
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

/** Several values, as the members of a tuple. */
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

/** Digits of a value; undefined where each has its own. */
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
  if (!isUtf8(bytes)) throw new TypeError('A text is not UTF-8.');
  return bytes.toString('utf8');
}
