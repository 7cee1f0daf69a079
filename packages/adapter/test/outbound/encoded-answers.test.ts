import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { NodeClient } from '../../src/outbound/index.ts';

/** Calls a node that compresses its answer. Returns the error. */
async function call(status: number, headers: OutgoingHttpHeaders = {}): Promise<unknown> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { ...headers, 'content-encoding': 'gzip' });
    response.end(gzipSync('{"jsonrpc":"2.0","id":1,"result":"0x1"}'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const client = new NodeClient({
    nodeId: 'a',
    url: new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`),
    ...{ headers: {}, policy: undefined, timeoutMs: 10_000, now: () => 0 },
    parse: (content) => JSON.parse(content.toString()),
  });
  onTestFinished(async () => {
    await client.close();
    server.close();
  });
  return client.post('{}', new AbortController().signal).catch((error: unknown) => error);
}

test('an error for a compressed answer of a node names the encoding', async () => {
  expect(await call(200)).toMatchObject({
    code: 'unavailable',
    message:
      'Node a answered with content encoded as gzip, which was not requested; disable compression on the other side.',
  });
});

test('an error for a compressed error page of a node names the status and contains no bytes of the page', async () => {
  expect(await call(502)).toMatchObject({
    ...{ code: 'unavailable', status: 502, message: 'Node a answered with HTTP status 502.' },
  });
});

test('honors the rate limit of a node that compresses its answers', async () => {
  expect(await call(429, { 'retry-after': '30' })).toMatchObject({
    code: 'unavailable',
    retryAfterMs: 30_000,
  });
});
