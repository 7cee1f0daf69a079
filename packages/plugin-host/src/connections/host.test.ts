import { once } from 'node:events';
import { createServer } from 'node:net';
import { Duplex } from 'node:stream';
import { beforeEach, expect, test, vi } from 'vitest';
import { createFrameReader, encodeFrame } from '../messages/frame.ts';
import { createEndpoints, endpointsOf } from './endpoints.ts';
import { HostConnections } from './host.ts';

const resolver = vi.hoisted(() => ({ asked: 0 }));
// Never answers, so lookups stay pending.
vi.mock('node:dns/promises', () => ({
  lookup: () => {
    resolver.asked += 1;
    return new Promise(() => undefined);
  },
}));
beforeEach(() => {
  resolver.asked = 0;
});

const name = 'abcdefghijkl';

/** The host's side of a link. The child looks up these names. */
async function ask(hosts: readonly string[]): Promise<string[]> {
  const endpoints = createEndpoints();
  const nodes = [{ nodeId: 'node', uri: `http://${name}.example:80/` }];
  endpoints.add(1, { ledgerId: 'ledger', technology: 'any', properties: {}, nodes });
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const faults: string[] = [];
  new HostConnections(
    stream,
    endpoints,
    (detail) => faults.push(detail),
    () => undefined,
  );
  for (const [id, host] of hosts.entries()) stream.push(encodeFrame({ t: 'resolve', id, host }));
  await expect.poll(() => stream.readableLength === 0 || faults.length > 0).toBe(true);
  stream.destroy();
  return faults;
}

test('an address without a port uses the default port of its scheme', () => {
  const nodes = ['http://a', 'wss://b', 'grpc://c', 'grpcs://d', 'grpcs://e:7051', 'other://f'];
  const ledger = { ledgerId: 'ledger', technology: 'any', properties: {} };
  expect(endpointsOf({ ...ledger, nodes: nodes.map((uri) => ({ nodeId: uri, uri })) })).toEqual([
    { host: 'a', port: 80 },
    { host: 'b', port: 443 },
    { host: 'c', port: 443 },
    { host: 'd', port: 443 },
    { host: 'e', port: 7051 },
  ]);
});

test('resolves a host name only once, even if it is spelled differently', async () => {
  const written = Array.from({ length: 256 }, (_, one) => {
    const letters = [...name].map((letter, bit) => ((one >> bit) & 1 ? letter.toUpperCase() : letter));
    return `${letters.join('')}.example`;
  });
  expect(await ask(written)).toEqual([]);
  expect(resolver.asked).toBe(1);
});

test('limits the number of waiting DNS lookups', async () => {
  const faults = await ask(Array.from({ length: 10_000 }, () => `${name}.example`));
  expect(faults).toContain('it requests too many name lookups');
});

test('a connection id is never reused, even after a failure', async () => {
  const nobody = createServer().listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  const address = nobody.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  nobody.close();
  await once(nobody, 'close');

  const endpoints = createEndpoints();
  const nodes = [{ nodeId: 'node', uri: `http://127.0.0.1:${port}/` }];
  endpoints.add(1, { ledgerId: 'ledger', technology: 'any', properties: {}, nodes });
  const said: unknown[] = [];
  const take = createFrameReader(1_000, { message: (message) => said.push(message), fault: () => undefined });
  const stream = new Duplex({
    read() {},
    write: (chunk, _encoding, done) => {
      for (const _ of take(chunk));
      done();
    },
  });
  const faults: string[] = [];
  new HostConnections(
    stream,
    endpoints,
    (detail) => faults.push(detail),
    () => undefined,
  );
  const connect = (id: number) => stream.push(encodeFrame({ t: 'connect', id, host: '127.0.0.1', port }));
  connect(1);
  await expect.poll(() => said).toEqual([{ t: 'failed', id: 1, code: 'ECONNREFUSED' }]);
  connect(2);
  await expect.poll(() => said).toHaveLength(2);
  expect(faults).toEqual([]);
  connect(1);
  await expect.poll(() => faults).toEqual(['it opened a connection twice']);
  stream.destroy();
});
