import { randomUUID } from 'node:crypto';
import { Wallet } from 'ethers';
import { Pool } from 'undici';
import { fundedKeys, rpcBatch } from './node.ts';
import { type Load, type Product, waitFor } from './product.ts';

export interface ServerFigures {
  perSecond: number;
  /** Milliseconds from request to 201. */
  p50: number;
  p99: number;
  /** Processor time of the server's process for a transfer, milliseconds. */
  cost: number;
}

const password = 'a bench of transfers';
const warmUp = 500;

/** Transfers over HTTP; the clock runs from the first request to the last confirmation. */
export async function runServer(product: Product, load: Load): Promise<ServerFigures> {
  const headers = await product.headers();
  const pool = new Pool(product.baseUrl, { connections: load.connections });
  try {
    const call = async (
      method: 'GET' | 'POST',
      path: string,
      body?: unknown,
    ): Promise<Record<string, unknown>> => {
      const response = await pool.request({
        method,
        path,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.body.text();
      if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
      return JSON.parse(text);
    };
    const wallets = await createWallets(product, load, call);
    await run(call, product, wallets, load, warmUp);
    return await run(call, product, wallets, load, load.transfers);
  } finally {
    await pool.close();
  }
}

type Call = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<Record<string, unknown>>;

async function createWallets(product: Product, load: Load, call: Call): Promise<string[]> {
  const keys = await fundedKeys(product.rpcUrl, load.wallets);
  const names: string[] = [];
  for (const privateKey of keys) {
    const walletId = `bench-${randomUUID()}`;
    await call('POST', '/v1/cloud-wallet/wallets', {
      walletId,
      ledgerId: product.ledgerId,
      pluginParameters: { walletPassword: password, privateKey },
    });
    names.push(walletId);
  }
  return names;
}

async function run(
  call: Call,
  product: Product,
  wallets: readonly string[],
  load: Load,
  transfers: number,
): Promise<ServerFigures> {
  const to = Wallet.createRandom().address;
  const intent = randomUUID();
  const latencies: number[] = [];
  let next = 0;
  const before = product.processorTime();
  const start = performance.now();
  const worker = async () => {
    while (next < transfers) {
      const walletId = wallets[next % wallets.length];
      next += 1;
      const sent = performance.now();
      await call('POST', '/v1/ledger-ops/send', {
        intent,
        walletId,
        walletPassword: password,
        glo: {
          version: '0.1.0',
          type: 'transfer',
          options: {
            recipient: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: to },
            amount: '1',
          },
        },
      });
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, worker));
  for (const walletId of wallets) {
    const path = `/v1/ledger-ops/search/wallets/${walletId}/actions?intent=${intent}&status=PENDING&size=5`;
    await waitFor(async () => ((await call('GET', path)).totalElements === 0 ? true : undefined), 20);
  }
  const seconds = (performance.now() - start) / 1_000;
  const cost = (1_000 * (product.processorTime() - before)) / transfers;
  const [balance] = await rpcBatch(product.rpcUrl, [['eth_getBalance', [to, 'latest']]]);
  if (BigInt(String(balance)) !== BigInt(transfers)) {
    throw new Error(`${transfers} transfers of 1 wei were confirmed, but the recipient holds ${balance}.`);
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return { perSecond: transfers / seconds, p50: at(0.5), p99: at(0.99), cost };
}
