import { type Fields, pageFields, pluginPageFields, records } from '../documents/specification-records.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** A parsed type of `specification-records.ts`, such as `string[]` or `string|null`. */
interface Type {
  readonly base: string;
  readonly isArray: boolean;
  readonly isNullable: boolean;
}

function typeOf(text: string): Type {
  const bare = text.replace(/\|null$/, '');
  return { base: bare.replace(/\[\]$/, ''), isArray: bare.endsWith('[]'), isNullable: bare !== text };
}

/** Returns the name, the fields and the item type of a page; undefined if the response is not a page. */
function pageOf(answer: string): { contentType: string; fields: Fields; item: string } | undefined {
  const [, contentType, item] = /^(\w+)<(\w+)>$/.exec(answer) ?? [];
  if (contentType === undefined || item === undefined) return undefined;
  return { contentType, item, fields: contentType === 'PluginPagedResult' ? pluginPageFields : pageFields };
}

/** Describes each difference between a response and the type that the specification requires. */
export function differencesOfAnswer(value: unknown, answer: string): string[] {
  if (answer === '-') return [];
  const page = pageOf(answer);
  if (page === undefined) return ofValue(value, typeOf(answer), '');
  const content = isObject(value) ? value.pageContent : undefined;
  const named = isObject(value) && value.contentType === page.contentType;
  return [
    ...(named ? [] : [`contentType is not ${page.contentType}`]),
    ...ofFields(value, page.fields, ''),
    ...ofValue(content, { base: page.item, isArray: true, isNullable: false }, '/pageContent'),
  ];
}

function ofValue(value: unknown, type: Type, at: string): string[] {
  if (value === null && type.isNullable) return [];
  if (type.isArray) {
    if (!Array.isArray(value)) return [`${at} is not an array`];
    return value.flatMap((item: unknown, index) =>
      ofValue(item, { ...type, isArray: false }, `${at}/${index}`),
    );
  }
  const fields = records[type.base];
  if (fields !== undefined) return ofFields(value, fields, at);
  return isOf(value, type.base) ? [] : [`${at} is not ${type.base}`];
}

function ofFields(value: unknown, fields: Fields, at: string): string[] {
  if (!isObject(value)) return [`${at} is not an object`];
  return Object.entries(fields).flatMap(([name, type]) => {
    const member = name.replace(/\?$/, '');
    if (!Object.hasOwn(value, member)) return name === member ? [`${at}/${member} is missing`] : [];
    return ofValue(value[member], typeOf(type), `${at}/${member}`);
  });
}

function isOf(value: unknown, base: string): boolean {
  if (base === 'any') return true;
  if (base === 'int') return Number.isSafeInteger(value);
  return typeof value === base;
}

/**
 * Describes each difference between a schema of the document and the type that the specification requires. `resolve`
 * follows references.
 */
export function differencesOfSchema(
  schema: JsonSchema | undefined,
  answer: string,
  resolve: (schema: JsonSchema) => JsonSchema,
): string[] {
  if (answer === '-') return [];
  const whole = schema ?? {};
  const page = pageOf(answer);
  if (page === undefined) return ofSchema(whole, typeOf(answer), '', resolve);
  const { properties = {} } = resolve(whole) as { properties?: Record<string, JsonSchema> };
  const items = { base: page.item, isArray: true, isNullable: false };
  return [
    ...ofProperties(whole, page.fields, '', resolve),
    ...ofSchema(properties.pageContent ?? {}, items, '/pageContent', resolve),
  ];
}

function ofSchema(
  schema: JsonSchema,
  type: Type,
  at: string,
  resolve: (schema: JsonSchema) => JsonSchema,
): string[] {
  const parts = alternatives(schema, resolve).filter((part) => !(type.isNullable && part.type === 'null'));
  if (type.base === 'any' && !type.isArray) return [];
  if (parts.length === 0) return [`${at} has no type`];
  return parts.flatMap((part) => {
    if (type.isArray) {
      if (part.type !== 'array') return [`${at} is ${String(part.type)}, not an array`];
      // The items of a schema are themselves a schema.
      return ofSchema((part.items ?? {}) as JsonSchema, { ...type, isArray: false }, `${at}/*`, resolve);
    }
    const fields = records[type.base];
    if (fields !== undefined) return ofProperties(part, fields, at, resolve);
    const wanted = type.base === 'int' ? 'integer' : type.base;
    return kindOf(part) === wanted ? [] : [`${at} is ${kindOf(part)}, not ${wanted}`];
  });
}

function ofProperties(
  schema: JsonSchema,
  fields: Fields,
  at: string,
  resolve: (schema: JsonSchema) => JsonSchema,
): string[] {
  const { properties } = resolve(schema) as { properties?: Record<string, JsonSchema> };
  if (properties === undefined) return [`${at} has no properties`];
  return Object.entries(fields).flatMap(([name, type]) => {
    const member = name.replace(/\?$/, '');
    const property = properties[member];
    return property === undefined
      ? [`${at}/${member} is missing`]
      : ofSchema(property, typeOf(type), `${at}/${member}`, resolve);
  });
}

/** Returns the alternatives of a schema, each with one type. */
function alternatives(schema: JsonSchema, resolve: (schema: JsonSchema) => JsonSchema): JsonSchema[] {
  const found = resolve(schema);
  const several = found.anyOf ?? found.oneOf;
  if (Array.isArray(several)) return several.flatMap((part: JsonSchema) => alternatives(part, resolve));
  if (Array.isArray(found.type)) return found.type.map((type: unknown) => ({ ...found, type }));
  return [found];
}

function kindOf({ type, const: only, enum: several }: JsonSchema): string {
  if (typeof type === 'string') return type;
  const values: unknown[] = Array.isArray(several) ? several : only === undefined ? [] : [only];
  return values.length > 0 && values.every((value) => typeof value === 'string')
    ? 'string'
    : 'without a type';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
