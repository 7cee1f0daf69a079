import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listener, listen } from '../../src/http/sockets/listen.ts';
import { type Ground, makeServer, openGround } from '../stage/harness.ts';

let ground: Ground;
let listener: Listener;
beforeAll(async () => {
  ground = await openGround();
  listener = await listen('127.0.0.1', 0);
  listener.serve(makeServer(ground).app.fetch);
});
afterAll(async () => {
  await listener.close(100);
  await ground.close();
});

/** More bytes than the largest accepted body has, and than all socket buffers between client and server hold. */
const large = Buffer.alloc(13 * 1_048_576, 32);
const send = '/v1/ledger-ops/send';
const known = () => ({ ...ground.caller.headers, 'Content-Type': 'application/json' });

const lines = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

/** Writes a head and then a body without waiting, like most programs, and reads the response to its end. */
function post(headers: Record<string, string>, body: readonly (string | Uint8Array)[], path = send) {
  return new Promise<{ text: string; error: string | undefined }>((resolve) => {
    const socket = connect(listener.port, '127.0.0.1');
    let text = '';
    let error: string | undefined;
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', (cause) => {
      error = cause.message;
    });
    socket.on('close', () => resolve({ text, error }));
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${lines(headers)}\r\n`);
    for (const part of body) socket.write(part);
  });
}

/** Node's own client, which writes the whole body regardless of the response. */
function postByNode(headers: Record<string, string>): Promise<number | string> {
  return new Promise((resolve) => {
    const client = request(
      { host: '127.0.0.1', port: listener.port, path: send, method: 'POST', headers, agent: false },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text.includes('urn:') ? (response.statusCode ?? 0) : text));
        response.on('error', (error) => resolve(error.message));
      },
    );
    client.on('error', (error) => resolve(error.message));
    client.end(large);
  });
}

const ten = Array.from({ length: 10 });

describe('responses to bodies that are too large', () => {
  test('a client that sends a whole body whose declared length is too large always receives the response 413', async () => {
    const seen: (number | string)[] = [];
    for (const _ of ten) seen.push(await postByNode({ ...known(), 'Content-Length': String(large.length) }));
    expect(seen).toEqual(ten.map(() => 413));
  }, 300_000);

  test('a client that sends too large a body in chunks always receives the response 413', async () => {
    const seen: (number | string)[] = [];
    for (const _ of ten) seen.push(await postByNode({ ...known(), 'Transfer-Encoding': 'chunked' }));
    expect(seen).toEqual(ten.map(() => 413));
  }, 300_000);

  test('fetch always receives the response 413 to too large a body', async () => {
    const seen: unknown[] = [];
    for (const _ of ten) {
      const url = `http://127.0.0.1:${listener.port}${send}`;
      const answer = await fetch(url, { method: 'POST', headers: known(), body: large }).then(
        async (response) => ((await response.text()).includes('payload-too-large') ? response.status : 0),
        (error: unknown) => String(error),
      );
      seen.push(answer);
    }
    expect(seen).toEqual(ten.map(() => 413));
  }, 300_000);

  test('a client that sends too large a body reads the whole response, without a connection reset', async () => {
    for (const _ of ten) {
      const { text, error } = await post({ ...known(), 'Content-Length': String(large.length) }, [large]);
      expect([text.slice(0, 12), error]).toEqual(['HTTP/1.1 413', undefined]);
      expect(text.toLowerCase()).toContain('connection: close');
      expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
        type: 'urn:ledger-ops:problem:payload-too-large',
      });
    }
  });
});

describe('other responses before the body is read', () => {
  test.each([
    ['401', { ApplicationToken: '' }, send],
    ['415', { 'Content-Type': 'text/plain' }, send],
    ['404', {}, '/v2/nothing'],
    ['405', {}, '/livez'],
  ])(
    'a client that sends a large body gets the whole response with status %s',
    async (status, headers: Record<string, string>, path) => {
      for (const framing of ['length', 'chunks']) {
        const given = { ...known(), ...headers };
        const { text, error } =
          framing === 'length'
            ? await post({ ...given, 'Content-Length': String(large.length) }, [large], path)
            : await post(
                { ...given, 'Transfer-Encoding': 'chunked' },
                [`${large.length.toString(16)}\r\n`, large, '\r\n0\r\n\r\n'],
                path,
              );
        expect([framing, text.slice(9, 12), error]).toEqual([framing, status, undefined]);
        expect(text).toContain('urn:ledger-ops:problem:');
      }
    },
  );

  test('an unread small body leaves the connection open for the next request', async () => {
    const small = `POST ${send} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n{ }`;
    const socket = connect(listener.port, '127.0.0.1');
    const text = await new Promise<string>((resolve) => {
      let read = '';
      socket.on('data', (chunk) => {
        read += chunk.toString('latin1');
        if (read.split('HTTP/1.1 401').length === 3) resolve(read);
      });
      socket.on('close', () => resolve(read));
      socket.write(small);
      socket.write(small);
    });
    socket.destroy();
    expect(text.match(/HTTP\/1\.1 401/g)).toHaveLength(2);
  });

  test('the server executes no further request on a connection that is being closed', async () => {
    const calls: string[] = [];
    const own = await listen('127.0.0.1', 0);
    own.serve((incoming) => {
      calls.push(new URL(incoming.url).pathname);
      return new Response('no', { status: 413, headers: { Connection: 'close' } });
    });
    const socket = connect(own.port, '127.0.0.1');
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('error', () => {});
    socket.resume();
    socket.write('POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n');
    socket.once('data', () => socket.end(`${' '.repeat(200_000)}POST /two HTTP/1.1\r\nHost: a\r\n\r\n`));
    await closed;
    expect(calls).toEqual(['/one']);
    await own.close(100);
  });
});

