import type { Phase } from '@ledger-ops/adapter';
import { JsonError, parseJson } from '@ledger-ops/glo-core';
import { getAddressEncoder } from '@solana/addresses';
import {
  getF32Encoder,
  getF64Encoder,
  getI8Encoder,
  getI16Encoder,
  getI32Encoder,
  getI64Encoder,
  getI128Encoder,
  getU8Encoder,
  getU16Encoder,
  getU32Encoder,
  getU64Encoder,
  getU128Encoder,
} from '@solana/codecs';
import { invalid } from '../invalid.ts';
import { requireAddress } from '../transactions/address.ts';
import { typeText } from './interface.ts';
import { typeNamed } from './named-types.ts';
import type { AnchorIdl, IdlField, IdlFields, IdlType } from './schema.ts';

const integers = {
  ...{ u8: getU8Encoder(), u16: getU16Encoder(), u32: getU32Encoder() },
  ...{ i8: getI8Encoder(), i16: getI16Encoder(), i32: getI32Encoder() },
  ...{ u64: getU64Encoder(), u128: getU128Encoder(), i64: getI64Encoder(), i128: getI128Encoder() },
};
const floats = { f32: getF32Encoder(), f64: getF64Encoder() };

/**
 * Maximum total length of all arguments in a call, in characters. No transaction, which has at most 1,232 bytes, needs
 * more in any form.
 */
export const longestArguments = 16_384;
/** Maximum number of JSON values in one argument. No valid call reaches it: a transaction has at most 1,232 bytes. */
const mostValues = 4_096;
/** Maximum nesting of types. */
const deepest = 64;

interface Place {
  types: AnchorIdl['types'];
  phase: Phase;
  pointer: string;
  depth: number;
}

const at = (place: Place, key: string | number): Place => ({
  ...place,
  pointer: `${place.pointer}/${key}`,
  depth: place.depth + 1,
});
const wrong = ({ phase, pointer }: Place, detail: string) => invalid(phase, pointer, detail);

/**
 * Encodes a string as a value of a type in Borsh. Integers are decimal, bytes base64, addresses base58,
 * strings unchanged; an empty option is `null`, and an enum variant without fields is its name. Anything else
 * is JSON.
 * @throws AdapterError `invalid-argument` at the pointer or below it
 */
export function encodeText(
  type: IdlType,
  text: string,
  types: AnchorIdl['types'],
  phase: Phase,
  pointer: string,
): Uint8Array {
  return encodeTop(type, text, { types, phase, pointer, depth: 0 });
}

function encodeTop(type: IdlType, text: string, place: Place): Uint8Array {
  if (isPlain(type, text, place.types)) return encodeValue(type, text, place);
  try {
    return encodeValue(type, parseJson(text, { values: mostValues }), place);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw wrong(place, `must be JSON for ${typeText(type)} (${error.message})`);
  }
}

/** Whether a string is the value itself instead of JSON. */
function isPlain(type: IdlType, text: string, types: AnchorIdl['types']): boolean {
  if (typeof type === 'string') return true;
  if ('option' in type) {
    return text !== 'null' && typeof type.option === 'string' && type.option !== 'string';
  }
  if ('vec' in type) return type.vec === 'u8' && !text.startsWith('[');
  if ('array' in type) return type.array[0] === 'u8' && !text.startsWith('[');
  const definition = typeNamed(types, type.defined);
  return definition?.kind === 'enum' && definition.variants.some(({ name }) => name === text);
}

function encodeValue(type: IdlType, value: unknown, place: Place): Uint8Array {
  if (place.depth > deepest) throw wrong(place, 'has a type that is nested too deeply');
  if (typeof type === 'string') return encodePrimitive(type, value, place);
  if ('option' in type) {
    if (value === null) return Uint8Array.of(0);
    return join([Uint8Array.of(1), encodeValue(type.option, value, { ...place, depth: place.depth + 1 })]);
  }
  if ('vec' in type) {
    const items = itemsOf(type.vec, value, place);
    return join([lengthOf(items.length), ...items]);
  }
  if ('array' in type) {
    const items = itemsOf(type.array[0], value, place);
    if (items.length === type.array[1]) return join(items);
    throw wrong(place, `must contain ${type.array[1]} items, but contains ${items.length}`);
  }
  const definition = typeNamed(place.types, type.defined);
  if (definition === undefined)
    throw wrong(place, `has the type ${type.defined}, which the IDL does not define`);
  if (definition.kind === 'alias') {
    return encodeValue(definition.alias, value, { ...place, depth: place.depth + 1 });
  }
  if (definition.kind === 'struct') return encodeFields(definition.fields, value, place);
  const [name, content] = variantOf(value);
  const index = definition.variants.findIndex((variant) => variant.name === name);
  const variant = definition.variants[index];
  if (variant === undefined) {
    const names = definition.variants.map((one) => one.name).join(', ');
    throw wrong(place, `must be a variant of ${type.defined}, with its fields if it has any: ${names}`);
  }
  return join([Uint8Array.of(index), encodeFields(variant.fields, content, at(place, variant.name))]);
}

