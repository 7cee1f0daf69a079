// Generated from the route table: no body keeps the server from everybody else.
import { z } from '@hono/zod-openapi';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { unitOfWork, watch } from '../../../../testing/longest-block.ts';
import { pause } from '../../src/http/pause.ts';
import { type BodyLimit, bodyLimits } from '../../src/http/request/body-limits.ts';
import type { Route } from '../../src/http/route.ts';
import { type Ground, makeServer, openGround, type TestServer } from '../stage/harness.ts';
import { worstBodies } from './worst-bodies.ts';

/** Units of work that one turn of the event loop may take: 50 milliseconds or less, where a unit takes 20 to 25. */
const most = 2;

let ground: Ground;
let server: TestServer;
beforeAll(async () => {
  ground = await openGround();
  server = makeServer(ground);
});
afterAll(() => ground.close());

const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;

/** Equal for schemas that do the same work: what they describe, and the functions that check beside it. */
function ruleOf(schema: z.ZodType): string {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const functions = schema.def.checks?.map(({ _zod: { def } }) => ('fn' in def ? String(def.fn) : def.check));
  return JSON.stringify([schema.def.type, described, functions]);
}

/** Sends a body as a socket would give it: in chunks, each in a turn of its own. */
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
  // The type of RequestInit lacks `duplex`, which a stream needs.
  const init = { method: route.method.toUpperCase(), headers, body, duplex: 'half' } as RequestInit;
  const response = await server.app.request(path + query, init);
  await response.arrayBuffer();
  return response.status;
}

test('is given back by every operation, whatever body it gets', async () => {
  let unit = unitOfWork();
  const blocked: string[] = [];
  const broken: string[] = [];
  const lines: string[] = [];
  const sizes = new Set<BodyLimit>();
  const tried = new Map<BodyLimit, Set<unknown>>(
    Object.values(bodyLimits).map((limit) => [limit, new Set()]),
  );
  // Many places check the same: each rule is tried once in a size, and at every place in `npm run test:faults`.
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
      let { result, longest } = await watch(() => send(route, bytes));
      // The first time much is compiled, or garbage of others is collected: the least of a few counts.
      for (let again = 0; again < 3 && longest > most * unit; again += 1) {
        // Beside busy neighbours the same work takes more of a processor than it did before.
        unit = Math.max(unit, unitOfWork());
        longest = Math.min(longest, (await watch(() => send(route, bytes))).longest);
      }
      if (longest > worst.longest) worst = { longest, name };
      if (longest > most * unit) blocked.push(`${nameOf(route)}: ${longest.toFixed(0)} ms by ${name}`);
      if (result >= 500) broken.push(`${nameOf(route)}: ${result} by ${name}`);
    }
    sizes.add(limit);
    lines.push(`${worst.longest.toFixed(1).padStart(8)} ms ${nameOf(route)}, by ${worst.name}`);
  }
  process.stdout.write(`${lines.sort().toReversed().join('\n')}\n       a unit is ${unit.toFixed(1)} ms\n`);
  expect({ blocked, broken }).toEqual({ blocked: [], broken: [] });
}, 600_000);

test('is given back while the document is made, which takes longer than anything else', async () => {
  const unit = unitOfWork();
  let longest = Number.POSITIVE_INFINITY;
  // The least of a few, as above.
  for (let again = 0; again < 4 && longest > most * unit; again += 1) {
    const { app } = makeServer(ground);
    const asked = async () => (await app.request('/openapi.json')).arrayBuffer();
    longest = Math.min(longest, (await watch(asked)).longest);
  }
  expect(longest).toBeLessThanOrEqual(most * unit);
});
