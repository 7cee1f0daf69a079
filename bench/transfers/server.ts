import { randomUUID } from 'node:crypto';
import { tokenTemplate } from '@ledger-ops/devnet';
import { Wallet } from 'ethers';
import { Pool } from 'undici';
import { fundedKeys, rpcBatch } from './node.ts';
import { type Load, type Product, waitFor } from './product.ts';
import { microseconds, type Span } from './span.ts';

export interface ServerFigures {
  perSecond: number;
  /** Milliseconds from the request to the response 201. */
  p50: number;
  p99: number;
  /** Processor time of the server's process per transfer, in milliseconds. */
  cost: number;
  /** Measured period, for `readCosts`. */
  span: Span;
}

export const password = 'a bench of transfers';
const warmUp = 500;

/** Operation that each request sends: a transfer of 1 wei, or a call of a token's `transfer`. */
export type Operation = 'transfer' | 'call';

/** Sends operations over HTTP, after a warm-up. Measures the time from the first request to the last confirmation. */
export async function runServer(
  product: Product,
  load: Load,
  operation: Operation = 'transfer',
): Promise<ServerFigures> {
  const { call, close } = await openClient(product, load.connections);
  try {
    const wallets = await createWallets(product, load, call);
    const work = operation === 'transfer' ? transfers(product) : await tokenCalls(product, call, wallets);
    await run(call, product, wallets, load, warmUp, work);
    return await run(call, product, wallets, load, load.transfers, work);
  } finally {
    await close();
  }
}

/** Prepares transfers that are sent in several slices. `run` sends one slice and returns its figures. */
export async function prepareSlices(product: Product, load: Load) {
  const { call, close } = await openClient(product, load.connections);
  const wallets = await createWallets(product, load, call);
  const work = transfers(product);
  return { run: (count: number) => run(call, product, wallets, load, count, work), close };
}

/** Sends a request to the server and returns the parsed response. Throws if the status is not 2xx. */
export type Call = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<Record<string, unknown>>;

/** A client with a fixed number of connections. */
export async function openClient(
  product: Product,
  connections: number,
): Promise<{ call: Call; close: () => Promise<void> }> {
  const headers = await product.headers();
  const pool = new Pool(product.baseUrl, { connections });
  return {
    async call(method, path, body) {
      const response = await pool.request({
        method,
        path,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.body.text();
      if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
      return JSON.parse(text);
    },
    close: () => pool.close(),
  };
}

/** Creates funded wallets and returns their ids. */
export async function createWallets(
  product: Product,
  load: Pick<Load, 'wallets'>,
  call: Call,
): Promise<string[]> {
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

/** Operations of one kind, with a check that they were executed. */
export interface Work {
  readonly glo: unknown;
  /** Reads the state before the operations. Returns a function that throws if they were not executed `count` times. */
  start(): Promise<(count: number, succeeded: number) => Promise<void>>;
}

export function transfers({ rpcUrl }: Product): Work {
  const to = Wallet.createRandom().address;
  const balance = async () => {
    const [answer] = await rpcBatch(rpcUrl, [['eth_getBalance', [to, 'latest']]]);
    return BigInt(String(answer));
  };
  return {
    glo: {
      version: '0.1.0',
      type: 'transfer',
      options: {
        recipient: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: to },
        amount: '1',
      },
    },
    async start() {
      const before = await balance();
      return async (count) => {
        const received = (await balance()) - before;
        if (received !== BigInt(count))
          throw new Error(
            `${count} transfers of 1 wei were confirmed, but the recipient received ${received}.`,
          );
      };
    },
  };
}

/** Deploys a token from the first wallet. Returns calls of this token. */
async function tokenCalls({ rpcUrl }: Product, call: Call, wallets: readonly string[]): Promise<Work> {
  const templateId = `bench-${randomUUID()}`;
  await call('POST', '/v1/contract-templates', { templateId, name: 'Token' });
  const code = { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code };
  await call('POST', `/v1/contract-templates/${templateId}/versions`, { version: '1', code });
  const { id } = await call('POST', '/v1/ledger-ops/send', {
    walletId: wallets[0],
    walletPassword: password,
    glo: {
      version: '0.1.0',
      type: 'contract_deploy',
      options: {
        contract_source: {
          lookup_service: { type: 'service', value: 'service' },
          resource: `${templateId}:1`,
        },
        args: ['Bench', 'BNC', '1'],
      },
    },
  });
  const { contractAddress } = await waitFor(async () => {
    const action = await call('GET', `/v1/ledger-ops/actions/${String(id)}`);
    return action.status === 'SUCCEEDED' ? action : undefined;
  });
  const [deployed] = await rpcBatch(rpcUrl, [['eth_getCode', [contractAddress, 'latest']]]);
  if (deployed === '0x')
    throw new Error(`The token was confirmed, but ${String(contractAddress)} has no code.`);
  return {
    glo: {
      version: '0.1.0',
      type: 'contract_call',
      options: {
        contract_instance: { lookup_service: { type: 'service', value: 'service' }, resource: String(id) },
        method_name: 'transfer',
        args: [Wallet.createRandom().address, '0'],
      },
    },
    start: async () => async (count, succeeded) => {
      if (succeeded !== count) throw new Error(`${count} calls were sent, but only ${succeeded} succeeded.`);
    },
  };
}

async function run(
  call: Call,
  product: Product,
  wallets: readonly string[],
  load: Load,
  count: number,
  { glo, start: begin }: Work,
): Promise<ServerFigures> {
  const check = await begin();
  const intent = randomUUID();
  const latencies: number[] = [];
  let next = 0;
  const before = product.processorTime();
  const from = microseconds();
  const start = performance.now();
  const worker = async () => {
    while (next < count) {
      const walletId = wallets[next % wallets.length];
      next += 1;
      const sent = performance.now();
      await call('POST', '/v1/ledger-ops/send', {
        intent,
        walletId,
        walletPassword: password,
        glo,
      });
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, worker));
  await allFinal(call, wallets, intent);
  const span = { from, to: microseconds() };
  const seconds = (performance.now() - start) / 1_000;
  const cost = (1_000 * (product.processorTime() - before)) / count;
  let succeeded = 0;
  for (const walletId of wallets) {
    const path = `/v1/ledger-ops/search/wallets/${walletId}/actions?intent=${intent}&status=SUCCEEDED&size=5`;
    succeeded += Number((await call('GET', path)).totalElements);
  }
  await check(count, succeeded);
  const at = percentiles(latencies);
  return { perSecond: count / seconds, p50: at(0.5), p99: at(0.99), cost, span };
}

/** Waits until no action of the intent is pending. */
export async function allFinal(call: Call, wallets: readonly string[], intent: string): Promise<void> {
  for (const walletId of wallets) {
    const path = `/v1/ledger-ops/search/wallets/${walletId}/actions?intent=${intent}&status=PENDING&size=5`;
    await waitFor(async () => ((await call('GET', path)).totalElements === 0 ? true : undefined), 20);
  }
}

/** Returns a function from a share, such as 0.99, to the value that this share of the values does not exceed. */
export function percentiles(values: readonly number[]): (share: number) => number {
  const sorted = values.toSorted((a, b) => a - b);
  return (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
