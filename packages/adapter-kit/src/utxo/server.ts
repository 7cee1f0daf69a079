import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { UtxoLedger } from './ledger.ts';
import { MethodError, utxoMethods } from './methods.ts';

const request = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});
const longestRequest = 4_000_000;
/**
 * Time that an idle connection stays open. With Node's default of 5 s, a busy client may send a request just as its
 * connection is closed.
 */
const keepAliveTimeoutMs = 65_000;

/** Serves a UTXO ledger like a node, by JSON-RPC over HTTP on the loopback address. */
export class UtxoNode {
  readonly url: string;
  readonly #ledger: UtxoLedger;
  readonly #server: Server;
  #isDown = false;
  #hanging: string | undefined;

  private constructor(ledger: UtxoLedger, server: Server) {
    this.#ledger = ledger;
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}`;
    server.on('request', (incoming, response) => void this.#respond(incoming, response));
  }

  static async start(ledger: UtxoLedger): Promise<UtxoNode> {
    const server = createServer({ keepAliveTimeout: keepAliveTimeoutMs });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new UtxoNode(ledger, server);
  }

  /** Closes connections without an answer until `comeUp`. */
  goDown(): void {
    this.#isDown = true;
  }

  comeUp(): void {
    this.#isDown = false;
  }

  /** Leaves calls to this method unanswered from now on. If undefined, answers all methods. */
  hang(method: string | undefined): void {
    this.#hanging = method;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const text = await readText(incoming);
      if (this.#isDown) {
        incoming.socket.destroy();
        return;
      }
      const { id = null, method, params } = request.parse(JSON.parse(text));
      if (method === this.#hanging) return;
      const answer = { ...this.#call(method, params), jsonrpc: '2.0', id };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    } catch {
      incoming.socket.destroy();
    }
  }

  #call(method: string, params: readonly unknown[]) {
    const found = Object.hasOwn(utxoMethods, method) ? utxoMethods[method] : undefined;
    if (found === undefined) return failed(-32_601, 'Method not found');
    try {
      return { result: found(this.#ledger, params) ?? null, error: null };
    } catch (error) {
      if (error instanceof MethodError) return failed(error.code, error.message);
      return failed(-8, error instanceof Error ? error.message : 'Invalid parameter');
    }
  }
}

const failed = (code: number, message: string) => ({ result: null, error: { code, message } });

async function readText(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming) {
    length += part.length;
    if (length > longestRequest) throw new RangeError('The request is too long.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
