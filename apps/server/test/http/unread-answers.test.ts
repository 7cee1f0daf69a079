// Tests long responses: many concurrent ones whose clients do not read, and the bytes that a client receives.
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { expectShortTurns } from '../../../../testing/longest-block.ts';
import { type Fetch, type Listener, listen } from '../../src/http/sockets/listen.ts';
import { makeServer, openGround } from '../stage/harness.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(fetch: Fetch): Promise<Listener> {
  const listener = await listen('127.0.0.1', 0);
  closing.push(() => listener.close(0));
  listener.serve(fetch);
  return listener;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Opens a connection, and stops reading it after one response. The response shows that the server has accepted the
 * connection: it accepts one per turn of the event loop.
 */
async function openUnread(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  const answered = new Promise((resolve) => socket.once('data', resolve));
  socket.write(get('/livez'));
  await answered;
  return socket.pause();
}

test('200 unread responses of 2 MB, requested at the same time, do not block the event loop', async () => {
  const ground = await openGround();
  closing.push(() => ground.close());
  const { port } = await serve(makeServer(ground).app.fetch);
  // The first request makes the server generate the document.
  const document = await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).text();
  expect(document.length).toBeGreaterThan(1_500_000);
  await expectShortTurns(async () => {
    const sockets = await Promise.all(Array.from({ length: 200 }, () => openUnread(port)));
    for (const socket of sockets) socket.write(get('/openapi.json'));
    // A socket that is not read still receives one chunk.
    await vi.waitFor(
      () => expect(Math.min(...sockets.map((one) => one.bytesRead))).toBeGreaterThan(30_000),
      30_000,
    );
    for (let turns = 0; turns < 100; turns += 1) await turn();
    for (const socket of sockets) socket.destroy();
  });
}, 120_000);

test.each([
  ['one text', () => 'aé€😀'.repeat(300_000)],
  ['one array of bytes', () => Uint8Array.from({ length: 3_000_001 }, (_, at) => at % 251)],
  [
    'a stream of small and large chunks',
    () =>
      ReadableStream.from(
        [1, 70_000, 2, 65_536, 65_537, 500_000, 3].map((length, nth) => new Uint8Array(length).fill(nth)),
      ),
  ],
])('the server sends every byte of a response in order (%s)', async (_, make) => {
  const { port } = await serve(() => new Response(make()));
  const expected = Buffer.from(await new Response(make()).arrayBuffer());
  for (let nth = 0; nth < 2; nth += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(Buffer.from(await response.arrayBuffer()).equals(expected)).toBe(true);
  }
});

test('the server closes a connection whose client disappears during a long response', async () => {
  const gone = Promise.withResolvers<void>();
  const { port } = await serve((_, bindings) => {
    (bindings as { outgoing: NodeJS.EventEmitter }).outgoing.once('close', () => gone.resolve());
    return new Response(new Uint8Array(16 * 1_048_576));
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(get('/'));
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await gone.promise;
});
