// Generated from the route table: every external text and list has a limit, which is checked first.
import { z } from '@hono/zod-openapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyLimits } from '../../src/http/request/body-limits.ts';
import type { Route } from '../../src/http/route.ts';
import { type Ground, makeServer, openGround } from '../stage/harness.ts';

let ground: Ground;
let routes: readonly Route[];
beforeAll(async () => {
  ground = await openGround();
  ({ routes } = makeServer(ground));
});
afterAll(() => ground.close());

const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;

/** Paths of texts and lists in a schema that a hostile value could make long. */
function unbounded(schema: unknown, path: string): string[] {
  if (schema instanceof z.ZodString) return isBounded(schema) ? [] : [path];
  if (schema instanceof z.ZodObject) {
    return [
      ...Object.entries(schema.shape).flatMap(([name, member]) => unbounded(member, `${path}/${name}`)),
      ...(schema.def.catchall === undefined ? [] : unbounded(schema.def.catchall, `${path}/*`)),
    ];
  }
  if (schema instanceof z.ZodArray) {
    const bounded = checksOf(schema).some((check) => check.check === 'max_length');
    return [...(bounded ? [] : [`${path}[]`]), ...unbounded(schema.element, `${path}[]`)];
  }
  if (schema instanceof z.ZodRecord) {
    return [...unbounded(schema.keyType, `${path}/(name)`), ...unbounded(schema.valueType, `${path}/*`)];
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => unbounded(option, path));
  if (schema instanceof z.ZodPipe) return unbounded(schema.in, path);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return unbounded(schema.def.innerType, path);
  }
  return [];
}

/** Whether the text has a maximum length. If it is parsed, its length is checked first and ends the validation. */
function isBounded(schema: z.ZodString): boolean {
  const checks = checksOf(schema);
  const reads = checks.findIndex((check) => !['min_length', 'max_length'].includes(check.check));
  const bounds = checks.filter((check) => check.check === 'max_length');
  if (reads === -1) return bounds.length > 0;
  return checks.slice(0, reads).some((check) => check.check === 'max_length' && check.abort === true);
}

function checksOf(schema: z.ZodType): { check: string; abort?: boolean | undefined }[] {
  return (schema.def.checks ?? []).map((check) => check._zod.def);
}

describe('strings and lists', () => {
  test('every string and list in a body, query or path has a maximum length that is checked before any other rule', () => {
    const missing = routes.flatMap((route) => [
      // Forms are not checked: their bodies have at most 16 kB, and another standard defines their parsing.
      ...(route.body?.type === 'application/json'
        ? unbounded(route.body.schema, `${nameOf(route)} body`)
        : []),
      ...(route.readsQuery === true ? [] : unbounded(route.query, `${nameOf(route)} query`)),
      ...unbounded(route.params, `${nameOf(route)} path`),
    ]);
    expect(missing).toEqual([]);
  });
});

describe('bodies', () => {
  test('bodies of public operations have at most 16 kB', () => {
    const open = routes.filter(
      ({ permission, body }) => body !== undefined && typeof permission === 'string',
    );
    expect(open.map(({ body }) => body?.limit)).toEqual(open.map(() => bodyLimits.public));
    expect(bodyLimits.public.bytes).toBe(16_384);
    expect(open.length).toBeGreaterThan(4);
  });

  test('each body limit allows the longest string that the body’s schema accepts', () => {
    const longest = (schema: unknown): number => {
      if (schema instanceof z.ZodString) {
        return Math.max(0, ...checksOf(schema).map((check) => Number(Reflect.get(check, 'maximum') ?? 0)));
      }
      if (schema instanceof z.ZodObject) return Math.max(0, ...Object.values(schema.shape).map(longest));
      if (schema instanceof z.ZodArray) return longest(schema.element);
      if (schema instanceof z.ZodRecord) return longest(schema.valueType);
      if (schema instanceof z.ZodUnion) return Math.max(0, ...schema.options.map(longest));
      if (schema instanceof z.ZodPipe) return longest(schema.in);
      if (
        schema instanceof z.ZodOptional ||
        schema instanceof z.ZodNullable ||
        schema instanceof z.ZodDefault
      ) {
        return longest(schema.def.innerType);
      }
      return 0;
    };
    const tight = routes.flatMap((route) =>
      route.body !== undefined && longest(route.body.schema) > route.body.limit.bytes ? [nameOf(route)] : [],
    );
    expect(tight).toEqual([]);
  });
});
