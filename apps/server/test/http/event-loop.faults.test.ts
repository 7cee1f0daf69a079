// Generated from the route table. No body may block the event loop.
import { z } from '@hono/zod-openapi';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { expectShortTurns, measureTurns, type TurnLimit } from '../../../../testing/longest-block.ts';
import { pause } from '../../src/http/pause.ts';
import { type BodyLimit, bodyLimits } from '../../src/http/request/body-limits.ts';
import type { Route } from '../../src/http/route.ts';
import { type Ground, makeServer, openGround, type TestServer } from '../stage/harness.ts';
import { worstBodies } from './worst-bodies.ts';

const turnLimit: TurnLimit = { ms: 50, units: 3 };

let ground: Ground;
let server: TestServer;
beforeAll(async () => {
  ground = await openGround();
  server = makeServer(ground);
});
afterAll(() => ground.close());

const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;

/** Returns a key that is equal for schemas that do the same work: their description and additional checks. */
function ruleOf(schema: z.ZodType): string {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const functions = schema.def.checks?.map(({ _zod: { def } }) => ('fn' in def ? String(def.fn) : def.check));
  return JSON.stringify([schema.def.type, described, functions]);
}

/** Sends a body like a socket: in chunks, each in its own turn. */
async function send(route: Route, bytes: Uint8Array): Promise<number> {
  const path = route.path.replaceAll(/\{(\w+)\}/g, 'x1');
  const query = route.operationId === 'validateServiceAccountCredentials' ? '?authType=apiToken' : '';
  const headers = {
    ...ground.caller.headers,
    'Content-Type': route.body?.type ?? '',
    ...(route.creates === undefined ? {} : { 'Idempotency-Key': crypto.randomUUID() }),
  };
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pause();
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(at, at + 65_536));
      at += 65_536;
    },
  });
  // RequestInit lacks `duplex`, which a stream needs.
  const init = { method: route.method.toUpperCase(), headers, body, duplex: 'half' } as RequestInit;
  const response = await server.app.request(path + query, init);
  await response.arrayBuffer();
  return response.status;
}

test('every operation yields to the event loop for any body', async () => {
  const blocked: string[] = [];
  const broken: string[] = [];
  const lines: string[] = [];
  const sizes = new Set<BodyLimit>();
  const tried = new Map<BodyLimit, Set<unknown>>(
    Object.values(bodyLimits).map((limit) => [limit, new Set()]),
  );
  // Many places have the same rules. Here, each rule is tried once per size; `npm run test:faults` tries
  // every place.
  const isTried = (limit: BodyLimit, schema: z.ZodType) => {
    const of = tried.get(limit) ?? new Set();
    const rule = ruleOf(schema);
    const again = of.has(rule) && inject('faults') === undefined;
    of.add(rule);
    return again;
  };
  for (const route of server.routes) {
    let worst = { longest: 0, name: 'no body' };
    if (route.body === undefined) continue;
    const { limit } = route.body;
    for (const { name, text } of worstBodies(
      route,
      limit !== bodyLimits.public && sizes.has(limit),
      isTried,
    )) {
      const bytes = new TextEncoder().encode(text);
      await pause();
      const { result, longest, excess } = await measureTurns(() => send(route, bytes), turnLimit);
      if (longest > worst.longest) worst = { longest, name };
      if (excess !== undefined) blocked.push(`${nameOf(route)}, ${name}: ${excess}`);
      if (result >= 500) broken.push(`${nameOf(route)}: ${result} by ${name}`);
    }
    sizes.add(limit);
    lines.push(`${worst.longest.toFixed(1).padStart(8)} ms ${nameOf(route)}, by ${worst.name}`);
  }
  process.stdout.write(`${lines.sort().toReversed().join('\n')}\n`);
  expect({ blocked, broken }).toEqual({ blocked: [], broken: [] });
}, 600_000);

test('generating the document yields to the event loop', async () => {
  await expectShortTurns(async () => {
    const response = await makeServer(ground).app.request('/openapi.json');
    await response.arrayBuffer();
  }, turnLimit);
});
