// The worst bodies of an operation, generated from its schema and limit: the longest, the widest, and those
// with the most faults.
import { z } from '@hono/zod-openapi';
import type { BodyLimit } from '../../src/http/request/body-limits.ts';
import type { Route } from '../../src/http/route.ts';

/** A body, and a short description of its fault. */
export interface WorstBody {
  readonly name: string;
  readonly text: string;
}

const million = 1_048_576;

/**
 * Returns bodies that replace an operation's own, all within its byte limit. The work before the schema is
 * the same for all bodies of a size, so `brief` omits most of them.
 *
 * @param isTried returns true if places with this schema need no further body
 */
export function* worstBodies(
  { body }: Route,
  brief: boolean,
  isTried: (limit: BodyLimit, schema: z.ZodType) => boolean,
): Generator<WorstBody> {
  if (body === undefined) return;
  const { limit, example, schema } = body;
  const room = limit.bytes - 1_024;
  const { texts, values } = fillings(limit);
  if (body.type !== 'application/json') {
    yield { name: 'a form of ampersands', text: '&'.repeat(room) };
    yield { name: 'a form of names', text: fill(room, (at) => `n${at}=&`) };
    yield { name: 'a form of escapes', text: `a=${'%41'.repeat(room / 3)}` };
    return;
  }
  yield* whole(limit);
  if (!brief) yield* beforeSchema(room, JSON.stringify(example ?? {}));
  for (const { pointer, kind, schema: own } of places(schema, [])) {
    if (isTried(limit, own)) continue;
    const [before, after] = JSON.stringify(withValue(example, pointer, hole)).split(`"${hole}"`);
    for (const [what, json] of kind === 'text' ? texts : values)
      yield { name: `${what} at /${pointer.join('/')}`, text: `${before}${json}${after}` };
  }
}

/** Placeholder in a body, which filler replaces. */
const hole = 'a hole in the example';

/** Large JSON texts, with a description. */
type Filling = readonly (readonly [what: string, json: string])[];

/** Replacements for texts and for everything else. Created once per limit, because they are equal for all bodies. */
const fillings = once((limit: BodyLimit): { texts: Filling; values: Filling } => {
  const long = Math.min(limit.bytes - 5_120, million);
  const json = JSON.stringify;
  return {
    texts: [
      ['lines', json('\n'.repeat(long / 2))],
      ['letters', json('a'.repeat(long))],
      ['dashes', json('a-'.repeat(long / 2))],
    ],
    values: [
      ['members', json(members(limit.members, 'x'))],
      ['items', json(Array.from({ length: limit.values - 100 }, () => 'x'))],
      ['objects', json(Array.from({ length: Math.floor(limit.values / 2) - 100 }, () => ({ x: 0 })))],
      ['nested items', json(nested(30, limit.values - 200))],
    ],
  };
});

const whole = once((limit: BodyLimit): readonly WorstBody[] => {
  const empty = Array.from({ length: limit.values - 2 }, () => []);
  return [
    { name: 'as many members as are read', text: JSON.stringify(members(limit.members, 0)) },
    { name: 'as many values as are read', text: JSON.stringify({ a: empty }) },
  ];
});

/** Computes the result for a limit on first use. */
function once<Result>(make: (limit: BodyLimit) => Result): (limit: BodyLimit) => Result {
  const made = new Map<BodyLimit, Result>();
  return (limit) => {
    const result = made.get(limit) ?? make(limit);
    made.set(limit, result);
    return result;
  };
}

function* beforeSchema(room: number, example: string): Generator<WorstBody> {
  yield { name: 'members', text: `{${fill(room, (at) => `"m${at}":0,`)}"z":0}` };
  yield { name: 'depth', text: '['.repeat(room) };
  yield { name: 'objects in depth', text: '{"a":'.repeat(room / 5) };
  yield { name: 'values', text: `{"a":[${fill(room, () => '0,')}0]}` };
  yield { name: 'spaces', text: example + ' '.repeat(room - example.length) };
  yield { name: 'digits', text: `{"a":${'1'.repeat(room - 16)}}` };
  yield { name: 'a name', text: `{"${'a'.repeat(room - 16)}":0}` };
  yield { name: 'a text', text: `{"a":"${'a'.repeat(room - 16)}"}` };
  yield { name: 'a text of escapes', text: `{"a":"${'\\n'.repeat(room / 2 - 16)}"}` };
  yield { name: 'a text of Unicode', text: `{"a":"${'漢'.repeat(room / 3 - 16)}"}` };
}

function members(count: number, value: unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, value]));
}

function nested(depth: number, values: number): unknown {
  let value: unknown = Array.from({ length: Math.max(0, values - depth) }, () => '1');
  for (let level = 1; level < depth - 4; level += 1) value = [value];
  return value;
}

function fill(room: number, piece: (at: number) => string): string {
  const pieces: string[] = [];
  let length = 0;
  for (let at = 0; ; at += 1) {
    const next = piece(at);
    if (length + next.length > room - 16) return pieces.join('');
    pieces.push(next);
    length += next.length;
  }
}

interface Place {
  readonly pointer: readonly string[];
  readonly kind: 'text' | 'open';
  /** Cached per place, because routes share them. */
  readonly schema: z.ZodType;
}

/** Places for text, and places for lists, open objects or anything. */
function places(schema: unknown, pointer: readonly string[]): Place[] {
  if (schema instanceof z.ZodString) return [{ pointer, kind: 'text', schema }];
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, member]) => places(member, [...pointer, name]));
  }
  if (schema instanceof z.ZodArray) {
    return [{ pointer, kind: 'open', schema }, ...places(schema.element, [...pointer, '0'])];
  }
  if (schema instanceof z.ZodRecord || schema instanceof z.ZodUnknown)
    return [{ pointer, kind: 'open', schema }];
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => places(option, pointer));
  if (schema instanceof z.ZodPipe) return places(schema.in, pointer);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return places(schema.def.innerType, pointer);
  }
  return [];
}

/** Returns the example with another value at a place, which is created if missing. */
function withValue(example: unknown, pointer: readonly string[], value: unknown): unknown {
  const [name, ...rest] = pointer;
  if (name === undefined) return value;
  if (name === '0') {
    const list: unknown[] = Array.isArray(example) ? [...example] : [];
    list[0] = withValue(list[0], rest, value);
    return list;
  }
  const object = typeof example === 'object' && example !== null && !Array.isArray(example) ? example : {};
  return { ...object, [name]: withValue(Reflect.get(object, name), rest, value) };
}
