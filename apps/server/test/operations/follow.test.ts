import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addCaller, type Ground, makeServer, openGround, problemOf, sendBody } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

interface Seen {
  id: string;
  data: { actionId: string; status: string; walletId: string };
}

/** Reads events as they arrive. */
function reader(response: Response) {
  const events: Seen[] = [];
  let beats = 0;
  let ended = false;
  const stream = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const run = async () => {
    let text = '';
    for (;;) {
      const part = await stream?.read();
      if (part === undefined || part.done) break;
      text += part.value;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.startsWith(':')) beats += 1;
        const id = /^id: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (id !== undefined && data !== undefined) events.push({ id, data: JSON.parse(data) });
      }
    }
    ended = true;
  };
  const done = run();
  return {
    events,
    done,
    beats: () => beats,
    ended: () => ended,
    cancel: () => stream?.cancel(),
    until: (count: number) => vi.waitFor(() => expect(events.length).toBeGreaterThanOrEqual(count), 30_000),
  };
}

async function sendOne(server: ReturnType<typeof makeServer>, change: Record<string, unknown> = {}) {
  const response = await server.call('POST', '/v1/ledger-ops/send', sendBody(change));
  return ((await response.json()) as { actionId: string }).actionId;
}

test('following an action sends its state and each change, and ends with the final state', async () => {
  const server = makeServer(ground);
  const id = await sendOne(server);
  const response = await server.call('GET', `/v1/ledger-ops/actions/${id}/events`);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const seen = reader(response);
  await seen.until(1);
  server.runtime.change(id, { pending: { stage: 'signed', code: 'confirmation', detail: 'sent' } });
  await seen.until(2);
  server.runtime.change(id, { status: 'SUCCEEDED', locator: '0xabc', pending: null });
  await seen.done;
  expect(seen.events.map(({ data }) => data.status)).toEqual(['PENDING', 'PENDING', 'SUCCEEDED']);
  expect([server.runtime.listeners(), server.streams.size]).toEqual([0, 0]);
});

test('following resumes from Last-Event-ID and ends immediately after the final state', async () => {
  const server = makeServer(ground);
  const id = await sendOne(server);
  const path = `/v1/ledger-ops/actions/${id}/events`;
  const first = reader(await server.call('GET', path));
  await first.until(1);
  await first.cancel();
  const again = reader(
    await server.call('GET', path, undefined, { 'Last-Event-ID': first.events[0]?.id ?? '' }),
  );
  server.runtime.change(id, { status: 'FAILED', pending: null });
  await again.done;
  expect(again.events.map(({ data }) => data.status)).toEqual(['FAILED']);
  const headers = { 'Last-Event-ID': again.events[0]?.id ?? '' };
  expect((await server.call('GET', path, undefined, headers)).status).toBe(204);
  const late = reader(await server.call('GET', path));
  await late.done;
  expect(late.events.map(({ data }) => data.status)).toEqual(['FAILED']);
});

test('following an action that the caller may not see gets 404, and no stream', async () => {
  const server = makeServer(ground);
  const response = await server.call('GET', '/v1/ledger-ops/actions/nope/events');
  expect([response.status, server.streams.size]).toEqual([404, 0]);
});

test('following an intent or a wallet sends the initial state, then only changes of its actions', async () => {
  const server = makeServer(ground);
  const intent = '11111111-1111-4111-8111-111111111111';
  const mine = await sendOne(server, { intent, walletId: 'carol' });
  const other = await sendOne(server);
  for (const query of [`intent=${intent}`, 'wallet=carol', `intent=${intent}&wallet=carol`]) {
    const seen = reader(await server.call('GET', `/v1/ledger-ops/events?${query}`));
    await seen.until(1);
    server.runtime.change(other, { tag: `changed for ${query}` });
    server.runtime.change(mine, { tag: `changed for ${query}` });
    await seen.until(2);
    expect(seen.events.map(({ data }) => data.actionId)).toEqual([mine, mine]);
    await seen.cancel();
    await vi.waitFor(() => expect([server.runtime.listeners(), server.streams.size]).toEqual([0, 0]), 30_000);
  }
});

