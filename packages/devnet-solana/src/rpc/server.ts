import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { Node } from '../methods/node.ts';
import { answer, callsOf } from './dispatch.ts';
import { Subscriptions } from './subscriptions.ts';

/** Maximum size of a request in bytes, as on a validator. */
const mostBytes = 50 * 1024;
const mostSockets = 100;
/** Number of bytes that a client may leave unread before its connection is closed. */
const mostUnread = 16 * 1024 * 1024;
/**
 * Time that an idle connection stays open. With Node's default of 5 s, a busy client may send a request just as its
 * connection is closed, which fails.
 */
const keepAliveTimeoutMs = 65_000;

export interface RpcServer {
  port: number;
  close(): Promise<void>;
}

/** Serves JSON-RPC over HTTP and subscriptions over WebSocket, on one port of 127.0.0.1. */
export async function startServer(node: Node, port: number): Promise<RpcServer> {
  const call = callsOf(node);
  const server = createServer({ keepAliveTimeout: keepAliveTimeoutMs }, (request, response) => {
    serve(request, response, (text) => answer(text, call)).catch(() => response.destroy());
  });
  const connections = new Set<Subscriptions>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: mostBytes });
  server.on('upgrade', (request, socket, head) => {
    if (sockets.clients.size >= mostSockets) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      const subscriptions = new Subscriptions(node, (text) => {
        client.send(text);
        if (client.bufferedAmount > mostUnread) client.terminate();
      });
      connections.add(subscriptions);
      client.on('message', (data) => {
        const text = answer(String(data), subscriptions.call);
        if (text !== undefined) client.send(text);
      });
      client.on('error', () => client.terminate());
      client.on('close', () => {
        connections.delete(subscriptions);
        subscriptions.close();
      });
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A listening TCP server has an address of this form.
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    async close() {
      // Subscriptions end first, because the close event may come after the chain is closed.
      for (const subscriptions of connections) subscriptions.close();
      for (const client of sockets.clients) client.terminate();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answerTo: (text: string) => string | undefined,
): Promise<void> {
  const refuse = (status: number, why: string) =>
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${why}\n`);
  if (request.method !== 'POST') return void refuse(405, 'Use POST for JSON-RPC calls.');
  // A cross-origin web page needs permission to send this content type.
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    return void refuse(415, 'The content type must be application/json.');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > mostBytes) return void refuse(413, `A request can have at most ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  const text = answerTo(Buffer.concat(chunks).toString());
  response.writeHead(200, { 'content-type': 'application/json' }).end(text ?? '');
}
