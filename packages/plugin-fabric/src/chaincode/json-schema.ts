/** A JSON schema in contract metadata. */
export type Schema = Readonly<Record<string, unknown>>;

/** A schema violation: JSON Pointer below the value, and what is wrong. */
export interface SchemaMismatch {
  pointer: string;
  detail: string;
}

const referencePrefix = '#/components/schemas/';
const deepest = 32;

/** Returns the target of `$ref`. A reference without a target accepts everything. */
export function resolveSchema(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  let found = schema;
  for (let hops = 0; typeof found.$ref === 'string' && hops < 16; hops += 1) {
    const reference = found.$ref;
    const name = reference.startsWith(referencePrefix) ? reference.slice(referencePrefix.length) : reference;
    found = (Object.hasOwn(schemas, name) ? schemas[name] : undefined) ?? {};
  }
  return found;
}

/**
 * Validates a JSON value against the JSON Schema keywords that contract metadata uses: type, enum, minimum,
 * maximum, lengths, items, properties, required, additionalProperties. The chaincode itself checks other
 * keywords.
 */
export function mismatchOf(
  value: unknown,
  given: Schema,
  schemas: Readonly<Record<string, Schema>>,
  pointer = '',
  depth = 0,
): SchemaMismatch | undefined {
  const schema = resolveSchema(given, schemas);
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOf(value, type))) {
    return { pointer, detail: `must be of type ${types.join(' or ')}` };
  }
  if (Array.isArray(schema.enum) && !enumOf(schema, schema.enum).has(JSON.stringify(value))) {
    return { pointer, detail: `must be one of ${JSON.stringify(schema.enum).slice(0, 200)}` };
  }
  if (typeof value === 'number') return rangeMisfit(value, schema, pointer);
  if (typeof value === 'string')
    return sizeMisfit(value.length, 'characters', schema.minLength, schema.maxLength, pointer);
  if (depth === deepest || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    const size = sizeMisfit(value.length, 'items', schema.minItems, schema.maxItems, pointer);
    if (size !== undefined || !isSchema(schema.items)) return size;
    const { items } = schema;
    return firstOf(value.entries(), ([index, item]) =>
      mismatchOf(item, items, schemas, `${pointer}/${index}`, depth + 1),
    );
  }
  return objectMisfit(value, schema, schemas, pointer, depth);
}

/** The distinct types of a schema. Cached, because each item of a list is validated against them. */
const typeLists = new WeakMap<Schema, readonly unknown[]>();

function typesOf(schema: Schema): readonly unknown[] {
  if (typeof schema.type === 'string') return [schema.type];
  if (!Array.isArray(schema.type)) return [];
  const known = typeLists.get(schema);
  if (known !== undefined) return known;
  const made = [...new Set<unknown>(schema.type)];
  // An unknown type accepts everything.
  const types = made.some((type) => !knownTypes.has(type)) ? [] : made;
  typeLists.set(schema, types);
  return types;
}

const knownTypes: ReadonlySet<unknown> = new Set([
  ...['integer', 'number', 'array', 'object', 'null', 'string', 'boolean'],
]);

/**
 * The values of a schema's `enum`, as JSON. Cached, because each item of a list is validated against them.
 */
const enums = new WeakMap<Schema, ReadonlySet<string>>();

function enumOf(schema: Schema, values: readonly unknown[]): ReadonlySet<string> {
  const known = enums.get(schema);
  if (known !== undefined) return known;
  const made = new Set(values.map((value) => JSON.stringify(value)));
  enums.set(schema, made);
  return made;
}

function objectMisfit(
  value: object,
  { properties, required, additionalProperties }: Schema,
  schemas: Readonly<Record<string, Schema>>,
  pointer: string,
  depth: number,
): SchemaMismatch | undefined {
  const members: [string, unknown][] = Object.entries(value);
  if (Array.isArray(required)) {
    const missing = required.find((name) => typeof name === 'string' && !Object.hasOwn(value, name));
    if (missing !== undefined) return { pointer, detail: `does not have the member ${missing}` };
  }
  const known = isSchema(properties) ? properties : {};
  return firstOf(members, ([name, member]) => {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const schema = Object.hasOwn(known, name) ? known[name] : undefined;
    if (isSchema(schema)) return mismatchOf(member, schema, schemas, at, depth + 1);
    return additionalProperties === false
      ? { pointer: at, detail: 'is not a member of this type' }
      : undefined;
  });
}

function isOf(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'null':
      return value === null;
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

/** Ranges of Go's integer types, which metadata of Go chaincode declares as formats. */
const formats: Readonly<Record<string, readonly [number, number]>> = {
  int8: [-(2 ** 7), 2 ** 7 - 1],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint8: [0, 2 ** 8 - 1],
  uint16: [0, 2 ** 16 - 1],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, Number.POSITIVE_INFINITY],
};

function rangeMisfit(value: number, schema: Schema, pointer: string): SchemaMismatch | undefined {
  const range = typeof schema.format === 'string' ? formats[schema.format] : undefined;
  const [minimum, maximum] = range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const least = typeof schema.minimum === 'number' ? Math.max(minimum, schema.minimum) : minimum;
  const most = typeof schema.maximum === 'number' ? Math.min(maximum, schema.maximum) : maximum;
  if (value < least) return { pointer, detail: `must be at least ${least}` };
  if (value > most) return { pointer, detail: `must be at most ${most}` };
  return undefined;
}

function sizeMisfit(
  size: number,
  what: string,
  minimum: unknown,
  maximum: unknown,
  pointer: string,
): SchemaMismatch | undefined {
  if (typeof minimum === 'number' && size < minimum) {
    return { pointer, detail: `must have at least ${minimum} ${what}` };
  }
  if (typeof maximum === 'number' && size > maximum) {
    return { pointer, detail: `must have at most ${maximum} ${what}` };
  }
  return undefined;
}

function firstOf<Item>(
  items: Iterable<Item>,
  find: (item: Item) => SchemaMismatch | undefined,
): SchemaMismatch | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
