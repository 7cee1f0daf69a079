import { createServer, request as forward, type Server } from 'node:http';

/** Starts a node that forwards all requests to another node, and can be unreachable. */
export async function startPassing(target: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server: Server = createServer((incoming, outgoing) => {
    const onward = forward(target, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The node has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
