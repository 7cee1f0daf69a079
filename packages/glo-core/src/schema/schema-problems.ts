import type * as z from 'zod/mini';
import { type Path, toPointer } from '../json/pointer.ts';
import { invalid, kindOf, type Problem, unknownMember, unsupportedVersion } from '../problems.ts';
import { readableVersion } from '../version.ts';

type SchemaIssue = z.core.$ZodIssue;

/** Describes the issues of a schema without quoting values, which may be secret. */
export function schemaProblems(issues: readonly SchemaIssue[], input: unknown, base: string): Problem[] {
  return issues.flatMap((issue) => {
    const pointer = toPointer(base, issue.path);
    if (issue.code === 'unrecognized_keys') return unknownMembers(issue.keys, issue.path, base);
    const value = valueAt(input, issue.path);
    if (value === undefined) return [invalid(pointer, 'is required')];
    if (isVersionIssue(issue) && typeof value === 'string') return [unsupportedVersion(pointer, value)];
    return [invalid(pointer, detailOf(issue, value))];
  });
}

function isVersionIssue(issue: SchemaIssue): boolean {
  return issue.code === 'invalid_format' && issue.pattern === readableVersion.toString();
}

function unknownMembers(keys: readonly string[], path: Path, base: string): Problem[] {
  const parent = toPointer(base, path);
  return keys.map((key) => unknownMember(toPointer(parent, [key]), parent));
}

function detailOf(issue: SchemaIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${expectedKinds[issue.expected] ?? issue.expected}, not ${kindOf(value)}`;
    case 'invalid_value':
      return `must be ${issue.values.map((allowed) => JSON.stringify(allowed)).join(' or ')}`;
    case 'too_small':
      return issue.origin === 'array' ? `must have at least ${issue.minimum} item` : 'must not be empty';
    case 'too_big':
      return `must have at most ${issue.maximum} ${issue.origin === 'array' ? 'items' : 'characters'}`;
    default:
      return issue.message;
  }
}

const expectedKinds: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'an object',
  array: 'an array',
};

function valueAt(input: unknown, path: Path): unknown {
  let value = input;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[segment];
  }
  return value;
}
