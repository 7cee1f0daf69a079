import { randomUUID } from 'node:crypto';
import { freePort, type Load, startProduct } from './product.ts';
import { allFinal, createWallets, openClient, password, percentiles, transfers } from './server.ts';

export interface LatencyFigures {
  /** Milliseconds from the planned time of a request to the response 201. */
  p50: number;
  p99: number;
  /** Delay of the server's event loop in milliseconds, 99th percentile. */
  loopDelayP99: number;
}

const warmUp = 200;
/** Interval in milliseconds at which prom-client samples the event loop. Node includes it in the measured delay. */
const sampleIntervalMs = 10;

/**
 * Sends transfers at random times with a given average rate (a Poisson process). It does not wait for earlier responses
 * (an open loop), so that a slow response does not lower the load.
 */
export async function runLatency(
  load: Load,
  perSecond: number,
  environment: Record<string, string>,
): Promise<LatencyFigures> {
  const port = await freePort();
  const product = await startProduct({ ...environment, METRICS_PORT: String(port) });
  const { call, close } = await openClient(product, load.connections);
  try {
    const wallets = await createWallets(product, load, call);
    const { glo, start } = transfers(product);
    const check = await start();
    const intent = randomUUID();
    const latencies: number[] = [];
    const send = async (at: number, walletId: string | undefined) => {
      await call('POST', '/v1/ledger-ops/send', { intent, walletId, walletPassword: password, glo });
      latencies.push(performance.now() - at);
    };
    const sending: Promise<void>[] = [];
    let at = performance.now();
    for (let n = 0; n < warmUp + load.transfers; n += 1) {
      at += (-Math.log(1 - Math.random()) * 1_000) / perSecond;
      await until(at);
      if (n === warmUp) {
        await Promise.all(sending.splice(0));
        latencies.length = 0;
        // Reading the metric resets it, so the warm-up is not measured.
        await loopDelay(port);
        at = performance.now();
      }
      sending.push(send(at, wallets[n % wallets.length]));
    }
    await Promise.all(sending);
    const loopDelayP99 = (await loopDelay(port)) - sampleIntervalMs;
    await allFinal(call, wallets, intent);
    await check(warmUp + load.transfers, warmUp + load.transfers);
    const latency = percentiles(latencies);
    return { p50: latency(0.5), p99: latency(0.99), loopDelayP99 };
  } finally {
    await close();
    await product.stop();
  }
}

/** Waits until a time of `performance.now()`. Returns immediately if the time has passed. */
async function until(at: number): Promise<void> {
  const left = at - performance.now();
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
}

/** 99th percentile in milliseconds since the previous call. */
async function loopDelay(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const [, seconds] = /^nodejs_eventloop_lag_p99_seconds ([\d.e-]+)$/m.exec(text) ?? [];
  if (seconds === undefined) throw new Error('The metrics contain no delay of the event loop.');
  return 1_000 * Number(seconds);
}
