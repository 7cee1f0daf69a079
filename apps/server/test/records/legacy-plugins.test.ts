import { z } from '@hono/zod-openapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCaller, type Ground, makeServer, openGround, problemOf } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

const path = '/v1/legacy-plugins';
const pluginURL = 'npm:@ledger-ops/plugin-ethereum';
const project = () => ground.caller.principal.projectId;
const body = (more: Record<string, unknown> = {}) => ({
  name: 'One',
  pluginURL,
  project: project(),
  ...more,
});

/** The fields of section 2.6 of the service interface. Other fields are errors. */
const plugin = z.strictObject({
  id: z.int(),
  name: z.string(),
  pluginId: z.string(),
  pluginURL: z.string(),
  project: z.string(),
  resourceId: z.string(),
  tags: z.array(z.strictObject({ id: z.int(), name: z.string() })),
});
const page = z.strictObject({
  contentType: z.literal('PluginPage'),
  pageElements: z.int(),
  pageNumber: z.int(),
  totalElements: z.int(),
  totalPages: z.int(),
  pageContent: z.array(plugin),
});

function open() {
  const { call } = makeServer(ground);
  const expecting = async (status: number, method: string, at: string, given?: unknown) => {
    const answer = await call(method, at, given);
    expect([method, at, answer.status]).toEqual([method, at, status]);
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(answer.headers.get('link')).toContain('rel="deprecation"');
    return answer;
  };
  const one = async (...request: Parameters<typeof expecting>) =>
    plugin.parse(await (await expecting(...request)).json());
  return { call, expecting, one };
}

test('a plugin is created, read, changed, tagged and deleted in the deprecated shape', async () => {
  const { expecting, one } = open();
  const made = await one(201, 'POST', path, body({ tags: [{ id: 7, name: 'ethereum' }], other: 'ignored' }));
  expect(made).toMatchObject({ name: 'One', pluginURL, project: project(), resourceId: made.pluginId });
  expect(made.tags).toEqual([{ id: expect.any(Number), name: 'ethereum' }]);
  const own = `${path}/${made.pluginId}`;
  expect(await one(200, 'GET', own)).toEqual(made);
  const changed = { ...made, name: 'Two' };
  expect(await one(200, 'PUT', own, changed)).toEqual(changed);

  const tagged = await one(200, 'POST', `${own}/tags`, { id: 1, name: 'main' });
  expect(tagged.tags.map(({ name }) => name)).toEqual(['ethereum', 'main']);
  const tags = await expecting(200, 'GET', `${path}/tags?plugin=${made.pluginId}`);
  expect(await tags.json()).toEqual(tagged.tags);
  const query = new URLSearchParams({ pluginId: made.pluginId, tagName: 'ethereum' });
  expect((await one(200, 'DELETE', `${path}/tags?${query}`)).tags).toEqual([tagged.tags[1]]);

  expect((await expecting(204, 'DELETE', own)).body).toBeNull();
  await expecting(404, 'GET', own);
  await expecting(404, 'PUT', own, changed);
  await expecting(404, 'DELETE', own);
});

test('current and deprecated operations return the same plugins', async () => {
  const { call, one } = open();
  const made = await one(201, 'POST', path, body({ pluginId: 'chosen', tags: [{ name: 'a' }] }));
  expect(made.pluginId).toBe('chosen');
  const current = await call('GET', '/v1/plugins/chosen');
  expect(await current.json()).toMatchObject({ id: 'chosen', url: pluginURL, tags: ['a'], active: true });
  // The deprecated operation keeps members that it does not know.
  const off = { active: false, name: 'Off', url: pluginURL };
  expect((await call('PUT', '/v1/plugins/chosen', off)).status).toBe(200);
  await one(200, 'PUT', `${path}/chosen`, { name: 'Still off', pluginURL });
  expect(await (await call('GET', '/v1/plugins/chosen')).json()).toMatchObject({ active: false });
});

