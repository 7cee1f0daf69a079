// A remote plugin of an invented ledger. Tests can make it fail.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { interfaceVersion } from '@ledger-ops/adapter';

/** How the plugin treats requests: `hang` accepts and executes them, but does not respond; `cut` closes their connections; `compress` answers in gzip; `trickle` sends the answer without an end; `redirect` refers to another path; `empty` sends no body. */
export type Conduct = 'answer' | 'hang' | 'cut' | 'compress' | 'trickle' | 'redirect' | 'empty';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Unfinished transactions by wallet: their number, and its maximum. */
export interface UnfinishedCounts {
  readonly now: Map<string, number>;
  readonly most: Map<string, number>;
}

export interface UrlPluginOptions {
  /** Replaces members of the description. */
  about?: Readonly<Record<string, unknown>>;
  /** Serves HTTPS with these options. */
  tls?: { key: string; cert: string; ca?: string; requestCert?: boolean; rejectUnauthorized?: boolean };
  port?: number;
}

/** The description of the plugin. */
export const tally = {
  name: 'tally',
  technology: 'tally',
  version: '1.0.0',
  interfaceVersion,
  capabilities: { operations: ['transfer'], checks: false, emulations: false },
  description: {
    title: 'Tally',
    addresses: { account: { pattern: '^t[0-9a-f]{8}$', example: 't0000000a' } },
    unit: { symbol: 'TLY', decimals: 0 },
    ledgerProperties: { type: 'object', properties: {}, additionalProperties: false },
  },
};

/**
 * Stores wallets and transactions by the ids that the host chose, and executes each action once. Transactions are final
 * while `isFinal` is true.
 */
export class UrlPlugin {
  about: Record<string, unknown>;
  conduct: Conduct = 'answer';
  /** Further members of each transaction's status. */
  status: Record<string, unknown> = {};
  /** The response to every check. */
  checked: Record<string, unknown> = {};
  /** If set, every new wallet is refused with this detail. */
  refusal: string | undefined;
  isFinal = true;
  readonly received: Received[] = [];
  readonly wallets = new Map<string, { secret: string; address: string }>();
  readonly transactions = new Map<string, { wallet: string }>();
  /** Actions whose final status was sent. */
  readonly #finished = new Set<string>();
  #counted: UnfinishedCounts | undefined;
  readonly #options: UrlPluginOptions;
  readonly #server: Server;

  constructor(options: UrlPluginOptions = {}) {
    this.#options = options;
    this.about = { ...tally, ...options.about };
    const handle = (request: IncomingMessage, response: ServerResponse) =>
      void this.#answer(request, response);
    this.#server = options.tls === undefined ? createServer(handle) : createTlsServer(options.tls, handle);
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.#options.port ?? 0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    // A server on a port has an address of this form.
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  }

  /** Returns the received requests to a path, which is given without `/v1/cloud-wallet`. */
  to(method: string, path: string): Received[] {
    return this.received.filter((one) => one.method === method && one.path === `/v1/cloud-wallet${path}`);
  }

  /** Counts the transactions of each wallet that are accepted from now on and whose final status was not sent yet. */
  countUnfinished(): UnfinishedCounts {
    this.#counted = { now: new Map(), most: new Map() };
    return this.#counted;
  }

  #count({ actionId, wallet }: { actionId: string; wallet: string }): void {
    if (this.#counted === undefined || this.transactions.has(actionId)) return;
    const { now, most } = this.#counted;
    const count = (now.get(wallet) ?? 0) + 1;
    now.set(wallet, count);
    most.set(wallet, Math.max(count, most.get(wallet) ?? 0));
  }

  #finish(actionId: string, wallet: string): void {
    const count = this.#counted?.now.get(wallet);
    if (count === undefined || this.#finished.has(actionId)) return;
    this.#finished.add(actionId);
    this.#counted?.now.set(wallet, count - 1);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://plugin.test');
    const { method = 'GET' } = request;
    const body = sent === '' ? {} : JSON.parse(sent);
    this.received.push({ method, path, body });
    if (this.conduct === 'cut') {
      response.destroy();
      return;
    }
    const [status, answer] = this.#execute(
      `${method} ${path.replace('/v1/cloud-wallet', '')}`,
      body,
      searchParams,
    );
    if (this.conduct === 'hang') return;
    const type = status < 300 ? 'application/json' : 'application/problem+json';
    const content = JSON.stringify(answer);
    if (this.conduct === 'compress')
      response.writeHead(status, { 'content-type': type, 'content-encoding': 'gzip' }).end(gzipSync(content));
    else if (this.conduct === 'trickle') response.writeHead(status, { 'content-type': type }).write(content);
    else if (this.conduct === 'redirect') response.writeHead(307, { location: '/elsewhere' }).end();
    else if (this.conduct === 'empty') response.writeHead(200, { 'content-type': type }).end();
    else response.writeHead(status, { 'content-type': type }).end(content);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the host sends only valid requests.
  #execute(route: string, body: any, query: URLSearchParams): [status: number, answer: unknown] {
    switch (route) {
      case 'GET ':
        return [200, this.about];
      case 'POST /wallets': {
        if (this.refusal !== undefined) return [422, problem(422, 'refused', this.refusal)];
        const secret = body.pluginParameters.walletPassword;
        const known = this.wallets.get(body.walletId);
        if (known !== undefined && known.secret !== secret)
          return [409, problem(409, 'already-exists', 'The wallet has another secret.')];
        const address = known?.address ?? `t${(this.wallets.size + 1).toString(16).padStart(8, '0')}`;
        this.wallets.set(body.walletId, { secret, address });
        return [201, { walletAddress: address }];
      }
      case 'POST /transactions':
        if (this.wallets.get(body.wallet)?.secret !== body.pluginParams.walletPassword)
          return [403, problem(403, 'wrong-wallet-password', 'The secret does not belong to the wallet.')];
        this.#count(body);
        this.transactions.set(body.actionId, body);
        return [200, { txId: body.actionId, status: 'PROCESSING' }];
      case 'POST /checks':
        return [200, this.checked];
      case 'GET /transactions': {
        const isFinal = this.isFinal ? 'SUCCEEDED' : 'PROCESSING';
        const unknown = problem(404, 'not-found', 'This plugin has no such transaction.');
        const items = query.getAll('txId').map((txId) => {
          const transaction = this.transactions.get(txId);
          if (transaction === undefined) return { status: 'FAILED', problem: unknown };
          if (this.isFinal) this.#finish(txId, transaction.wallet);
          return { status: isFinal, ...this.status };
        });
        return [200, items];
      }
      default:
        return [404, problem(404, 'not-found', 'Unknown path.')];
    }
  }
}

function problem(status: number, name: string, detail: string) {
  return { type: `urn:ledger-ops:problem:${name}`, title: name, status, detail };
}
