import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  addCaller,
  type Ground,
  makeServer,
  openGround,
  problemOf,
  type TestCaller,
} from '../stage/harness.ts';

let ground: Ground;
let stranger: TestCaller;
beforeAll(async () => {
  ground = await openGround();
  stranger = await addCaller(ground.store, ground.auth, ground.administrator, 'stranger');
});
afterAll(() => ground.close());

interface Activity {
  action: string;
  resourceID: string;
  targetObject: string;
}
type Server = ReturnType<typeof makeServer>;

async function addGroup({ call }: Server, name: string, headers: Readonly<Record<string, string>> = {}) {
  const made = await call('POST', '/v1/contract-groups', { name }, { ...headers });
  expect(made.status).toBe(201);
  return ((await made.json()) as { groupId: string }).groupId;
}
async function read({ call }: Server, path: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await call('GET', `/v1/timeline/${path}`, undefined, { ...headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('deprecation')).not.toBeNull();
  return (await answer.json()) as Activity[];
}

test('the timeline is queried by resource, service and action, and type', async () => {
  const server = makeServer(ground);
  const before = new Date().toISOString();
  const groupId = await addGroup(server, 'watched');
  const own = await read(server, `resources/${groupId}`);
  expect(own).toEqual([
    {
      ...{ action: 'create', service: 'contract-registry', targetObject: 'watched' },
      ...{ resourceID: groupId, resourceType: 'contract-group' },
      ...{ identity: ground.caller.principal.serviceId, appID: ground.caller.appId },
      projectID: ground.caller.principal.projectId,
      pubsubMessageID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      datePerformed: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      dateRegistered: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    },
  ]);
  expect(await read(server, `services/contract-registry/actions/create?from=${before}`)).toEqual(own);
  expect(await read(server, `resource-types/contract-group?from=${before}`)).toEqual(own);
  expect(await read(server, 'resource-types/plugin?from=2026-01-01T00:00:00Z')).toEqual([]);
  expect(await read(server, `resources/${groupId}?from=2999-01-01T00:00:00Z`)).toEqual([]);
  expect(await read(server, `resources/${groupId}`, stranger.headers)).toEqual([]);
});

test.each([
  ['services/contract-registry/actions/create', 'from'],
  ['resource-types/plugin', 'from'],
  ['resource-types/plugin?from=yesterday', 'from'],
  ['resources/x?from=2026-13-01T00:00:00Z', 'from'],
  ['resource-types/thing?from=2026-01-01T00:00:00Z', 'type'],
])('the timeline path %s is refused with the pointer %s', async (path, pointer) => {
  const { call } = makeServer(ground);
  const problem = await problemOf(await call('GET', `/v1/timeline/${path}`));
  expect(problem).toMatchObject({ status: 400, errors: [{ pointer }] });
});

async function follow({ call }: Server, headers: Readonly<Record<string, string>> = {}) {
  const response = await call('GET', '/v1/timeline/events', undefined, { ...headers });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const events: { id: string; data: Activity }[] = [];
  const stream = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const done = (async () => {
    let text = '';
    for (;;) {
      const part = await stream?.read();
      if (part === undefined || part.done) return;
      text += part.value;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id = ''] = /^id: (.*)$/m.exec(block) ?? [];
        const [, data = ''] = /^data: (.*)$/m.exec(block) ?? [];
        if (id === '') continue;
        expect(block).toContain('event: activity\n');
        events.push({ id, data: JSON.parse(data) as Activity });
      }
    }
  })();
  const about = () => events.map(({ data }) => data.targetObject);
  return { events, about, close: async () => await stream?.cancel(), done };
}

test('following the timeline resumes after the last seen event', async () => {
  const server = makeServer(ground);
  await addGroup(server, 'before');
  const first = await follow(server);
  await addGroup(server, 'one');
  await addGroup(server, 'two');
  await vi.waitFor(() => expect(first.about()).toEqual(['one', 'two']), 30_000);
  await first.close();
  await addGroup(server, 'three');
  const [one, two] = first.events;
  const again = await follow(server, { 'Last-Event-ID': one?.id ?? '' });
  await vi.waitFor(() => expect(again.about()).toEqual(['two', 'three']), 30_000);
  expect(again.events[0]).toEqual(two);
  await again.close();
  expect(server.streams.size).toBe(0);
});

test('a timeline stream shows only records that its caller may read, including after the caller’s roles change', async () => {
  const server = makeServer(ground);
  const watcher = await addCaller(ground.store, ground.auth, ground.administrator, 'watcher', 'viewer');
  const theirs = { ...stranger.headers };
  const stream = await follow(server, watcher.headers);
  await addGroup(server, 'of the first', ground.caller.headers);
  await addGroup(server, 'of a stranger', theirs);
  const { auth, store } = ground;
  const project = stranger.principal.projectUid;
  await store.transaction(async (tx) => {
    const holder = { identity: watcher.principal.serviceId };
    await auth.assignRole(tx, { holder, role: 'viewer', resourceUid: project });
    await auth.assignRole(tx, {
      holder: { app: watcher.principal.appUid },
      role: 'viewer',
      resourceUid: project,
    });
  });
  await addGroup(server, 'of a stranger, shown', theirs);
  await vi.waitFor(() => expect(stream.about().at(-1)).toBe('of a stranger, shown'), 30_000);
  expect(stream.about()).not.toContain('of the first');
  await stream.close();
});

test('a timeline stream refuses a Last-Event-ID that it cannot have sent', async () => {
  const { call } = makeServer(ground);
  const refused = await call('GET', '/v1/timeline/events', undefined, { 'Last-Event-ID': 'x' });
  expect(await problemOf(refused)).toMatchObject({ status: 400, errors: [{ pointer: 'Last-Event-ID' }] });
});
