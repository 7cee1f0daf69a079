import { strict as assert } from 'node:assert';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RemoteOperation } from '@ledger-ops/adapter/cloud-wallet';
import {
  pluginMessage,
  problemMessage,
  secretParameter,
  statusesMessage,
  submissionMessage,
  walletMessage,
} from '@ledger-ops/adapter/cloud-wallet';
import type { z } from 'zod';
import type { CloudWalletHarness } from './harness.ts';
import { conformanceTiming } from './timing.ts';

/** The response to a request of the kit. */
export interface Exchange {
  status: number;
  type: string;
  /** The parsed JSON, or the text if the body is not JSON. */
  body: unknown;
}

/** A wallet and the secret that the kit created for it. */
export interface TestWallet {
  walletId: string;
  secret: string;
  address: string;
}

/** Helpers with which checks act on the plugin. */
export interface RemoteStage {
  harness: CloudWalletHarness;
  /** The plugin's description of itself. */
  plugin: z.infer<typeof pluginMessage>;
  request(method: string, path: string, body?: unknown): Promise<Exchange>;
  /** Sends a raw string as the body. */
  raw(path: string, text: string, type?: string): Promise<Exchange>;
  newWallet(): Promise<TestWallet>;
  fundedWallet(): Promise<TestWallet>;
  /** Returns the request body of sendTransaction. */
  sending(wallet: TestWallet, operation: RemoteOperation, actionId?: string): SendBody;
  /** Sends a transaction and requires that the plugin accepts it. */
  send(body: SendBody): Promise<z.infer<typeof submissionMessage>>;
  statuses(txIds: readonly string[]): Promise<z.infer<typeof statusesMessage>>;
  /** Waits until the transaction is final. */
  settled(txId: string): Promise<z.infer<typeof statusesMessage>[number]>;
  /** Sets the plugin's new URL after a restart. */
  move(url: string): void;
}

/** The request body of sendTransaction. */
export interface SendBody extends RemoteOperation {
  actionId: string;
  wallet: string;
  pluginParams: Record<string, string>;
  /** The other wallets that the operation names. */
  wallets?: { wallet: string; pluginParams: Record<string, string> }[];
}

const root = '/v1/cloud-wallet';

