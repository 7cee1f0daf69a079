import { z } from '@hono/zod-openapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ground, makeServer, openGround } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

const url = 'npm:@ledger-ops/plugin-ethereum';
const project = () => ground.caller.principal.projectId;
const register = (more: Record<string, unknown> = {}) => ({
  name: 'One',
  projectId: project(),
  url,
  ...more,
});

const pluginBody = z.looseObject({
  id: z.string(),
  tags: z.array(z.string()),
  health: z.unknown().optional(),
});
const pageBody = z.looseObject({ pageContent: z.array(z.unknown()) });
const refusalBody = z.object({ errors: z.array(z.unknown()) });

async function pluginOf(answer: Response | Promise<Response>) {
  return pluginBody.parse(await (await answer).json());
}

test('a new plugin is active and shown with its health, and can be changed and deleted', async () => {
  const at = Date.UTC(2026, 10, 20, 12);
  const lastError = { at, detail: 'The plugin One cannot answer.' };
  const isolation = 'isolated' as const;
  const known = { loaded: true, technology: 'ethereum', version: '1.2.3', ledgers: ['main'], changed: null };
  const pluginStatus = { ...known, latency: 4.5, restarts: 2, lastError, isolation };
  const { call } = makeServer(ground, { pluginStatus });
  const made = await call('POST', '/v1/plugins', register({ tags: ['ethereum', 'main'] }));
  expect(made.status).toBe(201);
  const { warnings, ...plugin } = await pluginOf(made);
  expect(warnings).toEqual([]);
  expect(plugin).toEqual({
    active: true,
    id: expect.any(String),
    implementationVersion: '0.1.0',
    name: 'One',
    pluginType: 'BLOCKCHAIN_PLUGIN',
    projectId: project(),
    tags: ['ethereum', 'main'],
    url,
    integrity: null,
    version: null,
    hasCredentials: false,
  });
  const path = `/v1/plugins/${plugin.id}`;
  const read = await pluginOf(call('GET', path));
  const health = { ...pluginStatus, lastError: { ...lastError, at: '2026-11-20T12:00:00.000Z' } };
  expect(read).toEqual({ ...plugin, health });
  const changed = await call('PUT', path, { ...read, active: false, name: 'Two' });
  expect(changed.status).toBe(200);
  expect(await changed.json()).toEqual({ ...plugin, active: false, name: 'Two', warnings: [] });
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('GET', path)).status).toBe(404);
});

test('an unused plugin is not loaded', async () => {
  const { call } = makeServer(ground);
  const { id } = await pluginOf(call('POST', '/v1/plugins', register()));
  const { health } = await pluginOf(call('GET', `/v1/plugins/${id}`));
  expect(health).toEqual({
    loaded: false,
    technology: null,
    version: null,
    ledgers: null,
    changed: null,
    lastError: null,
    latency: null,
    restarts: 0,
    isolation: null,
  });
});

test('a URL that is not allowed and an unsupported version are refused with pointers', async () => {
  const { call } = makeServer(ground);
  for (const [body, pointer] of [
    [register({ url: 'npm:something-else' }), '/url'],
    ...['2.0.0', '0.2.0', '0.1.7', '0.1', '0.01.0', 'v0.1.0', 0.1].map(
      (implementationVersion) => [register({ implementationVersion }), '/implementationVersion'] as const,
    ),
    [register({ version: 'newest' }), '/version'],
    [register({ unknown: 1 }), '/unknown'],
    [{ name: 'x', projectId: project() }, '/url'],
  ] as const) {
    const refused = await call('POST', '/v1/plugins', body);
    expect(refused.status).toBe(400);
    expect(refusalBody.parse(await refused.json()).errors).toMatchObject([{ pointer }]);
  }
});

test('tags can be added and removed in the body or query, and a search by tags finds plugins that have all of them', async () => {
  const { call } = makeServer(ground);
  const { id } = await pluginOf(call('POST', '/v1/plugins', register()));
  const path = `/v1/plugins/${id}/tags`;
  const tagsOf = async (answer: Response) => (await pluginOf(answer)).tags;
  expect(await tagsOf(await call('POST', path, { tags: ['a', 'b', 'c'] }))).toEqual(['a', 'b', 'c']);
  expect(await tagsOf(await call('DELETE', `${path}?tags=a`))).toEqual(['b', 'c']);
  const found = await call('GET', `/v1/plugins?project=${project()}&tags=b,c`);
  expect(await found.json()).toMatchObject({ pageContent: [{ id, tags: ['b', 'c'] }], hasMore: false });
  expect(await tagsOf(await call('DELETE', path, { tags: ['b'] }))).toEqual(['c']);
  expect((await call('DELETE', path)).status).toBe(400);
});

test('a page of plugins contains the numbers of the next and the previous page', async () => {
  const { call } = makeServer(ground);
  for (let count = 0; count < 11; count += 1) {
    await call('POST', '/v1/plugins', register({ name: `p${count}`, tags: ['page'] }));
  }
  const read = async (page: number) =>
    pageBody.parse(
      await (await call('GET', `/v1/plugins?project=${project()}&tags=page&size=5&page=${page}`)).json(),
    );
  const first = await read(0);
  expect(Object.keys(first).toSorted()).toEqual([
    'contentType',
    'hasMore',
    'nextPage',
    'pageContent',
    'previousPage',
  ]);
  expect(first).toMatchObject({
    contentType: 'PluginPagedResult',
    hasMore: true,
    nextPage: 1,
    previousPage: 0,
  });
  expect(await read(1)).toMatchObject({ hasMore: true, nextPage: 2, previousPage: 0 });
  const last = await read(2);
  expect(last).toMatchObject({ hasMore: false, nextPage: 2, previousPage: 1 });
  expect(last.pageContent).toHaveLength(1);
});

test('repeated requests with the same Idempotency-Key register a plugin once', async () => {
  const { call } = makeServer(ground);
  const again = async () =>
    await (await call('POST', '/v1/plugins', register(), { 'Idempotency-Key': 'once' })).json();
  expect(await again()).toEqual(await again());
});
