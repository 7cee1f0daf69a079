type Values = Readonly<Record<string, unknown>>;

/** A property of a record, as a form asks for it. */
export interface PropertyMember {
  readonly name: string;
  readonly description: string | undefined;
  /** `lines`: a list of texts, one on each line. `json`: of a shape that is written as JSON text. */
  readonly form: 'text' | 'pem' | 'number' | 'boolean' | 'choice' | 'lines' | 'json';
  /** Of a choice; else none. */
  readonly choices: readonly string[];
  /** Write-only: kept sealed, and never shown. */
  readonly isSecret: boolean;
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of an object's JSON Schema, in its order. */
export function propertyMembersOf(schema: Values | null): PropertyMember[] {
  const { properties } = schema ?? {};
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, member]): PropertyMember[] => {
    if (!isObject(member)) return [];
    const { description, enum: choices, writeOnly } = member;
    return [
      {
        name,
        // Values are marked as code there.
        description: typeof description === 'string' ? description.replaceAll('`', '') : undefined,
        form: formOf(member),
        choices: Array.isArray(choices) ? choices.map(String) : [],
        isSecret: writeOnly === true,
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

/** Values as fields show them, by their names; of a secret nothing. */
export function propertyTexts(members: readonly PropertyMember[], values: Values): Record<string, string> {
  return Object.fromEntries(
    members.flatMap(({ name, form }) => {
      const value = values[name];
      if (value === undefined || value === null) return [];
      if (form === 'lines' && Array.isArray(value)) return [[name, value.join('\n')]];
      return [[name, form === 'json' || typeof value === 'object' ? JSON.stringify(value) : String(value)]];
    }),
  );
}

/** The value of a text that was typed; undefined: it is no such value. */
export function propertyValue({ form }: Pick<PropertyMember, 'form'>, text: string): unknown {
  switch (form) {
    case 'pem':
    case 'choice':
      return text;
    case 'text':
      // Of a property that is a flag or a text.
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
 * Properties as a request replaces all of them. A secret that nothing is typed for stays, and so does what the schema does
 * not name.
 * @param held as the record has them
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
