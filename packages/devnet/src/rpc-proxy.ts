import { randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Time that an idle connection stays open. With Node's default of 5 s, a busy client may send a
 * request just as its connection is closed.
 */
const keepAliveTimeoutMs = 65_000;

/** One JSON-RPC request as received. */
export interface ProxiedCall {
  id: number;
  method: string;
  params: unknown[];
}

/** Answers a request itself, or returns undefined to let it pass. */
export type Fault = (
  calls: ProxiedCall[],
  /** Returns the node's answer to the whole request, or to some of its calls. */
  forward: (some?: readonly ProxiedCall[]) => Promise<string>,
  response: ServerResponse,
  request: IncomingMessage,
  /** Whether the body is an array, even with a single call. */
  isBatch: boolean,
) => Promise<string | undefined> | string | undefined;

/** A proxy between a session and a node, for tests of node faults. */
export interface RpcProxy {
  url: string;
  /** Methods of all received calls, in order. */
  methods: string[];
  /** Returns the number of HTTP requests. */
  requests(): number;
  /** Returns the number of TCP connections, including those without requests. */
  connections(): number;
  /** Sets the fault for requests from now on; undefined lets all pass. */
  setFault(fault: Fault | undefined): void;
  /** Closes all connections and accepts no new ones. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
  /** Forwards requests to another node from now on. */
  retarget(url: string): void;
  close(): Promise<void>;
}

/** Starts a proxy for a node, on 127.0.0.1. */
export async function startProxy(first: string): Promise<RpcProxy> {
  let target = first;
  let fault: Fault | undefined;
  let requests = 0;
  let connections = 0;
  const methods: string[] = [];
  let port = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    requests += 1;
    const parsed: ProxiedCall | ProxiedCall[] = JSON.parse(body);
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    methods.push(...calls.map(({ method }) => method));
    const forward = async (some?: readonly ProxiedCall[]) => {
      const answer = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: some === undefined ? body : JSON.stringify(some),
      });
      return answer.text();
    };
    const answer =
      (await fault?.(calls, forward, response, request, Array.isArray(parsed))) ??
      (response.writableEnded || response.destroyed ? undefined : await forward());
    if (answer === undefined || response.writableEnded || response.destroyed) return;
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json' });
    response.end(answer);
  }

  const server = createServer({ keepAliveTimeout: keepAliveTimeoutMs }, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.on('connection', () => {
    connections += 1;
  });
  const listen = async () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
    await promise;
    // A listening TCP server has an address of this type.
    ({ port } = server.address() as AddressInfo);
  };
  const stop = async () => {
    if (!server.listening) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    server.closeAllConnections();
    await promise;
  };
  // A port outside the ephemeral range, so it is still free when the proxy starts again.
  for (let isTaken = true; isTaken; ) {
    port = randomInt(11_000, 31_000);
    isTaken = await listen().then(
      () => false,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE') return true;
        throw error;
      },
    );
  }
  return {
    url: `http://127.0.0.1:${port}`,
    methods,
    requests: () => requests,
    connections: () => connections,
    setFault(next) {
      fault = next;
    },
    goDown: stop,
    comeUp: listen,
    retarget(url) {
      target = url;
    },
    close: stop,
  };
}
