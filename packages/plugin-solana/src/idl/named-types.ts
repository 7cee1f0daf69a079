import type { AnchorIdl, IdlDefinition } from './schema.ts';

type Types = AnchorIdl['types'];

const indexes = new WeakMap<Types, ReadonlyMap<string, IdlDefinition>>();

/**
 * Returns the first type with this name. Uses an index, because each value of a type needs a lookup, and an
 * IDL may have ten thousand types.
 */
export function typeNamed(types: Types, name: string): IdlDefinition | undefined {
  const index = indexes.get(types) ?? new Map(types.toReversed().map((one) => [one.name, one.type]));
  indexes.set(types, index);
  return index.get(name);
}
