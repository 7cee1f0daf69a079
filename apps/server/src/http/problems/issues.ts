import type { z } from '@hono/zod-openapi';
import { invalidRequest, type ProblemIssue } from '@ledger-ops/base';

/**
 * Kind of a value, which determines how its location is written: as a JSON Pointer (RFC 6901) in bodies, as a name
 * for parameters.
 */
export type IssuePlace = 'body' | 'parameter';

/** Converts schema errors to issues: each states the rule, never the value. The problem's detail is the first one. */
export function issuesFrom(error: z.ZodError, input: unknown, place: IssuePlace): ProblemIssue[] {
  return error.issues.flatMap((issue) => fromIssue(issue, input, place));
}

/** Parses with a schema. @throws Problem `invalid-request` with every issue */
export function parseWith<Output>(schema: z.ZodType<Output>, input: unknown, place: IssuePlace): Output {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw invalidRequest(issuesFrom(result.error, input, place));
}

/** Converts a path to a JSON Pointer (RFC 6901). */
function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function fromIssue(issue: z.core.$ZodIssue, input: unknown, place: IssuePlace): ProblemIssue[] {
  const locate = (path: readonly PropertyKey[]) =>
    place === 'body' ? pointerOf(path) : String(path[0] ?? '');
  if (issue.code === 'unrecognized_keys') {
    const kind = place === 'body' ? 'member' : 'parameter';
    return issue.keys.map((key) => ({
      pointer: locate([...issue.path, key]),
      detail: `is not a ${kind} of this operation; leave it out`,
    }));
  }
  const missing = valueAt(input, issue.path) === undefined;
  return [{ pointer: locate(issue.path), detail: missing ? 'is required' : detailOf(issue) }];
}

function detailOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'too_big':
      return `must ${sizeOf(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'too_small':
      return `must ${sizeOf(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'invalid_format':
      // Custom messages describe the format; zod's default message shows the regular expression.
      return issue.format === 'regex' && issue.message.startsWith('Invalid')
        ? 'has an invalid format'
        : lower(issue.message);
    default:
      return lower(issue.message);
  }
}

const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

function sizeOf(origin: string): string {
  return origin === 'number' || origin === 'int' ? 'be' : 'have';
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' items' : '';
}

function lower(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}