/** Creates the helpers and reads the plugin's description. */
export async function createRemoteStage(harness: CloudWalletHarness): Promise<RemoteStage> {
  let base = harness.url.replace(/\/+$/, '');
  const patience = harness.patience ?? conformanceTiming.patience;
  const secrets = new Set<string>();

  const exchange = async (path: string, init: RequestInit): Promise<Exchange> => {
    const response = await fetch(`${base}${root}${path}`, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(patience),
      headers: { accept: 'application/json, application/problem+json', ...harness.headers, ...init.headers },
    }).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      harness.observe?.(`${init.method} ${root}${path}: no response`);
      throw new assert.AssertionError({ message: `${init.method} ${root}${path} got no response: ${why}` });
    });
    harness.observe?.(`${init.method} ${root}${path}: ${response.status}`);
    const text = await response.text();
    for (const secret of secrets) {
      assert.ok(!text.includes(secret), `the response of ${root}${path} contains the secret of a wallet`);
    }
    const type = response.headers.get('content-type') ?? '';
    let body: unknown;
    try {
      body = text === '' ? undefined : JSON.parse(text);
    } catch {
      body = undefined;
    }
    return { status: response.status, type, body };
  };
  const raw = (path: string, text: string, type = 'application/json') =>
    exchange(path, { method: 'POST', body: text, headers: { 'content-type': type } });

  const plugin = read(pluginMessage, await exchange('', { method: 'GET' }), 200, 'describePlugin');
  const stage: RemoteStage = {
    harness,
    plugin,
    raw,
    request: (method, path, body) =>
      body === undefined ? exchange(path, { method }) : raw(path, JSON.stringify(body)),
    async newWallet() {
      const walletId = `kit-${randomUUID()}`;
      const secret = randomBytes(32).toString('base64url');
      secrets.add(secret);
      const { ledgerId, walletParameters } = harness;
      const pluginParameters = { ...walletParameters, [secretParameter]: secret };
      const answer = await stage.request('POST', '/wallets', { ledgerId, walletId, pluginParameters });
      const { walletAddress } = read(walletMessage, answer, 201, 'createWallet');
      return { walletId, secret, address: walletAddress };
    },
    async fundedWallet() {
      const { funded, hooks } = harness;
      if (typeof funded === 'object') {
        secrets.add(funded.secret);
        return { ...funded, address: '' };
      }
      const wallet = await stage.newWallet();
      if (funded === 'by-hook') await hooks?.fund?.(wallet.address);
      return wallet;
    },
    sending: (wallet, operation, actionId = randomUUID()) => ({
      actionId,
      wallet: wallet.walletId,
      pluginParams: { [secretParameter]: wallet.secret },
      ...operation,
    }),
    async send(body) {
      const answer = await stage.request('POST', '/transactions', body);
      return read(submissionMessage, answer, 200, 'sendTransaction');
    },
    async statuses(txIds) {
      const query = txIds.map((txId) => `txId=${encodeURIComponent(txId)}`).join('&');
      const answer = await stage.request('GET', `/transactions?${query}`);
      const items = read(statusesMessage, answer, 200, 'getTransactionsStatus');
      // Drops `requests`: metrics that the plugin reports only once are not part of the transaction's status.
      return items.map(({ requests: _, ...status }) => status);
    },
    async settled(txId) {
      const until = Date.now() + patience;
      for (;;) {
        const [status] = await stage.statuses([txId]);
        assert.ok(status !== undefined, `getTransactionsStatus returned nothing for ${txId}`);
        if (status.status !== 'PROCESSING') return status;
        assert.ok(Date.now() < until, `${txId} is still PROCESSING after ${patience} ms`);
        await delay(conformanceTiming.poll);
      }
    },
    move(url) {
      base = url.replace(/\/+$/, '');
    },
  };
  return stage;
}

/** Parses a response. Fails unless it has the expected status. */
export function read<Body>(schema: z.ZodType<Body>, answer: Exchange, status: number, what: string): Body {
  assert.equal(
    answer.status,
    status,
    `${what} returned status ${answer.status}: ${JSON.stringify(answer.body)}`,
  );
  assert.match(
    answer.type,
    /^application\/json\b/,
    `${what}: the content type of the response is not application/json`,
  );
  const parsed = schema.safeParse(answer.body);
  const [issue] = parsed.error?.issues ?? [];
  assert.ok(
    parsed.success,
    `${what} returned data that the protocol does not allow: /${issue?.path.join('/')} ${issue?.message}`,
  );
  return parsed.data;
}

/** Fails unless the response is a problem with one of these statuses. */
export function assertRefusal(
  answer: Exchange,
  statuses: readonly number[],
  what: string,
): z.infer<typeof problemMessage> {
  assert.ok(
    statuses.includes(answer.status),
    `${what}: expected status ${statuses.join(' or ')}, but got ${answer.status}: ${JSON.stringify(answer.body)}`,
  );
  assert.match(
    answer.type,
    /^application\/problem\+json\b/,
    `${what}: the content type of the refusal is not application/problem+json`,
  );
  const parsed = problemMessage.safeParse(answer.body);
  const [issue] = parsed.error?.issues ?? [];
  assert.ok(
    parsed.success,
    `${what}: the response body is not a valid problem document: /${issue?.path.join('/')} ${issue?.message}`,
  );
  assert.equal(
    parsed.data.status,
    answer.status,
    `${what}: the problem and the response have different statuses`,
  );
  assert.ok(parsed.data.detail !== '', `${what}: the problem has no detail`);
  return parsed.data;
}
