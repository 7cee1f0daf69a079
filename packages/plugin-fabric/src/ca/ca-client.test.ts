import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { adapterError } from '@ledger-ops/adapter';
import { expect, onTestFinished, test } from 'vitest';
import { listenOnBlockedPort } from '../../../../testing/blocked-port.ts';
import { createCaClient } from './ca-client.ts';

async function open(listener: RequestListener, isBlocked = false) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    listener(request, response);
  });
  if (isBlocked) await listenOnBlockedPort(server);
  else await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const url = new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
  const ca = { url, name: undefined, rootCertificate: undefined, registrar: undefined };
  const client = createCaClient({ ...ca, attributes: [], affiliations: [] }, undefined, 5_000, {
    now: () => clock.now,
  });
  onTestFinished(async () => {
    await client.close();
    server.close();
    server.closeAllConnections();
  });
  const post = () =>
    client.post({ path: '/api/v1/enroll', body: '{}', authorization: '' }, ({ message }) =>
      adapterError('refused', message),
    );
  return { post, clock, requests: () => requests };
}

test('sends no requests to a CA until its rate limit ends', async () => {
  const { post, clock, requests } = await open((_request, response) =>
    response.writeHead(429, { 'retry-after': '30' }).end('{}'),
  );
  await expect(post()).rejects.toMatchObject({ problem: { code: 'unavailable', retryAfterMs: 30_000 } });
  clock.now += 20_000;
  await expect(post()).rejects.toMatchObject({ problem: { code: 'unavailable', retryAfterMs: 10_000 } });
  expect(requests()).toBe(1);
  clock.now += 10_000;
  await expect(post()).rejects.toMatchObject({ problem: { retryAfterMs: 30_000 } });
  expect(requests()).toBe(2);
});

test('does not follow a redirect of a CA, and reports its status', async () => {
  const { post } = await open((_request, response) => response.writeHead(302, { location: '/' }).end());
  await expect(post()).rejects.toThrow(
    "The CA's response has status 302 and is not JSON; redirects are not followed.",
  );
});

test('an error for a compressed answer of a CA names the encoding', async () => {
  const { post } = await open((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"success":true,"result":{}}'));
  });
  await expect(post()).rejects.toMatchObject({
    message:
      'The CA answered with content encoded as gzip, which was not requested; disable compression on the other side.',
    problem: { code: 'unavailable' },
  });
});

test('reaches a CA at a port that browsers block', async () => {
  const { post } = await open((_request, response) => {
    response.end(JSON.stringify({ success: true, result: { Cert: 'x' } }));
  }, true);
  expect(await post()).toEqual({ Cert: 'x' });
});

test('a request to a CA returns the result, or an error with the CA’s message', async () => {
  const answers = [
    { success: true, result: { Cert: 'x' } },
    { success: false, result: null, errors: [{ code: 20, message: 'Authentication failure' }] },
  ];
  const { post } = await open((_request, response) => response.end(JSON.stringify(answers.shift())));
  expect(await post()).toEqual({ Cert: 'x' });
  await expect(post()).rejects.toThrow('Authentication failure');
});
