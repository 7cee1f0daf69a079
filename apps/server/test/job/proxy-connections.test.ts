// Connects clients to the proxies in `deploy`. Behind a published port of a container, all clients have the
// same address.
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { missingProxy, type ProxyName, startProxy } from './real-proxy.ts';

/** As many requests as wait at 50 requests per second with responses after 30 seconds. */
const waiting = 1_500;

/**
 * Starts a server that responds to requests for `/slow` once `count` of them wait, or once `release` is
 * called.
 */
async function startSlowServer(count: number) {
  const waits: ServerResponse[] = [];
  let isReleased = false;
  const release = () => {
    isReleased = true;
    for (const one of waits) one.end();
  };
  const server = createServer((incoming, response) => {
    if (isReleased || incoming.url !== '/slow') response.end();
    else if (waits.push(response) === count) release();
  });
  server.listen(0, '127.0.0.1', 4_096);
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return { port: (server.address() as AddressInfo).port, release };
}

/** Returns the status of the response, or the code of the connection's error. */
function outcomeOf(url: string): Promise<string> {
  return new Promise((resolve) => {
    request(url, { agent: false }, (response) => resolve(String(response.resume().statusCode)))
      .on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
      .end();
  });
}

test.for<ProxyName>(['nginx', 'haproxy'])(
  `%s holds ${waiting} connections of one address whose requests wait for slow answers`,
  { timeout: 60_000 },
  async (name, { skip }) => {
    const missing = missingProxy(name);
    if (missing !== undefined) console.warn(`Skipped: connections through ${name}, because ${missing}.`);
    skip(missing !== undefined);
    const { port, release } = await startSlowServer(waiting);
    const proxy = await startProxy(name, [port, port]);
    onTestFinished(() => proxy.stop());
    const outcomes = await Promise.all(
      Array.from({ length: waiting }, async () => {
        const outcome = await outcomeOf(`${proxy.url}/slow`);
        if (outcome !== '200') release();
        return outcome;
      }),
    );
    const counts = [...Map.groupBy(outcomes, (outcome) => outcome)].map(([outcome, { length }]) => [
      outcome,
      length,
    ]);
    expect(Object.fromEntries(counts)).toEqual({ 200: waiting });
  },
);
