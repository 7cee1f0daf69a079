import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodingFor } from '../../src/http/encoded.ts';
import { listen } from '../../src/http/sockets/listen.ts';
import { type Ground, makeServer, openGround } from '../stage/harness.ts';

let ground: Ground;
let port: number;
let close: () => Promise<void>;
beforeAll(async () => {
  ground = await openGround();
  const { app } = makeServer(ground);
  const listener = await listen('127.0.0.1', 0);
  listener.serve(app.fetch);
  port = listener.port;
  close = () => listener.close(1_000);
});
afterAll(async () => {
  await close?.();
  await ground?.close();
});

interface Raw {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** Returns the response with the body as it was sent. fetch would decode the body. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(parts) }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe.each([
  ['/openapi.json', 8],
  ['/docs', 6],
  ['/docs/send', 6],
  ['/docs/reference.js', 2],
])('the document %s', (path, times) => {
  test('each document is served in an encoding that the client accepts, with an ETag for each encoding', async () => {
    const plain = await get(path);
    const zipped = await get(path, { 'Accept-Encoding': 'gzip' });
    const brotli = await get(path, { 'Accept-Encoding': 'gzip, deflate, br' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / times);
    const etags = [plain, zipped, brotli].map(({ headers }) => String(headers.etag));
    expect(new Set(etags).size).toBe(3);
    for (const etag of etags) expect(etag).toMatch(/^"[\w-]{43}"$/);
    for (const { headers } of [plain, zipped, brotli]) expect(headers.vary).toBe('Accept-Encoding, Origin');
  });

  test('a document is not sent again to a client that has the current version', async () => {
    const { headers } = await get(path, { 'Accept-Encoding': 'br' });
    const etag = String(headers.etag);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(path, { 'Accept-Encoding': 'br', 'If-None-Match': known });
      expect([known, again.status, again.bytes.length]).toEqual([known, 304, 0]);
      expect(again.headers).toMatchObject({ etag, vary: 'Accept-Encoding, Origin' });
    }
    // Another encoding consists of other bytes, so its ETag does not match.
    expect((await get(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': etag })).status).toBe(200);
  });

  test('a HEAD request for a document gets the headers of GET', async () => {
    const { headers } = await get(path, { 'Accept-Encoding': 'br' });
    const head = await get(path, { 'Accept-Encoding': 'br' }, 'HEAD');
    expect([head.status, head.headers.etag, head.bytes.length]).toEqual([200, headers.etag, 0]);
  });
});

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['deflate, zstd', 'identity'],
  ['GZIP ; Q=1', 'gzip'],
  ['gzip;q=nonsense', 'identity'],
])('Accept-Encoding %s is served with %s', (accepted, encoding) => {
  expect(encodingFor(accepted)).toBe(encoding);
});
