import { invalidRequest } from '@ledger-ops/base';

/** A property as deprecated records show it. A secret one has no value. */
export interface PropertyView {
  id: number;
  type: { id: number; name: string; scope?: { id: number; name: string } };
  value: unknown;
}

/** A property as a caller gives it. */
export interface GivenProperty {
  type: { name: string };
  value?: unknown;
}

/** Properties by name, and where each of them stands in the request. */
export interface NamedProperties {
  values: Record<string, unknown>;
  pointerOf(name: string): string;
}

/** Brings a list of properties to names. @throws Problem `invalid-request` (a name given twice) */
export function namedProperties(given: readonly GivenProperty[], pointer = '/properties'): NamedProperties {
  const places = new Map<string, number>();
  given.forEach(({ type: { name } }, index) => {
    if (places.has(name)) {
      const detail = `the property ${name} is given twice`;
      throw invalidRequest([{ pointer: `${pointer}/${index}/type/name`, detail }]);
    }
    places.set(name, index);
  });
  return {
    values: Object.fromEntries(given.map(({ type, value }) => [type.name, value])),
    pointerOf(name) {
      const index = places.get(name);
      return index === undefined ? pointer : `${pointer}/${index}/value`;
    },
  };
}

/** A value is to be kept: records that were read are put back with null in place of secrets. */
export function keepsSecret(value: unknown): boolean {
  return value === null || value === undefined;
}
