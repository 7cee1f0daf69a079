// Generated from the route table. No operation may accept a name that looks like another one.
import { z } from '@hono/zod-openapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route } from '../../src/http/route.ts';
import { html } from '../../src/present/html.ts';
import { type Ground, makeServer, openGround, type TestServer } from '../stage/harness.ts';

let ground: Ground;
let server: TestServer;
beforeAll(async () => {
  ground = await openGround();
  server = makeServer(ground);
});
afterAll(() => ground.close());

/** Ids are ASCII (`chosenId`). */
const shown = /^(name|displayName|title|tag|reason|message|subject|description|intent)$/i;
/** Names of existing records. */
const references = /\/(role\/name|contractSpecification\/tag)$/;

/** Returns the members of a body that others see, at any depth. */
function membersOf(schema: unknown, path = ''): (readonly [string, z.ZodType])[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, member]) => [
      ...(shown.test(name) && member instanceof z.ZodType && takesText(member)
        ? [[`${path}/${name}`, member] as const]
        : []),
      ...membersOf(member, `${path}/${name}`),
    ]);
  }
  if (schema instanceof z.ZodArray) return membersOf(schema.element, `${path}[]`);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return membersOf(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => membersOf(option, path));
  return [];
}

const takesText = (schema: z.ZodType) => schema.safeParse('plain').success;
const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;

test.each([
  ['changes the direction of text', 'pay\u202ella'],
  ['is invisible', 'pay\u200blla'],
  ['is a lone surrogate', 'pay\ud800lla'],
  ['controls a terminal', 'pay\u009blla'],
])('no body accepts a name with a character that %s', (_, name) => {
  const members = server.routes
    .filter(({ body }) => body?.type === 'application/json')
    .flatMap((route) =>
      membersOf(route.body?.schema).map(([path, schema]) => [`${nameOf(route)} ${path}`, schema] as const),
    );
  expect(members.length).toBeGreaterThan(25);
  const accepted = members.filter(
    ([member, schema]) => !references.test(member) && schema.safeParse(name).success,
  );
  expect(accepted.map(([member]) => member)).toEqual([]);
});

test('a name that changes the direction of text is refused with a reason', async () => {
  const body = { name: 'pay\u202ella', url: 'https://receiver.example/' };
  const response = await server.call('POST', '/v1/contract-groups', { name: body.name });
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining(
      '"pointer":"/name","detail":"must not contain characters that are invisible or change the direction of text"',
    ),
  ]);
});

test('pages of the service show stored text without characters that change its direction', () => {
  expect(html('<pay\u202ella>')).toBe('&lt;pay\ufffdlla&gt;');
});
