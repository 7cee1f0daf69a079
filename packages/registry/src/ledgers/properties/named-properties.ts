/** Properties of a request by name, with the JSON pointer of each. */
export interface NamedProperties {
  values: Readonly<Record<string, unknown>>;
  pointerOf(name: string): string;
}

/** Reads the properties of a request body. `pointer`: JSON pointer of the object that contains them. */
export function namedProperties(
  values: Readonly<Record<string, unknown>> = {},
  pointer = '/properties',
): NamedProperties {
  return {
    values,
    pointerOf: (name) =>
      Object.hasOwn(values, name)
        ? `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
        : pointer,
  };
}

/** Whether a secret keeps its stored value: responses contain null in place of secrets. */
export function keepsSecret(value: unknown): boolean {
  return value === null || value === undefined;
}