/** Reads an enum variant: `"Name"`, or `{"Name": fields}`. */
function variantOf(value: unknown): [name: unknown, content: unknown] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [value, []];
  const entries = Object.entries(value);
  return entries.length === 1 ? (entries[0] ?? [undefined, []]) : [undefined, []];
}

function itemsOf(type: IdlType, value: unknown, place: Place): Uint8Array[] {
  if (type === 'u8' && typeof value === 'string') {
    return [...fromBase64(value, place)].map((one) => Uint8Array.of(one));
  }
  if (!Array.isArray(value)) throw wrong(place, `must be a JSON array of ${typeText(type)}`);
  return value.map((item, index) => encodeValue(type, item, at(place, index)));
}

const isNamed = (fields: IdlFields): fields is IdlField[] =>
  fields.every((field) => typeof field === 'object' && 'name' in field);

function encodeFields(fields: IdlFields, value: unknown, place: Place): Uint8Array {
  if (Array.isArray(value)) {
    if (value.length !== fields.length) {
      throw wrong(place, `must contain ${fields.length} fields, but contains ${value.length}`);
    }
    const types = isNamed(fields) ? fields.map(({ type }) => type) : fields;
    return join(types.map((type, index) => encodeValue(type, value[index], at(place, index))));
  }
  if (typeof value !== 'object' || value === null || !isNamed(fields)) {
    throw wrong(place, isNamed(fields) ? 'must be a JSON object of fields' : 'must be a JSON array');
  }
  const given = new Map<string, unknown>(Object.entries(value));
  const unknown = [...given.keys()].find((key) => !fields.some(({ name }) => name === key));
  if (unknown !== undefined) throw wrong(place, `has no field ${unknown.slice(0, 100)}`);
  return join(
    fields.map(({ name, type }) => {
      if (!given.has(name)) throw wrong(place, `does not have the field ${name}`);
      return encodeValue(type, given.get(name), at(place, name));
    }),
  );
}

/** Types whose values are strings. */
const texts: ReadonlySet<string> = new Set(['string', 'bytes', 'pubkey']);

const isInteger = (type: string): type is keyof typeof integers => Object.hasOwn(integers, type);

function encodePrimitive(type: string, value: unknown, place: Place): Uint8Array {
  if (isInteger(type)) return encodeInteger(type, value, place);
  if (type === 'f32' || type === 'f64') {
    const number = typeof value === 'string' && /^-?\d/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number)) throw wrong(place, 'must be a number');
    return bytesOf(floats[type].encode(number));
  }
  if (type === 'bool') {
    const isTrue = value === true || value === 'true';
    if (isTrue || value === false || value === 'false') return Uint8Array.of(isTrue ? 1 : 0);
    throw wrong(place, 'must be true or false');
  }
  if (!texts.has(type))
    throw wrong(place, 'has a type that cannot be encoded; put the instruction into meta');
  if (typeof value !== 'string') throw wrong(place, `must be a string for ${type}`);
  if (type === 'string') {
    if (!value.isWellFormed()) throw wrong(place, 'is not well-formed Unicode');
    const text = Buffer.from(value);
    return join([lengthOf(text.length), text]);
  }
  if (type === 'bytes') {
    const content = fromBase64(value, place);
    return join([lengthOf(content.length), content]);
  }
  return bytesOf(getAddressEncoder().encode(requireAddress(value, place.phase, place.pointer)));
}

function encodeInteger(type: keyof typeof integers, value: unknown, place: Place): Uint8Array {
  const bits = BigInt(type.slice(1));
  const least = type.startsWith('i') ? -(2n ** (bits - 1n)) : 0n;
  const most = type.startsWith('i') ? 2n ** (bits - 1n) - 1n : 2n ** bits - 1n;
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  const number = /^-?\d{1,40}$/.test(text) ? BigInt(text) : undefined;
  if (number === undefined || number < least || number > most) {
    throw wrong(place, `must be a whole number from ${least} to ${most}`);
  }
  switch (type) {
    case 'u64':
    case 'u128':
    case 'i64':
    case 'i128':
      return bytesOf(integers[type].encode(number));
    default:
      return bytesOf(integers[type].encode(Number(number)));
  }
}

function fromBase64(text: string, place: Place): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw wrong(place, 'must be bytes in base64');
  return bytes;
}

const lengthOf = (length: number) => bytesOf(getU32Encoder().encode(length));
const bytesOf = (bytes: { readonly length: number } & Iterable<number>) => Uint8Array.from(bytes);
const join = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));
