import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { defineRoute, jsonBody, type Route } from '../../src/http/route.ts';
import { WriteRate } from '../../src/http/write-rate.ts';
import { makeServer, openGround } from '../stage/harness.ts';

function route(method: 'get' | 'post', path: string): Route {
  return defineRoute({
    ...{ method, path, operationId: 'x', summary: 'X', service: 'administration', permission: 'public' },
    ...(method === 'get' ? {} : { body: jsonBody(z.object({}), {}) }),
    answers: {},
    handle: async () => ({ status: 200 }),
  });
}
const create = route('post', '/v1/admin/projects');
const send = route('post', '/v1/ledger-ops/send');
const read = route('get', '/v1/admin/projects');

test('the write rate limits an organization’s changes, but not its reads and sends, or other organizations’ changes', () => {
  const clock = { ms: 1_000_000 };
  const rate = new WriteRate(() => clock.ms);
  for (let count = 0; count < 1_000; count += 1) rate.admit('a', create);
  rate.admit('a', create);
  expect(() => rate.admit('a', create)).toThrow(
    expect.objectContaining({
      ...{ problem: 'too-many-requests', retryAfter: 1 },
      extensions: { limit: 'changes-per-second', most: 50 },
    }),
  );
  rate.admit('a', send);
  rate.admit('a', read);
  rate.admit('b', create);
  clock.ms += 1_000;
  for (let count = 0; count < 49; count += 1) rate.admit('a', create);
});

test('the write rate counts the bytes of long bodies, but not of short ones', () => {
  const clock = { ms: 1_000_000 };
  const rate = new WriteRate(() => clock.ms);
  for (let count = 0; count < 100_000; count += 1) rate.addBody('a', 16_384);
  rate.admit('a', send);
  for (let count = 0; count < 1_000; count += 1) rate.addBody('a', 4_000_000);
  expect(() => rate.admit('a', send)).toThrow(/"body-bytes-per-second"\)\. Try again in 30 s/);
  rate.admit('a', read);
  rate.admit('b', send);
  clock.ms += 30_000;
  rate.admit('a', send);
});

test('too many changes or body bytes per second return 429 with Retry-After and the name of the exceeded limit', async () => {
  const ground = await openGround();
  onTestFinished(() => ground.close());
  const change = { name: 'pay', description: 'x'.repeat(1_000_000) };
  const refusedBy = async (body: object) => {
    const server = makeServer(ground);
    for (let count = 0; count < 3_000; count += 1) {
      const response = await server.call('POST', '/v1/contract-groups', body);
      if (response.status !== 429) continue;
      expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
      const { limit } = (await response.json()) as { limit: string };
      return [limit, (await server.call('GET', '/v1/technologies')).status];
    }
    throw new Error('No change was refused.');
  };
  expect(await refusedBy({ name: '' })).toEqual(['changes-per-second', 200]);
  expect(await refusedBy(change)).toEqual(['body-bytes-per-second', 200]);
});
