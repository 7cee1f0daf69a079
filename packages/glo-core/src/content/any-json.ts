import { kindOf } from '../problems.ts';
import { contentLimits } from './content-limits.ts';
import type { Run } from './content-run.ts';

const loneSurrogate = /\p{Cs}/u;

/** The detail of an issue about a string with a lone surrogate. */
export const wellFormedDetail = 'must be well-formed Unicode, without lone surrogates';

/** UTF-8 cannot encode a lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}

/** Returns the detail of an issue about a number; undefined if every JSON reader keeps its value. */
export function numberDetail(value: number): string | undefined {
  if (Number.isFinite(value) && !(Number.isInteger(value) && !Number.isSafeInteger(value))) return undefined;
  return `must be a number between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}; write a larger number as text`;
}

/** Reads any JSON value within the limits. Negative zero becomes zero. */
export function anyJson(value: unknown, at: Run, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      at.spend(value.length);
      if (!isWellFormed(value)) at.report(wellFormedDetail);
      return value;
    case 'number': {
      at.spend(0);
      const detail = numberDetail(value);
      if (detail !== undefined) at.report(detail);
      return value === 0 ? 0 : value;
    }
    case 'boolean':
      at.spend(0);
      return value;
    case 'object':
      at.spend(0);
      if (value === null) return null;
      if (depth >= contentLimits.depth) {
        at.reportAlone(`is nested deeper than ${contentLimits.depth} levels`);
        return undefined;
      }
      return Array.isArray(value) ? anyItems(value, at, depth + 1) : anyMembers(value, at, depth + 1);
    case 'undefined':
      at.spend(0);
      at.report('is required');
      return undefined;
    default:
      at.spend(0);
      at.report(`must be JSON, not ${kindOf(value)}`);
      return undefined;
  }
}

function anyItems(items: readonly unknown[], at: Run, depth: number): unknown[] {
  const read: unknown[] = [];
  for (let index = 0; index < items.length; index += 1) {
    at.path.push(index);
    read.push(anyJson(items[index], at, depth));
    at.path.pop();
  }
  return read;
}

function anyMembers(value: object, at: Run, depth: number): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    at.path.push(name);
    if (isUsableName(name, at)) members[name] = anyJson(member, at, depth);
    at.path.pop();
  }
  return members;
}

/** Checks a name that no schema declares; reports at the name's own pointer. */
export function isUsableName(name: string, at: Run): boolean {
  at.spend(name.length);
  if (name === '__proto__') {
    at.report('is a reserved name; choose another one');
    return false;
  }
  if (name.length > contentLimits.nameLength) {
    at.report(`has an invalid name: must have at most ${contentLimits.nameLength} characters`);
    return false;
  }
  if (!isWellFormed(name)) {
    at.report(`has an invalid name: ${wellFormedDetail}`);
    return false;
  }
  return true;
}
