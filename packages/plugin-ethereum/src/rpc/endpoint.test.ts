import { expect, test } from 'vitest';
import { defaultTiming } from '../timing.ts';
import { openEndpoint } from './endpoint.ts';

const open = async (uri: string, allowUnencrypted = false) =>
  await openEndpoint(
    { nodeId: 'a', uri },
    { rpcTimeout: 1_000, allowUnencrypted },
    undefined,
    defaultTiming.nodes,
    Date.now,
  ).close();

test('sends a node’s credentials over a network only with TLS, unless the ledger sets allow_unencrypted', async () => {
  for (const uri of [
    'http://me:secret@node.example:8545',
    'http://me@10.0.0.1',
    'http://node.example/v3/secret',
    'ws://node.example/?key=secret',
    'http://127.0.0.1.example/secret',
  ]) {
    await expect(open(uri), uri).rejects.toMatchObject({
      code: 'invalid-argument',
      problem: {
        issues: [{ pointer: '/nodes/a/uri', detail: expect.stringContaining('allow_unencrypted') }],
      },
    });
    await expect(open(uri)).rejects.not.toThrow('secret');
    await open(uri, true);
  }
});

test('connects to a node that needs no credentials, runs on this machine, or uses TLS', async () => {
  for (const uri of [
    'http://node.example:8545',
    'ws://10.0.0.1:8546/',
    'http://me:secret@127.0.0.1:8545/path?key=1',
    'http://me:secret@[::1]:8545',
    'http://localhost/secret',
    'https://me:secret@node.example/v3/secret',
    'wss://node.example/?key=secret',
  ]) {
    await open(uri);
  }
});
