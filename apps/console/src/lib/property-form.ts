import { shownNumber, storedNumber, type Unit, unitOf } from './unit.ts';

type Values = Readonly<Record<string, unknown>>;

/** A form field for a property of a record. */
export interface PropertyMember {
  readonly name: string;
  readonly description: string | undefined;
  /** `lines`: a list of strings, one per line. `json`: entered as JSON. */
  readonly form: 'text' | 'pem' | 'number' | 'boolean' | 'choice' | 'lines' | 'json';
  /** Allowed values of a `choice`; empty for other fields. */
  readonly choices: readonly string[];
  /** Write-only: the value is stored encrypted and never shown. */
  readonly isSecret: boolean;
  readonly unit?: Unit | undefined;
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the fields for an object's JSON Schema, in its order. */
export function propertyMembersOf(schema: Values | null): PropertyMember[] {
  const { properties } = schema ?? {};
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, member]): PropertyMember[] => {
    if (!isObject(member)) return [];
    const { description, enum: choices, writeOnly } = member;
    return [
      {
        name,
        // Descriptions mark values as code with backticks.
        description: typeof description === 'string' ? description.replaceAll('`', '') : undefined,
        form: formOf(member),
        choices: Array.isArray(choices) ? choices.map(String) : [],
        isSecret: writeOnly === true,
        unit: unitOf(member),
      },
    ];
  });
}

function formOf({ type, format, items, anyOf, enum: choices }: Values): PropertyMember['form'] {
  if (Array.isArray(choices)) return 'choice';
  if (format === 'pem') return 'pem';
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || format === 'quantity') return 'text';
  if (type === 'array' && isObject(items) && items.type === 'string') return 'lines';
  const isTextOrFlag =
    Array.isArray(anyOf) &&
    anyOf.every((one) => isObject(one) && ['boolean', 'string'].includes(`${one.type}`));
  return isTextOrFlag ? 'text' : 'json';
}

/** Contents of the fields by name. Secrets are omitted. */
export function propertyTexts(members: readonly PropertyMember[], values: Values): Record<string, string> {
  return Object.fromEntries(
    members.flatMap(({ name, form, unit }) => {
      const value = values[name];
      if (value === undefined || value === null) return [];
      if (form === 'lines' && Array.isArray(value)) return [[name, value.join('\n')]];
      if (form === 'json' || typeof value === 'object') return [[name, JSON.stringify(value)]];
      return [[name, shownNumber(String(value), unit)]];
    }),
  );
}

/** Parses the text that the user entered; undefined if it is invalid. */
export function propertyValue({ form, unit }: Pick<PropertyMember, 'form' | 'unit'>, typed: string): unknown {
  const text = storedNumber(typed, unit);
  if (text === undefined) return undefined;
  switch (form) {
    case 'pem':
    case 'choice':
      return text;
    case 'text':
      // A property may accept either a flag or a string.
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'boolean':
      return text === 'true';
    case 'lines':
      return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
    case 'number':
      return /^-?\d+(?:[.]\d+)?$/.test(text) ? Number(text) : undefined;
    case 'json':
      try {
        const value: unknown = JSON.parse(text);
        return value;
      } catch {
        return undefined;
      }
  }
}

/**
 * Returns the properties for a request that replaces all of them. A secret for which nothing was entered, and a
 * property that the schema does not name, keep their values.
 *
 * @param held the record's current properties
 */
export function propertiesOf(
  members: readonly PropertyMember[],
  texts: Readonly<Record<string, string>>,
  held: Values,
): Record<string, unknown> {
  const known = new Set(members.map(({ name }) => name));
  const others = Object.entries(held).filter(([name]) => !known.has(name));
  const given = members.flatMap((member): [string, unknown][] => {
    const { name, isSecret } = member;
    const text = texts[name] ?? '';
    if (text.trim() !== '') return [[name, propertyValue(member, text)]];
    return isSecret && Object.hasOwn(held, name) ? [[name, null]] : [];
  });
  return Object.fromEntries([...others, ...given]);
}
