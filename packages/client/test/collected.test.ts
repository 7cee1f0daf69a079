// Signals, the stream timeout and the response timeout must work even if garbage was collected since the
// request started.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient, type Timing } from '../src/index.ts';

let server: Server;
/** Resolves when a request arrives that is not for a token. */
let asked: ReturnType<typeof Promise.withResolvers<void>>;
beforeEach(async () => {
  asked = Promise.withResolvers();
  server = createServer((request, response) => {
    if (request.url === '/v1/auth/token') {
      response.setHeader('Content-Type', 'application/json');
      response.end('{"access_token": "token", "expires_in": 300, "token_type": "Bearer"}');
      return;
    }
    if (request.url?.startsWith('/v1/events')) {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('retry: 2000\n\n');
    }
    asked.resolve();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function open(timing: Partial<Timing> = {}) {
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const credentials = { clientId: 'app', serviceAccount: 'account', apiToken: 'sak_secret' };
  return createClient({ baseUrl, applicationToken: 'app_token', credentials, timing });
}

/**
 * Collects garbage twice, with an event-loop iteration in between, because finalizers of the first run release more
 * objects.
 */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  for (let round = 0; round < 2; round += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('aborting the signal still ends a stream after a garbage collection', async () => {
  const over = new AbortController();
  const opened = Promise.withResolvers<void>();
  const first = open()
    .events({}, { signal: over.signal, opened: () => opened.resolve() })
    .next();
  await opened.promise;
  await collectGarbage();
  over.abort();
  expect(await first).toEqual({ done: true, value: undefined });
});

test('a silent stream is still reopened after a garbage collection', async () => {
  let openings = 0;
  const again = Promise.withResolvers<void>();
  const opened = () => {
    openings += 1;
    if (openings === 2) again.resolve();
    else void collectGarbage();
  };
  const over = new AbortController();
  const first = open({ silence: 500, again: 2, look: [5, 20] })
    .events({}, { signal: over.signal, opened })
    .next();
  await again.promise;
  over.abort();
  await first;
});

test('aborting the signal, or the response timeout, still ends a request after a garbage collection', async () => {
  const over = new AbortController();
  const given = open().http.GET('/v1/technologies', { signal: over.signal });
  await asked.promise;
  await collectGarbage();
  over.abort(new Error('No more.'));
  await expect(given).rejects.toThrow('No more.');

  asked = Promise.withResolvers();
  const late = open({ answer: 500, tries: 1 }).http.GET('/v1/technologies');
  // The token request has the same timeout, which may pass before another request is sent.
  await Promise.race([asked.promise, late.catch(() => {})]);
  await collectGarbage();
  await expect(late).rejects.toMatchObject({ name: 'NoAnswerError', code: 'TIMEOUT' });
});