describe('endless senders', () => {
  /**
   * Writes endlessly after the response. Returns how many bytes were accepted until the connection closed,
   * and how long after the head this was.
   */
  const flood = (port: number, chunk: Buffer): Promise<{ written: number; ms: number }> =>
    new Promise((resolve) => {
      // The client keeps writing although the server has closed its side.
      const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      const began = performance.now();
      const more = () => {
        if (socket.destroyed) return;
        if (socket.write(chunk)) setImmediate(more);
        else socket.once('drain', more);
      };
      socket.on('error', () => {});
      socket.on('close', () => {
        resolve({ written: socket.bytesWritten, ms: performance.now() - began });
      });
      socket.once('data', more);
      socket.write(
        `POST ${send} HTTP/1.1\r\nHost: a\r\n${lines({ ...known(), 'Content-Length': String(2 ** 40) })}\r\n`,
      );
    });

  test('a client that sends endlessly is disconnected after a limit of bytes or time', async () => {
    const own = await listen('127.0.0.1', 0, { linger: { bytes: 4_194_304, milliseconds: 300 } });
    own.serve(makeServer(ground).app.fetch);
    const fast = await flood(own.port, Buffer.alloc(65_536, 32));
    expect(fast.written).toBeLessThan(4_194_304 + 16_777_216);
    // If the client sends byte by byte, the time limit passes long before this many bytes are accepted.
    const slow = await flood(own.port, Buffer.alloc(1, 32));
    expect(slow.written).toBeLessThan(4_194_304);
    expect(slow.ms).toBeGreaterThan(200);
    await own.close(100);
  });
});

describe('errors in a request’s head are reported as problem documents', () => {
  const problemIn = ({ text }: { text: string }) => {
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head.toLowerCase()).toContain('content-type: application/problem+json');
    expect(head.toLowerCase()).toContain('cache-control: no-store');
    const { type, status } = JSON.parse(body) as { type: string; status: number };
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    return [status, type.replace('urn:ledger-ops:problem:', '')];
  };
  const raw = (text: string) =>
    new Promise<{ text: string; error: string | undefined }>((resolve) => {
      const socket = connect(listener.port, '127.0.0.1');
      let read = '';
      let error: string | undefined;
      socket.on('data', (chunk) => {
        read += chunk.toString('latin1');
      });
      socket.on('error', (cause) => {
        error = cause.message;
      });
      socket.on('close', () => resolve({ text: read, error }));
      socket.write(text);
    });

  test.each([
    ['a long query', `GET /livez?x=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'head-too-large'],
    [
      'a very long query',
      `GET /livez?x=${'x'.repeat(4_000_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      431,
      'head-too-large',
    ],
    [
      'a long header',
      `GET /livez HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'head-too-large',
    ],
    [
      'many headers',
      `GET /livez HTTP/1.1\r\nHost: a\r\n${'a:b\r\n'.repeat(2_500)}\r\n`,
      431,
      'head-too-large',
    ],
    [
      'a few more headers than allowed',
      `GET /livez HTTP/1.1\r\nHost: a\r\n${'a:b\r\n'.repeat(250)}Connection: close\r\n\r\n`,
      431,
      'head-too-large',
    ],
    ['an unknown method', 'BREW /livez HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid-request'],
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'invalid-request'],
    [
      'two lengths',
      'POST /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
      'invalid-request',
    ],
    [
      'two hosts',
      'GET /livez HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n',
      400,
      'invalid-request',
    ],
    [
      'two Authorization headers',
      'GET /livez HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\nConnection: close\r\n\r\n',
      400,
      'invalid-request',
    ],
    ['no Host header', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'invalid-request'],
    [
      'CONNECT',
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
      405,
      'method-not-allowed',
    ],
    ['TRACE', 'TRACE /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 405, 'method-not-allowed'],
    [
      'PROPFIND',
      'PROPFIND /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      405,
      'method-not-allowed',
    ],
    [
      'an unknown expectation',
      'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
      417,
      'expectation-failed',
    ],
  ])('%s is reported as a problem document', async (_what, text, status, name) => {
    const answer = await raw(text);
    expect(problemIn(answer)).toEqual([status, name]);
    expect(answer.error).toBeUndefined();
    if (status === 405) expect(answer.text.toLowerCase()).toContain('\r\nallow: ');
  });

  test('no header is dropped silently: 100 headers are read, and a request with 101 is refused', async () => {
    const ask = (count: number) =>
      raw(`GET /livez HTTP/1.1\r\nHost: a\r\n${'a:b\r\n'.repeat(count - 2)}Connection: close\r\n\r\n`);
    expect((await ask(100)).text).toMatch(/^HTTP\/1\.1 200 /);
    expect(problemIn(await ask(101))).toEqual([431, 'head-too-large']);
  });

  test('a malformed request that follows a request in progress is refused after the response to the request in progress', async () => {
    const own = await listen('127.0.0.1', 0);
    const go = Promise.withResolvers<void>();
    own.serve(async () => {
      await go.promise;
      return new Response('done');
    });
    const socket = connect(own.port, '127.0.0.1');
    const text = await new Promise<string>((resolve) => {
      let read = '';
      socket.on('data', (chunk) => {
        read += chunk.toString('latin1');
      });
      socket.on('close', () => resolve(read));
      socket.write('GET /one HTTP/1.1\r\nHost: a\r\n\r\n', () =>
        socket.write('rubbish\r\n\r\n', () => go.resolve()),
      );
    });
    expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*doneHTTP\/1\.1 400 /);
    await own.close(100);
  });
});
