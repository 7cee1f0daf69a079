import type { Json, JsonObject } from '@ledger-ops/adapter';
import { type EventFragment, Indexed, type ParamType, Result } from 'ethers';

/**
 * A decoded ABI value as JSON: integers as decimal texts, bytes as `0x` hex, addresses in checksum form,
 * arrays as arrays; a tuple is an object when all its members have different names, else an array.
 */
export function resultToJson(type: ParamType, value: unknown): Json {
  if (type.isArray()) {
    const { arrayChildren } = type;
    return itemsOf(value).map((item) => resultToJson(arrayChildren, item));
  }
  if (type.isTuple()) return valuesToJson(type.components, itemsOf(value));
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'boolean') return value;
  return String(value);
}

/** Several values, as the members of a tuple. */
export function valuesToJson(types: readonly ParamType[], values: readonly unknown[]): Json {
  const names = types.map(({ name }) => name);
  const items = types.map((type, index) => resultToJson(type, values[index]));
  const named =
    names.every((name) => name !== '' && name !== '__proto__') && new Set(names).size === names.length;
  if (!named || names.length === 0) return items;
  return Object.fromEntries(names.map((name, index) => [name, items[index] ?? null]));
}

/**
 * The arguments of an event by their names, those without one by their place. Of indexed ones that are longer than a word the
 * log has the hash alone, which stands in their place.
 */
export function eventToJson({ inputs }: EventFragment, values: Result): JsonObject {
  const items = [...values];
  return Object.fromEntries(
    inputs.map((input, index): [string, Json] => {
      const value: unknown = items[index];
      const name = input.name === '' || input.name === '__proto__' ? String(index) : input.name;
      return [name, Indexed.isIndexed(value) ? value.hash : resultToJson(input, value)];
    }),
  );
}

function itemsOf(value: unknown): unknown[] {
  return value instanceof Result || Array.isArray(value) ? [...value] : [];
}