test('following an intent includes its new actions', async () => {
  const server = makeServer(ground);
  const intent = '22222222-2222-4222-8222-222222222222';
  const seen = reader(await server.call('GET', `/v1/ledger-ops/events?intent=${intent}`));
  const id = await sendOne(server, { intent });
  await seen.until(1);
  expect(seen.events[0]?.data.actionId).toBe(id);
  await seen.cancel();
});

test('a stream of many actions resumes from Last-Event-ID and sends the final state of each action', async () => {
  const server = makeServer(ground);
  const intent = randomUUID();
  const path = `/v1/ledger-ops/events?intent=${intent}`;
  const ids: string[] = [];
  for (let i = 0; i < 330; i += 1) ids.push(await sendOne(server, { intent }));
  const at = Date.now();
  const first = reader(await server.call('GET', path));
  await first.until(100);
  server.runtime.change(ids[0] ?? '', { status: 'SUCCEEDED', updatedAt: at });
  await first.until(101);
  const last = first.events.at(-1)?.id ?? '';
  await first.cancel();
  // The other actions complete in the meantime. One of them gets its time from a clock that is behind.
  for (const [i, id] of ids.entries()) {
    if (i > 0) server.runtime.change(id, { status: 'SUCCEEDED', updatedAt: at + (i === 329 ? -500 : i) });
  }
  // The stream can resume on any server, because it is read from the database.
  const again = reader(await server.call('GET', path, undefined, { 'Last-Event-ID': last }));
  await vi.waitFor(
    () => expect(new Set(again.events.map(({ data }) => data.actionId))).toEqual(new Set(ids)),
    30_000,
  );
  expect(new Set(again.events.map(({ data }) => data.status))).toEqual(new Set(['SUCCEEDED']));
  const order = again.events.map(({ id }) => Number(id.split(':')[1]));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  // Then the stream sends new changes.
  const late = await sendOne(server, { intent });
  await vi.waitFor(() => expect(again.events.at(-1)?.data.actionId).toBe(late), 30_000);
  await again.cancel();
});

test('a Last-Event-ID that cannot be resumed is rejected', async () => {
  const { call } = makeServer(ground);
  const resume = async (id: string) =>
    await problemOf(
      await call('GET', `/v1/ledger-ops/events?intent=${randomUUID()}`, undefined, { 'Last-Event-ID': id }),
    );
  const old = Date.now() - 8 * 24 * 60 * 60 * 1_000;
  expect(await resume(`${randomUUID()}:${old}:SUCCEEDED`)).toMatchObject({
    status: 410,
    type: 'urn:ledger-ops:problem:event-too-old',
  });
  for (const id of [
    'x',
    '1:2',
    `${randomUUID()}:x:SUCCEEDED`,
    `${randomUUID()}:${'9'.repeat(30)}:SUCCEEDED`,
  ]) {
    expect(await resume(id)).toMatchObject({ status: 400, errors: [{ pointer: 'Last-Event-ID' }] });
  }
});

test('following requires an intent or a wallet, and the wallet must be visible', async () => {
  const { call } = makeServer(ground);
  expect((await problemOf(await call('GET', '/v1/ledger-ops/events'))).errors?.[0]?.pointer).toBe('intent');
  expect((await problemOf(await call('GET', '/v1/ledger-ops/events?intent=x'))).errors?.[0]?.pointer).toBe(
    'intent',
  );
  expect((await call('GET', '/v1/ledger-ops/events?wallet=unknown')).status).toBe(404);
});

test('a stream sends heartbeats and ends when the caller loses access', async () => {
  const server = makeServer(ground, { heartbeat: 5 });
  const caller = await addCaller(ground.store, ground.auth, ground.administrator, 'leaving');
  const id = await sendOne(server);
  const seen = reader(
    await server.call('GET', `/v1/ledger-ops/actions/${id}/events`, undefined, caller.headers),
  );
  await vi.waitFor(() => expect(seen.beats()).toBeGreaterThan(1), 30_000);
  await ground.store.transaction((tx) =>
    ground.auth.setIdentityStatus(tx, caller.principal.serviceId, 'DISABLED'),
  );
  await seen.done;
  expect(server.streams.size).toBe(0);
});

