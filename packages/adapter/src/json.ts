import type { Json, JsonObject } from './contract/values.ts';

/** Maximum nesting of JSON in messages of the adapter interface. */
const jsonDepth = 64;

/** Whether a value is JSON that the adapter interface allows: plain, finite and at most 64 levels deep. */
export function isJson(value: unknown): value is Json {
  return isJsonAt(value, 0);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value);
}

function isJsonAt(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === jsonDepth) return false;
  if (Array.isArray(value)) {
    // `every` would skip holes.
    for (let index = 0; index < value.length; index += 1)
      if (!isJsonAt(value[index], depth + 1)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null)
    return false;
  return Object.entries(value).every(
    ([name, member]) => name !== '__proto__' && (member === undefined || isJsonAt(member, depth + 1)),
  );
}
