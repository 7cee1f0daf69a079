import { DevnetError } from '@ledger-ops/devnet';
import { call } from './call.ts';
import type { SolanaOptions } from './options.ts';
import { UnsupportedPlatformError } from './unsupported-platform.ts';

export interface SolanaLedger {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** `ws://127.0.0.1:<port>` */
  wsUrl: string;
  port: number;
  /**
   * Makes one JSON-RPC call. The caller defines the type of the result.
   * @throws DevnetError with the node's message
   */
  rpc<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>;
  /** Stops the ledger. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a ledger on 127.0.0.1 in this process. Programs run on its main thread.
 *
 * @throws UnsupportedPlatformError if litesvm has no binary
 *
 * @throws DevnetError if the state file or the port cannot be used
 */
export async function startSolana(options: SolanaOptions = {}): Promise<SolanaLedger> {
  const { confirmed = 1, finalized = 32, slotTime = 400, faucet = 1_000_000 } = options;
  if (![confirmed, finalized].every(Number.isSafeInteger) || confirmed < 0 || finalized < confirmed)
    throw new DevnetError('confirmed must be 0 or more, and finalized must not be less than confirmed.');
  if (slotTime !== 'on-demand' && !(slotTime >= 1))
    throw new DevnetError('slotTime must be 1 millisecond or more, or "on-demand".');
  const { Chain, Producer, startServer } = await loadRuntime();
  const chain = new Chain({
    stateFile: options.stateFile,
    depth: { confirmed, finalized },
    now: Date.now,
  });
  const producer = new Producer(chain, slotTime);
  const node = { chain, producer, faucetLimit: BigInt(Math.round(faucet * 1e9)) };
  const server = await startServer(node, options.port ?? 0).catch((cause: unknown) => {
    producer.pause();
    chain.close();
    throw new DevnetError(`The ledger cannot listen: ${String(cause)}.`, { cause });
  });
  const url = `http://127.0.0.1:${server.port}`;
  let ended: Promise<void> | undefined;
  return {
    url,
    wsUrl: `ws://127.0.0.1:${server.port}`,
    port: server.port,
    rpc: (method, params = []) => call(url, method, params),
    stop() {
      ended ??= (async () => {
        producer.pause();
        await server.close();
        chain.close();
      })();
      return ended;
    },
  };
}

/** Loads the runtime with the first ledger, because the optional package takes several megabytes. */
async function loadRuntime() {
  await import('litesvm/dist/internal.js').catch((cause: unknown) => {
    throw new UnsupportedPlatformError(cause);
  });
  const [{ Chain }, { Producer }, { startServer }] = await Promise.all([
    import('./chain/chain.ts'),
    import('./chain/producer.ts'),
    import('./rpc/server.ts'),
  ]);
  return { Chain, Producer, startServer };
}