test('plugins are listed in pages by project, resource and tags, in the requested order', async () => {
  const { call, expecting, one } = open();
  const caller = await addCaller(ground.store, ground.auth, ground.administrator, 'pages');
  const inProject = caller.principal.projectId;
  const ask = async (query: string) => {
    const answer = await call('GET', `${path}?project=${inProject}${query}`, undefined, caller.headers);
    expect(answer.status).toBe(200);
    return page.parse(await answer.json());
  };
  expect(await ask('')).toMatchObject({ totalElements: 0, totalPages: 0, pageContent: [] });
  for (let count = 0; count < 7; count += 1) {
    const tags = [{ name: 'all' }, { name: count % 2 === 0 ? 'even' : 'odd' }];
    const given = body({ project: inProject, pluginId: `p${6 - count}`, name: `n${count % 3}`, tags });
    expect((await call('POST', path, given, caller.headers)).status).toBe(201);
  }
  const ids = (found: z.output<typeof page>) => found.pageContent.map(({ pluginId }) => pluginId);
  const first = await ask('&size=5');
  expect(first).toMatchObject({ pageElements: 5, pageNumber: 0, totalElements: 7, totalPages: 2 });
  expect(ids(first)).toEqual(['p6', 'p5', 'p4', 'p3', 'p2']);
  expect(await ask('&size=5&page=1')).toMatchObject({ pageElements: 2, pageNumber: 1 });
  expect(await ask('&size=5&page=9')).toMatchObject({ pageElements: 0, pageNumber: 9, totalElements: 7 });
  // Numbers follow the order of creation, regardless of the ids.
  expect(ids(await ask('&sort=id,desc'))).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6']);
  expect(ids(await ask('&sort=pluginId'))).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6']);
  expect(ids(await ask('&sort=name,desc&sort=id'))).toEqual(['p4', 'p1', 'p5', 'p2', 'p6', 'p3', 'p0']);
  expect(ids(await ask('&tags=all,even'))).toEqual(['p6', 'p4', 'p2', 'p0']);
  expect(ids(await ask('&tags=even&tags=odd'))).toEqual([]);
  expect(ids(await ask('&resourceId=p3'))).toEqual(['p3']);
  expect(ids(await ask('&resourceId='))).toHaveLength(7);
  expect(ids(await ask('&unknown=1'))).toHaveLength(7);

  for (const [query, pointer] of [
    ['size=4', 'size'],
    ['size=101', 'size'],
    ['page=-1', 'page'],
    ['page=x', 'page'],
    ['sort=tags', 'sort'],
    ['sort=desc', 'sort'],
  ]) {
    const answer = await expecting(400, 'GET', `${path}?project=${project()}&${query}`);
    expect((await problemOf(answer)).errors).toMatchObject([{ pointer }]);
  }
  expect((await problemOf(await expecting(400, 'GET', path))).errors).toMatchObject([{ pointer: 'project' }]);
  const elsewhere = await expecting(200, 'GET', `${path}?project=never-was`);
  expect(page.parse(await elsewhere.json())).toMatchObject({ totalElements: 0 });
  await one(201, 'POST', path, body());
});

test('invalid plugins and ids that are in use are refused with pointers', async () => {
  const { expecting } = open();
  for (const [given, pointer] of [
    [{ name: 'x', project: project() }, '/pluginURL'],
    [body({ name: undefined }), '/name'],
    [body({ pluginURL: 'npm:something-else' }), '/pluginURL'],
    [body({ pluginId: 'tags' }), '/pluginId'],
    [body({ tags: [{ name: 'a,b' }] }), '/tags/0/name'],
    [body({ tags: ['a'] }), '/tags/0'],
  ] as const) {
    const answer = await expecting(400, 'POST', path, given);
    expect((await problemOf(answer)).errors).toMatchObject([{ pointer }]);
  }
  await expecting(201, 'POST', path, body({ pluginId: 'once' }));
  const twice = await expecting(409, 'POST', path, body({ pluginId: 'once' }));
  expect((await problemOf(twice)).errors).toMatchObject([{ pointer: '/pluginId' }]);
  await expecting(400, 'POST', `${path}/once/tags`, {});
  await expecting(400, 'DELETE', `${path}/tags?pluginId=once`);
  await expecting(400, 'GET', `${path}/tags`);
  await expecting(404, 'GET', `${path}/tags?plugin=never-was`);
  await expecting(404, 'POST', path, body({ project: 'never-was' }));
});

test('repeated requests with the same Idempotency-Key create a plugin once', async () => {
  const { call } = open();
  const again = async () => await (await call('POST', path, body(), { 'Idempotency-Key': 'legacy' })).json();
  expect(await again()).toEqual(await again());
});
