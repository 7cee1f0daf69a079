import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { listenOnBlockedPort } from '../../../../testing/blocked-port.ts';
import { GuardedWebSockets } from '../../src/outbound/index.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Creates a web socket server that sends the given frames. */
async function serve(
  talk: (socket: Socket) => void,
  { isBlocked = false, heads = [] }: { isBlocked?: boolean; heads?: string[] } = {},
) {
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    accepted.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', (head) => {
      heads.push(head.toString());
      const key = /sec-websocket-key: (.*)\r/i.exec(head.toString())?.[1] ?? '';
      // RFC 6455, section 1.3.
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
      );
      talk(socket);
    });
  });
  if (isBlocked) await listenOnBlockedPort(server);
  else await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const url = new URL(`ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1?key=a`);
  const limits = { message: 1_024, burst: 8_192, perSecond: 1_024 };
  const sockets = new GuardedWebSockets({ open: ['127.0.0.1'] }, { timeout: 10_000, limits });
  ends.push(async () => {
    await sockets.close();
    const closed = once(server, 'close');
    server.close();
    for (const socket of accepted) socket.destroy();
    await closed;
  });
  return sockets.open(url, {});
}

const frame = (head: number, text = '') =>
  Buffer.concat([Buffer.of(head, text.length), Buffer.from(text, 'latin1')]);

test('a guarded web socket delivers short messages', async () => {
  const socket = await serve((server) => server.write(frame(0x81, 'head')));
  const data = await new Promise<unknown>((resolve) => {
    socket.addEventListener('message', (message) => resolve(message.data));
  });
  expect(data).toBe('head');
});

test('reaches a port that browsers block, with the path and the host of the URL', async () => {
  const heads: string[] = [];
  const socket = await serve((server) => server.write(frame(0x81, 'head')), { isBlocked: true, heads });
  const data = await new Promise<unknown>((resolve, reject) => {
    socket.addEventListener('message', (message) => resolve(message.data));
    socket.addEventListener('error', () => reject(new Error('The web socket failed.')));
    if (socket.readyState === socket.CLOSED) reject(new Error('The port was refused.'));
  });
  expect(data).toBe('head');
  expect(heads.join()).toMatch(/^GET \/v1\?key=a HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/i);
});

test('a message that is too long ends the connection', async () => {
  const long = Buffer.concat([Buffer.of(0x81, 126, 2_000 >> 8, 2_000 & 255), Buffer.alloc(2_000, 'a')]);
  const socket = await serve((server) => server.write(long));
  const received = await new Promise<unknown>((resolve) => {
    socket.addEventListener('message', ({ data }) => resolve(data));
    socket.addEventListener('close', () => resolve('closed'));
  });
  expect(received).toBe('closed');
});

test.each([
  ['pings', frame(0x89)],
  ['messages', frame(0x81, 'head')],
  ['empty fragments', frame(0x00)],
])('a flood of %s ends the connection after a few kilobytes', async (_, one) => {
  let written = 0;
  const piece = Buffer.concat(Array.from({ length: 512 }, () => one));
  const socket = await serve((server) => {
    if (one[0] === 0) server.write(frame(0x01));
    const flood = () => {
      while (server.writable) {
        written += piece.length;
        if (!server.write(piece)) return;
      }
    };
    server.on('drain', flood);
    flood();
  });
  let messages = 0;
  socket.addEventListener('message', () => {
    messages += 1;
  });
  await new Promise((resolve) => socket.addEventListener('close', resolve));
  expect(messages * one.length).toBeLessThanOrEqual(8_192);
  expect(written).toBeGreaterThan(0);
});
