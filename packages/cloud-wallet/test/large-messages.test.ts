import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createCloudWalletClient, exchangeWith, type Fetch, remoteAdapter } from '@ledger-ops/cloud-wallet';
import { expect, onTestFinished, test } from 'vitest';
import { startMemoryPlugin, transferGlo } from './memory-plugin.ts';
import { problemOf } from './problem-of.ts';

const secret = 'a secret of thirty-two characters';
const mebibyte = 1_048_576;
const plugin = JSON.stringify({
  ...{ name: 'far', technology: 'memory', version: '1.0.0', interfaceVersion: '0.1.0' },
  capabilities: { operations: ['transfer'], checks: false, emulations: false },
});

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** Creates a plugin whose description is read locally. All other requests go through the network. */
async function openAt(url: string) {
  const far: Fetch = (to, init) =>
    to.endsWith('/v1/cloud-wallet')
      ? Promise.resolve(new Response(plugin, { headers: { 'content-type': 'application/json' } }))
      : fetch(to, init);
  return (
    await remoteAdapter(createCloudWalletClient({ url, exchange: exchangeWith(far), timeoutMs: 20_000 }))
  ).open('l');
}
const request = { actionId: 'a', walletId: 'w', secret, glo: transferGlo('1') };
const large = { interface: '{"methods":[]}', code: 'A'.repeat(10 * mebibyte) };

test('a remote plugin receives the largest contract template', async () => {
  const memory = await startMemoryPlugin();
  onTestFinished(() => memory.close());
  const client = createCloudWalletClient({
    url: memory.url,
    exchange: exchangeWith(fetch),
    timeoutMs: 20_000,
  });
  const remote = (await remoteAdapter(client)).open('memory');
  await remote.createWallet({ walletId: 'w', secret });
  const source = { lookup_service: { type: 'service', value: 'service' }, resource: 'template:1' };
  const glo = { version: '0.1.0', type: 'contract_deploy', options: { contract_source: source, args: [] } };
  await expect(remote.send({ ...request, glo, contractSource: large })).rejects.toThrow(
    'the creation code is not a contract of this ledger',
  );
});

test.each([0, 300_000, 5 * mebibyte])(
  'a 413 response after %d bytes of a request is final, even if the connection is closed',
  async (after) => {
    const problem = JSON.stringify({ type: 'about:blank', title: 'x', status: 413, detail: 'Too large.' });
    const heads = [
      `content-type: application/problem+json\r\ncontent-length: ${problem.length}\r\n\r\n${problem}`,
      'content-type: text/plain\r\ncontent-length: 3\r\n\r\nbig',
    ];
    let count = 0;
    const server = createServer((socket) => {
      let seen = 0;
      let answered = false;
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        seen += chunk.length;
        if (answered || seen < after) return;
        answered = true;
        // Stops reading but keeps the connection open: destroying it would send a reset, which can arrive
        // before the response.
        socket.pause();
        socket.end(`HTTP/1.1 413 Payload Too Large\r\nconnection: close\r\n${heads[count++ % 2]}`);
      });
    });
    const remote = await openAt(await listen(server));
    for (let times = 0; times < 10; times += 1) {
      expect(await problemOf(remote.send({ ...request, contractSource: large }))).toMatchObject({
        code: 'refused',
        detail: expect.stringMatching(/Too large|status 413/),
      });
    }
  },
);

test('limits compressed responses while decompressing them', async () => {
  const bomb = gzipSync(Buffer.alloc(200 * mebibyte, ' '));
  const server = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb);
  });
  const remote = await openAt(await listen(server));
  expect(await problemOf(remote.send(request))).toMatchObject({
    code: 'adapter-fault',
    detail: expect.stringContaining(`more than ${10 * mebibyte} bytes`),
  });
});
