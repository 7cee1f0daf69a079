// Servers that forward requests, or send the first 62 MB of a response and then nothing.
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';

/** `stall`: sends 62 MB of a response and keeps the connection open. `cut`: closes connections. */
type Conduct = 'forward' | 'stall' | 'cut';

const longResponse = Buffer.alloc(62_000_000, ' ');

/** A group of peers, whose conduct changes together. */
export class StallingPeers {
  #conduct: Conduct = 'forward';
  readonly #stalled = new Set<ServerResponse>();
  /** Ports of the peers that have stalled a response since `stall`. */
  readonly #ports = new Set<number | undefined>();
  /** Number of requests by port. */
  readonly #requests = new Map<number | undefined, number>();
  readonly #servers: Server[] = [];

  /** Opens a peer and returns its URL. The peer forwards requests to `target`, also below `/other`, or answers 204. */
  async open(target?: string): Promise<string> {
    const server = createServer((request, response) => this.#answer(request, response, target));
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The peer has no port.');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Returns the number of requests that a peer received. */
  requestsTo(url: string): number {
    return this.#requests.get(Number(new URL(url).port)) ?? 0;
  }

  /** Number of peers that have stalled a response since `stall`. */
  get stalledPeers(): number {
    return this.#ports.size;
  }

  /** Number of responses that are stalled now. */
  get stalled(): number {
    return this.#stalled.size;
  }

  stall(): void {
    this.#conduct = 'stall';
    this.#ports.clear();
  }

  /** Ends all stalled responses, and refuses requests until `forward`. */
  cut(): void {
    this.#conduct = 'cut';
    for (const response of this.#stalled) response.destroy();
  }

  forward(): void {
    this.#conduct = 'forward';
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#servers.map((server) => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      }),
    );
  }

  #answer(request: IncomingMessage, response: ServerResponse, target: string | undefined): void {
    const { localPort } = request.socket;
    this.#requests.set(localPort, (this.#requests.get(localPort) ?? 0) + 1);
    response.on('error', () => undefined);
    if (this.#conduct === 'cut') {
      response.destroy();
      return;
    }
    if (this.#conduct === 'stall') {
      request.resume();
      this.#stalled.add(response);
      this.#ports.add(localPort);
      response.once('close', () => this.#stalled.delete(response));
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': longResponse.length + 1,
      });
      response.write(longResponse);
      return;
    }
    if (target === undefined) {
      request.resume();
      response.writeHead(204).end();
      return;
    }
    const onward = forward(
      new URL(request.url?.replace(/^\/other(?=\/)/, '') ?? '/', target),
      { method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }
}
