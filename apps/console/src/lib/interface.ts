import type { Schemas } from '../api/types.ts';

/** An argument of a method or a constructor, as a form asks for it. */
export type Parameter = Schemas['ContractMethod']['inputs'][number];

type Method = Schemas['ContractMethod'];

/** By which a method is called: its name, or its signature where several have that name. */
export function nameIn(methods: readonly Method[], { name, signature }: Method): string {
  return methods.filter((other) => other.name === name).length > 1 ? signature : name;
}

/** Parameters that can be told apart by people. */
export function named(parameters: readonly Parameter[]): Parameter[] {
  return parameters.map(({ name, type }, index) => ({ name: name || `argument ${index + 1}`, type }));
}
