import type { Schemas } from '../api/types.ts';

/** A parameter of a method or constructor. */
export type Parameter = Schemas['ContractMethod']['inputs'][number];

type Method = Schemas['ContractMethod'];

/** Returns the name that identifies a method: its signature if several methods share the name. */
export function nameIn(methods: readonly Method[], { name, signature }: Method): string {
  return methods.filter((other) => other.name === name).length > 1 ? signature : name;
}

/** Gives a name to each parameter that has none. */
export function named(parameters: readonly Parameter[]): Parameter[] {
  return parameters.map(({ name, type }, index) => ({ name: name || `argument ${index + 1}`, type }));
}
