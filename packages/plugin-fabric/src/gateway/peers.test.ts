import { expect, onTestFinished, test } from 'vitest';
import { readProperties } from '../properties.ts';
import { defaultTiming } from '../timing.ts';
import { grpcCode, PeerError } from './peer-error.ts';
import { createPeers } from './peers.ts';

const ledger = {
  ledgerId: 'test',
  technology: 'hyperledger-fabric',
  properties: {
    channel: 'main',
    msp_id: 'Org1MSP',
    observer_certificate: '-----BEGIN CERTIFICATE-----',
    observer_private_key: '-----BEGIN PRIVATE KEY-----',
  },
  nodes: ['first', 'second'].map((nodeId) => ({ nodeId, uri: 'grpc://127.0.0.1:1', properties: {} })),
};

test.each([
  [
    'that has too many calls',
    grpcCode.unknown,
    'too many requests for /gateway.Gateway, exceeding concurrency limit (500)',
  ],
  ['that is down', grpcCode.unavailable, 'connect ECONNREFUSED'],
])('a call skips a peer %s, and the next call begins with the other peer', async (_, code, message) => {
  const peers = createPeers(ledger, readProperties(ledger), { now: () => 1_000 }, defaultTiming.peers);
  onTestFinished(() => peers.close());
  const called: string[] = [];
  const call = () =>
    peers.onPeer(async ({ properties: { nodeId } }) => {
      called.push(nodeId);
      if (nodeId === 'first') throw new PeerError(code, message);
      return nodeId;
    });
  expect(await call()).toBe('second');
  expect(await call()).toBe('second');
  expect(called).toEqual(['first', 'second', 'second']);
});
