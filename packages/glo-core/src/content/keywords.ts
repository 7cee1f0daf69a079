import { isObject } from '../read-member.ts';

/** Maximum number of characters of a detail that a schema provides or that quotes its values. */
export const longestDetail = 512;

/** Shortens a detail to the maximum length. */
export function short(detail: string): string {
  return detail.length > longestDetail ? `${detail.slice(0, longestDetail)}…` : detail;
}

export const kinds = {
  object: 'an object',
  array: 'an array',
  string: 'text',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  null: 'null',
} as const;
export type Kind = keyof typeof kinds;

export function isKind(value: unknown): value is Kind {
  return typeof value === 'string' && Object.hasOwn(kinds, value);
}

export function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === kind;
  }
}

export type Primitive = string | number | boolean | null;

export function isPrimitive(value: unknown): value is Primitive {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Keywords for people or for the host, which do not affect validity. */
export const annotations: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: isText,
  description: isText,
  $comment: isText,
  'x-detail': isText,
  writeOnly: isFlag,
  'x-address': isFlag,
  'x-wallet': isFlag,
  'x-unit': isUnit,
  default: () => true,
  examples: Array.isArray,
};

/** Validation keywords by the type of value that they apply to. */
export const keywordsOf = {
  any: ['type', 'enum', 'const', 'anyOf'],
  string: ['pattern', 'minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum'],
  array: ['items', 'minItems', 'maxItems'],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'propertyNames',
    'maxProperties',
    'dependentRequired',
  ],
} as const;
export const keywords: ReadonlySet<string> = /*@__PURE__*/ new Set(Object.values(keywordsOf).flat());

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isDetail(value: unknown): value is string {
  return isText(value) && value.length <= longestDetail;
}

function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** Whether a value is an `x-unit`: the unit that people use for a number, and the decimals of the stored integer in it. */
function isUnit(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.keys(value).every((key) => key === 'name' || key === 'decimals') &&
    isText(value.name) &&
    value.name.length <= 64 &&
    isCount(value.decimals) &&
    value.decimals <= 36
  );
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

export function isPrimitives(value: unknown): value is Primitive[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPrimitive);
}
