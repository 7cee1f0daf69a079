import { randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One JSON-RPC request as it came. */
export interface ProxiedCall {
  id: number;
  method: string;
  params: unknown[];
}

/** Answers a request itself, or lets it pass (undefined). */
export type Fault = (
  calls: ProxiedCall[],
  /** Has the node answer: the whole request, or only some of its calls. */
  forward: (some?: readonly ProxiedCall[]) => Promise<string>,
  response: ServerResponse,
  request: IncomingMessage,
) => Promise<string | undefined> | string | undefined;

/** A stand between a session and a node, for tests of what a node does wrong. */
export interface RpcProxy {
  url: string;
  /** Methods in the order in which they came. */
  methods: string[];
  /** Number of HTTP requests. */
  requests(): number;
  /** Number of TCP connections, whatever came over them. */
  connections(): number;
  /** For requests from now on; undefined lets all pass. */
  setFault(fault: Fault | undefined): void;
  /** Cuts all connections and takes none. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
  /** Passes requests to another node from now on. */
  retarget(url: string): void;
  close(): Promise<void>;
}

/** Starts a proxy before a node, on 127.0.0.1. */
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
      (await fault?.(calls, forward, response, request)) ??
      (response.writableEnded || response.destroyed ? undefined : await forward());
    if (answer === undefined || response.writableEnded || response.destroyed) return;
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json' });
    response.end(answer);
  }

  const server = createServer((request, response) => {
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
    // A TCP server that listens has an address of this form.
    ({ port } = server.address() as AddressInfo);
  };
  const stop = async () => {
    if (!server.listening) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    server.closeAllConnections();
    await promise;
  };
  // Of those that the system gives to nobody who asks for any, so that it is still free when the proxy comes up again.
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
