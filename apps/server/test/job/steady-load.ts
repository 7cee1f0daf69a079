import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { freshAddress } from './chain.ts';
import type { Credentials } from './ground.ts';
import { type TestWallet, transferTo } from './product.ts';

/** Requests per second. */
const rate = 50;
/** Milliseconds after which a request without a response counts as failed. */
const patience = 30_000;

/** A request that got no response, or not the expected status. */
export interface FailedRequest {
  readonly request: string;
  readonly outcome: string;
  /** Milliseconds since the load began. */
  readonly at: number;
}

/**
 * Sends 50 requests per second. Of five requests, one is a send with a key, two are reads, and two are
 * searches. No request is sent again.
 */
export class SteadyLoad {
  readonly failed: FailedRequest[] = [];
  /** Duration of each successful request in milliseconds. */
  readonly durations: number[] = [];
  readonly actionIds: string[] = [];
  readonly #url: () => string;
  readonly #wallet: TestWallet;
  readonly #headers: Record<string, string>;
  readonly #ended: Promise<void>;
  readonly #begunAt = performance.now();
  #isOver = false;

  private constructor(url: () => string, wallet: TestWallet, headers: Record<string, string>) {
    this.#url = url;
    this.#wallet = wallet;
    this.#headers = headers;
    this.#ended = this.#run();
  }

  /** @param url read for each request */
  static async start(url: () => string, wallet: TestWallet, credentials: Credentials): Promise<SteadyLoad> {
    const response = await fetch(`${url()}/v1/auth/token`, {
      method: 'POST',
      headers: { ApplicationToken: credentials.applicationToken },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: credentials.clientId,
        service_account: credentials.serviceAccount,
        client_secret: credentials.clientSecret,
      }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    return new SteadyLoad(url, wallet, {
      ApplicationToken: credentials.applicationToken,
      Authorization: `Bearer ${token}`,
    });
  }

  /** Stops, and waits for requests in progress. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  /** Returns one line for the log. */
  summary(): string {
    const sorted = this.durations.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    const outcomes = Map.groupBy(this.failed, ({ outcome }) => outcome.slice(0, 40).split('\n')[0]);
    const failed = [...outcomes].map(([outcome, of]) => `${of.length} × ${outcome}`).join(', ');
    return `${sorted.length} requests answered, ${this.failed.length} failed (${failed}); milliseconds: median ${at(0.5)}, 99 % ${at(0.99)}, longest ${at(1)}`;
  }

  async #run(): Promise<void> {
    const requests: Promise<void>[] = [];
    for (let n = 0; !this.#isOver; n += 1) {
      requests.push(this.#request(n));
      await delay(Math.max(0, this.#begunAt + ((n + 1) * 1_000) / rate - performance.now()));
    }
    await Promise.all(requests);
  }

  async #request(n: number): Promise<void> {
    if (n % 5 === 0) {
      const body = await this.#ask(
        'POST',
        '/v1/ledger-ops/send',
        201,
        transferTo(this.#wallet, freshAddress(), 7),
      );
      if (body !== undefined) this.actionIds.push(String(body.actionId));
    } else if (n % 5 < 3) {
      await this.#ask('GET', `/v1/cloud-wallet/wallets/${this.#wallet.walletId}`, 200);
    } else {
      await this.#ask('POST', '/v1/ledger-ops/search/actions', 200, { actionIds: this.actionIds.slice(-1) });
    }
  }

  async #ask(method: string, path: string, expected: number, body?: unknown) {
    const begun = performance.now();
    const hasKey = path.endsWith('/send');
    const failed = (outcome: string) =>
      this.failed.push({ request: `${method} ${path}`, outcome, at: Math.round(begun - this.#begunAt) });
    try {
      const response = await fetch(this.#url() + path, {
        method,
        headers: {
          ...this.#headers,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(hasKey ? { 'Idempotency-Key': randomUUID() } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patience),
      });
      const text = await response.text();
      if (response.status !== expected) {
        failed(`${response.status} ${text.slice(0, 300)}`);
        return undefined;
      }
      this.durations.push(performance.now() - begun);
      return JSON.parse(text) as Record<string, unknown>;
    } catch (error) {
      failed(error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : 'unknown');
      return undefined;
    }
  }
}
