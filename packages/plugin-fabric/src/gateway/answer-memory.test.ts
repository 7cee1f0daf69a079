import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { answerBudget } from '@ledger-ops/adapter/outbound';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { defaultTiming } from '../timing.ts';
import { Peer } from './peer.ts';

const mebibyte = 2 ** 20;
const announced = 32 * mebibyte - 100;

/**
 * A peer that sends a length prefix, and then some or all of the announced bytes. The path of the request contains
 * their numbers.
 */
const peerThread = `
const http2 = require('node:http2');
const { parentPort, workerData } = require('node:worker_threads');
const server = http2.createServer();
server.on('stream', (stream, headers) => {
  stream.on('error', () => undefined);
  const [, length, sent, chunk, flag] = headers[':path'].split('/').map(Number);
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(length, 1);
  stream.write(prefix);
  // Field 3 of a message, so that few fields are counted.
  const content = Buffer.alloc(sent);
  if (sent > 5) { content[0] = 0x2a; let rest = sent - 5; for (let at = 1; at < 5; at += 1) { content[at] = (rest & 0x7f) | (at < 4 ? 0x80 : 0); rest >>>= 7; } }
  const next = (at) => {
    if (at >= sent) return sent === length ? stream.end() : undefined;
    stream.write(content.subarray(at, at + chunk), () => setImmediate(next, at + chunk));
  };
  next(0);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

let thread: Worker;
let port = 0;
beforeAll(async () => {
  thread = new Worker(peerThread, { eval: true });
  [port] = await once(thread, 'message');
});
afterAll(() => thread.terminate());

function openPeer(tenant: string) {
  const at = {
    ...{ nodeId: 'peer0', host: '127.0.0.1', port, secure: false, serverName: undefined },
    ...{ rootCertificate: undefined, mspId: 'Org1MSP', role: 'gateway' as const, client: undefined },
  };
  const peer = new Peer(at, { open: ['127.0.0.1'], tenant }, defaultTiming.peers);
  onTestFinished(() => peer.close());
  return peer;
}

const request = (
  peer: Peer,
  length: number,
  { sent = length, chunk = 65_536, flag = 0 } = {},
  timeout = 30_000,
) => peer.unary(`/${length}/${sent}/${chunk}/${flag}`, new Uint8Array(), timeout);
const ask = (tenant: string, length: number, options?: { sent?: number; chunk?: number; flag?: number }) =>
  request(openPeer(tenant), length, options);

async function isReleased(): Promise<void> {
  await nextTurn();
  await expect.poll(() => answerBudget.used).toBe(0);
}

test('reserves memory for a long answer, and releases it when the answer has been read', async () => {
  expect(await ask('a', 40_000)).toHaveLength(40_000);
  expect(answerBudget.used).toBe(0);
  const answer = await ask('a', 8 * mebibyte);
  expect(answer).toHaveLength(8 * mebibyte);
  expect(answerBudget.used).toBeGreaterThanOrEqual(7 * mebibyte);
  await isReleased();
});

test("limits the memory of one tenant's unfinished answers, and other tenants still receive their answers", async () => {
  const hostile = Array.from({ length: 16 }, () => openPeer('hostile'));
  const failures: unknown[] = [];
  const unfinished = hostile.map((peer) =>
    request(peer, announced, { sent: 8 * mebibyte }, 60_000).catch((error: unknown) => failures.push(error)),
  );
  await expect.poll(() => answerBudget.used).toBeGreaterThan(30 * mebibyte);
  expect(await ask('honest', 8 * mebibyte)).toHaveLength(8 * mebibyte);
  expect(answerBudget.used).toBeLessThanOrEqual(50 * mebibyte);
  const refused = 'Node peer0 sent a long response, ';
  await expect
    .poll(() => failures)
    .toContainEqual(expect.objectContaining({ connection: expect.stringContaining(refused) }));
  for (const peer of hostile) peer.close();
  await Promise.all(unfinished);
  await isReleased();
}, 90_000);

test('counts the full memory of an answer that arrives in small pieces', async () => {
  const answer = ask('a', 400_000, { chunk: 64 });
  await expect.poll(() => answerBudget.used, { interval: 1 }).toBeGreaterThan(mebibyte);
  expect(await answer).toHaveLength(400_000);
  await isReleased();
});

test('rejects a compressed answer, because the client requests no compression', async () => {
  await expect(ask('a', 100, { flag: 1 })).rejects.toMatchObject({
    connection: 'Node peer0 sent a compressed answer, which was not requested',
  });
});

test('rejects an answer above the maximum length', async () => {
  await expect(ask('a', 33 * mebibyte, { sent: 10 })).rejects.toThrow('Received message larger than max');
});
