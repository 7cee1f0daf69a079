/** A part of the document as JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** Patterns that only some languages read, as `pattern` in the document shows them: what is left, and words. */
const inWords: readonly (readonly [pattern: string, words: string, instead?: string])[] = [
  ['^\\P{Cc}*$', 'Without control characters.'],
  ['^[\\P{Cc}\\r\\n\\t]*$', 'Without control characters but line ends and tabs.'],
  [
    '^https?:\\/\\/[^\\s\\p{Cc}]+$',
    'An http or https URL, without spaces and control characters.',
    '^https?://',
  ],
];

const largest = Number.MAX_SAFE_INTEGER;

/**
 * A schema as generators of clients in every language read it alike: null as a type beside another one, `enum` for a
 * constant, `anyOf` for several forms, 64 bits for integers, a reference by itself, no default that is a list, and
 * patterns without flags and properties of characters.
 */
export function portableSchema(schema: Json): Json {
  const inside = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, within(keyword, value)]),
  );
  return [
    constantAsEnum,
    sizedInteger,
    referenceAlone,
    anyOfSeveral,
    nullAsType,
    formatAlone,
    patternInWords,
    withoutListDefault,
  ].reduce((made: Json, step) => step(made), inside);
}

function within(keyword: string, value: unknown): unknown {
  if (['items', 'additionalProperties', 'propertyNames', 'not'].includes(keyword)) {
    return isJson(value) ? portableSchema(value) : value;
  }
  if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword)) {
    return Array.isArray(value) ? value.map((one: Json) => portableSchema(one)) : value;
  }
  if (keyword !== 'properties' || !isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isJson(one) ? portableSchema(one) : one]),
  );
}

function constantAsEnum({ const: only, ...rest }: Json): Json {
  return only === undefined ? rest : { ...rest, enum: [only] };
}

function sizedInteger(schema: Json): Json {
  const { type, minimum, maximum, ...rest } = schema;
  const isInteger = type === 'integer' || (Array.isArray(type) && type.includes('integer'));
  if (!isInteger) return schema;
  return {
    format: 'int64',
    type,
    // Bounds that every number of JSON keeps; some generators make numbers of them that they cannot write.
    ...(minimum === undefined || minimum === -largest ? {} : { minimum }),
    ...(maximum === undefined || maximum === largest ? {} : { maximum }),
    ...rest,
  };
}

/** `allOf` around one reference, with a type or a description beside it. */
function referenceAlone(schema: Json): Json {
  const { allOf, type: _, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  const [first, ...others]: Json[] = allOf;
  const isDescribed = others.every((one) => Object.keys(one).every((keyword) => keyword === 'description'));
  if (first?.$ref === undefined || !isDescribed) return schema;
  return Object.assign({ ...first, ...rest }, ...others);
}

/** Clients that look for the only fitting one find two where they look less closely than a validator. */
function anyOfSeveral({ oneOf, ...rest }: Json): Json {
  return oneOf === undefined ? rest : { ...rest, anyOf: oneOf };
}

function nullAsType(schema: Json): Json {
  const { anyOf: parts, ...rest } = schema;
  if (!Array.isArray(parts) || parts.length !== 2) return schema;
  const other: Json | undefined = parts.find(({ type }) => type !== 'null');
  if (other === undefined || !parts.some(({ type }) => type === 'null')) return schema;
  if (typeof other.type !== 'string') return schema;
  return {
    ...other,
    ...rest,
    type: [other.type, 'null'],
    ...(Array.isArray(other.enum) ? { enum: [...other.enum, null] } : {}),
  };
}

/** Meaning of a text's format: clients have a type of their own for it, of which they take no length and no pattern. */
function formatAlone(schema: Json): Json {
  const { pattern: _pattern, minLength: _least, maxLength: _most, ...rest } = schema;
  return schema.format === 'uuid' || schema.format === 'date-time' ? rest : schema;
}

function patternInWords(schema: Json): Json {
  const { pattern: given, ...rest } = schema;
  if (typeof given !== 'string') return schema;
  // With flags the generator of the document leaves the expression's end delimiter.
  const pattern = given.replace(/\/[a-z]+$/, '');
  const [, words, instead] = inWords.find(([unportable]) => unportable === pattern) ?? [];
  if (words === undefined) return { ...rest, pattern };
  const description = typeof rest.description === 'string' ? `${rest.description} ${words}` : words;
  return { ...rest, description, ...(instead === undefined ? {} : { pattern: instead }) };
}

function withoutListDefault(schema: Json): Json {
  const { default: fallback, ...rest } = schema;
  return Array.isArray(fallback) ? rest : schema;
}

/** Whether a value is an object of JSON. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
