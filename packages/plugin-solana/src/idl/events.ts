import type { Json, JsonObject } from '@ledger-ops/adapter';
import { getAddressDecoder } from '@solana/addresses';
import { typeNamed } from './named-types.ts';
import type { AnchorIdl, IdlField, IdlFields, IdlType } from './schema.ts';

/** Maximum number of JSON values in one event. No event reaches it: a log has fewer bytes. */
const mostValues = 16_384;
/** Maximum nesting of types. */
const deepest = 64;

const integers: Readonly<Record<string, number>> = {
  ...{ u8: 1, u16: 2, u32: 4, u64: 8, u128: 16 },
  ...{ i8: 1, i16: 2, i32: 4, i64: 8, i128: 16 },
};

/**
 * Decodes an event by the program's IDL; undefined if the IDL does not declare it, or declares other fields.
 * Integers are decimal strings, bytes base64, addresses base58; an enum variant without fields is its name,
 * one with fields an object keyed by its name.
 */
export function decodeEvent(
  data: Uint8Array,
  idl: AnchorIdl,
): { name: string; args: JsonObject } | undefined {
  const event = idl.events.find(({ discriminator }) =>
    discriminator.every((byte, index) => data[index] === byte),
  );
  if (event === undefined) return undefined;
  const decoder = new Decoder(data.subarray(event.discriminator.length), idl.types);
  try {
    const args =
      event.fields === undefined ? decoder.read({ defined: event.name }) : decoder.fields(event.fields);
    if (typeof args !== 'object' || args === null) return undefined;
    return { name: event.name, args: Array.isArray(args) ? Object.fromEntries(args.entries()) : args };
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

class Decoder {
  readonly #bytes: Buffer;
  readonly #types: AnchorIdl['types'];
  #at = 0;
  #values = 0;

  constructor(bytes: Uint8Array, types: AnchorIdl['types']) {
    this.#bytes = Buffer.from(bytes);
    this.#types = types;
  }

  read(type: IdlType, depth = 0): Json {
    this.#values += 1;
    if (depth > deepest || this.#values > mostValues)
      throw new RangeError('The event contains more data than events can have.');
    if (typeof type === 'string') return this.#primitive(type);
    if ('option' in type) return this.#take(1)[0] === 0 ? null : this.read(type.option, depth + 1);
    if ('vec' in type) return this.#list(type.vec, this.#length(), depth);
    if ('array' in type) return this.#list(type.array[0], type.array[1], depth);
    const definition = typeNamed(this.#types, type.defined);
    if (definition === undefined) throw new TypeError(`The IDL does not define ${type.defined}.`);
    if (definition.kind === 'alias') return this.read(definition.alias, depth + 1);
    if (definition.kind === 'struct') return this.fields(definition.fields, depth + 1);
    const variant = definition.variants[this.#take(1)[0] ?? 0];
    if (variant === undefined) throw new RangeError('The variant does not exist.');
    return variant.fields.length === 0
      ? variant.name
      : { [variant.name]: this.fields(variant.fields, depth + 1) };
  }

  fields(fields: IdlFields, depth = 0): Json {
    if (!isNamed(fields)) return fields.map((type) => this.read(type, depth));
    return Object.fromEntries(fields.map(({ name, type }): [string, Json] => [name, this.read(type, depth)]));
  }

  #list(type: IdlType, length: number, depth: number): Json {
    if (type === 'u8') return this.#take(length).toString('base64');
    return Array.from({ length: Math.min(length, mostValues + 1) }, () => this.read(type, depth + 1));
  }

  #primitive(type: string): Json {
    const size = integers[type];
    if (size !== undefined) {
      const value = BigInt(`0x${Buffer.from(this.#take(size)).reverse().toString('hex')}`);
      return String(type.startsWith('i') ? BigInt.asIntN(8 * size, value) : value);
    }
    switch (type) {
      case 'bool':
        return this.#take(1)[0] !== 0;
      case 'f32':
        return String(this.#take(4).readFloatLE());
      case 'f64':
        return String(this.#take(8).readDoubleLE());
      case 'string':
        return new TextDecoder('utf-8', { fatal: true }).decode(this.#take(this.#length()));
      case 'bytes':
        return this.#take(this.#length()).toString('base64');
      case 'pubkey':
        return getAddressDecoder().decode(this.#take(32));
      default:
        throw new TypeError(`The type ${type} is unknown.`);
    }
  }

  #length(): number {
    return this.#take(4).readUInt32LE();
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('The data is too short.');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

const isNamed = (fields: IdlFields): fields is IdlField[] =>
  fields.every((field) => typeof field === 'object' && 'name' in field);
