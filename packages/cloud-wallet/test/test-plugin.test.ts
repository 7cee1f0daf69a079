import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startMemoryPlugin } from './memory-plugin.ts';

test('if a client disconnects while it sends a body, only its own request ends', async () => {
  const plugin = await startMemoryPlugin();
  onTestFinished(() => plugin.close());
  const { hostname, port } = new URL(plugin.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write('POST /v1/cloud-wallet/wallets HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
  // The plugin answers the second connection after it has received the first request.
  expect((await fetch(`${plugin.url}/v1/cloud-wallet`)).status).toBe(200);
  socket.destroy();
  await once(socket, 'close');
  expect((await fetch(`${plugin.url}/v1/cloud-wallet`)).status).toBe(200);
});
