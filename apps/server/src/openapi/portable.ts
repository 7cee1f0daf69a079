/** A part of the document as JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** Patterns that some languages do not support, with a description and, if possible, a simpler pattern. */
const inWords: readonly (readonly [pattern: string, words: string, instead?: string])[] = [
  ['^\\P{Cc}*$', 'Without control characters.'],
  ['^[\\P{Cc}\\r\\n\\t]*$', 'Without control characters except line ends and tabs.'],
  [
    '^https?:\\/\\/[^\\s\\p{Cc}]+$',
    'An http or https URL, without spaces and control characters.',
    '^https?://',
  ],
];

const largest = Number.MAX_SAFE_INTEGER;

/**
 * Converts a schema to a form that client generators of every language interpret alike. Null is an additional type,
 * constants are `enum`, alternatives are `anyOf`, integers have 64 bits, references have no siblings, defaults are not
 * lists, and patterns have no flags and no Unicode properties.
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
    // Omits bounds that every JSON number satisfies, because some generators turn them into invalid literals.
    ...(minimum === undefined || minimum === -largest ? {} : { minimum }),
    ...(maximum === undefined || maximum === largest ? {} : { maximum }),
    ...rest,
  };
}

/** Replaces `allOf` by its reference if the other parts only add a type or a description. */
function referenceAlone(schema: Json): Json {
  const { allOf, type: _, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  const [first, ...others]: Json[] = allOf;
  const isDescribed = others.every((one) => Object.keys(one).every((keyword) => keyword === 'description'));
  if (first?.$ref === undefined || !isDescribed) return schema;
  return Object.assign({ ...first, ...rest }, ...others);
}

/** Replaces `oneOf`: clients that check less strictly than a validator may find two matching schemas. */
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

/** Removes length and pattern next to a format: clients have a specific type for it. */
function formatAlone(schema: Json): Json {
  const { pattern: _pattern, minLength: _least, maxLength: _most, ...rest } = schema;
  return schema.format === 'uuid' || schema.format === 'date-time' ? rest : schema;
}

function patternInWords(schema: Json): Json {
  const { pattern: given, ...rest } = schema;
  if (typeof given !== 'string') return schema;
  // If a regular expression has flags, the generator leaves the closing delimiter and the flags in the
  // pattern.
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

/** Whether a value is a JSON object. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