/** Callers of separate organizations. */
function tenants(count: number) {
  return Promise.all(
    Array.from({ length: count }, () =>
      addCaller(ground.store, ground.auth, ground.administrator, `tenant-${randomUUID()}`),
    ),
  );
}

test('streams are limited per caller and project, and end with the server', async () => {
  const server = makeServer(ground, { streams: 20 });
  const path = `/v1/ledger-ops/events?intent=${randomUUID()}`;
  const [tenant] = await tenants(1);
  const { organizationUid, projectUid } = tenant?.principal ?? ground.caller.principal;
  const open = (headers = tenant?.headers ?? {}) => server.call('GET', path, undefined, headers);
  const streams = [reader(await open()), reader(await open())];
  const refused = await open();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect((await problemOf(refused)).detail).toContain('This caller already has 2 event streams open');
  // Other callers of the project share its remaining streams. A stream belongs only to its caller.
  const other = (serviceId: string) => ({
    holder: { organizationUid, projectUid, serviceId },
    signal: new AbortController().signal,
    stillAllowed: async () => {},
    follow: () => () => {},
  });
  for (const account of ['a', 'a', 'b']) server.streams.open(other(account));
  expect(() => server.streams.open(other('c'))).toThrow('This project already has 5 event streams open');
  expect((await open(ground.caller.headers)).status).toBe(200);
  // An ended stream frees capacity.
  await streams[0]?.cancel();
  await vi.waitFor(() => expect(server.streams.size).toBe(5), 30_000);
  expect((await open()).status).toBe(200);
  server.streams.close();
  await streams[1]?.done;
  expect(server.streams.size).toBe(0);
  expect((await open()).status).toBe(429);
});

test('if all streams are in use, a new stream replaces the oldest one of the organization with the most streams', async () => {
  const server = makeServer(ground, { streams: 10 });
  const path = `/v1/ledger-ops/events?intent=${randomUUID()}`;
  const holder = (organization: string, n: number) => ({
    holder: { organizationUid: organization, projectUid: `${organization}-${n}`, serviceId: `${n}` },
    signal: new AbortController().signal,
    stillAllowed: async () => {},
    follow: () => () => {},
  });
  for (let n = 0; n < 10; n += 1) server.streams.open(holder('crowd', n));
  const [one, two] = await tenants(2);
  const seen = reader(await server.call('GET', path, undefined, one?.headers));
  expect((await server.call('GET', path, undefined, two?.headers)).status).toBe(200);
  expect(server.streams.size).toBe(10);
  // The organization with the most streams cannot open more.
  expect(() => server.streams.open(holder('crowd', 99))).toThrow('Too many event streams are open');
  expect(server.streams.size).toBe(10);
  expect(seen.ended()).toBe(false);
  server.streams.close();
});

test('the server ends a stream that its client does not read', async () => {
  const server = makeServer(ground, { heartbeat: 5 });
  const id = await sendOne(server);
  const path = `/v1/ledger-ops/actions/${id}/events`;
  const unread = await server.call('GET', path);
  const read = reader(await server.call('GET', path));
  expect(server.streams.size).toBe(2);
  await vi.waitFor(() => expect(server.streams.size).toBe(1), 30_000);
  const beats = read.beats();
  await vi.waitFor(() => expect(read.beats()).toBeGreaterThan(beats + 2), 30_000);
  expect(read.ended()).toBe(false);
  expect(unread.bodyUsed).toBe(false);
  server.streams.close();
});

test('a HEAD request does not open a stream', async () => {
  const server = makeServer(ground);
  const id = await sendOne(server);
  const response = await server.call('HEAD', `/v1/ledger-ops/actions/${id}/events`);
  expect([response.status, server.streams.size]).toEqual([200, 0]);
});
