// Two servers behind each proxy of `deploy`, and two servers as Kubernetes runs them, are replaced one after
// the other under load. No request may fail.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { freePort } from '../../../../testing/children.ts';
import { nonceOf, poolSize } from './chain.ts';
import { createProduct, type Product } from './product.ts';
import { missingProxy, type ProxyName, type RealProxy, startProxy } from './real-proxy.ts';
import { SteadyLoad } from './steady-load.ts';

const replacements = 10;

let anvil: Anvil;
let postgres: PostgresCluster;
const servers: Product[] = [];
let proxy: RealProxy | undefined;

beforeAll(async () => {
  [anvil, postgres] = await Promise.all([startAnvil(), openPostgres()]);
});
afterAll(async () => {
  await Promise.all([anvil?.stop(), postgres?.stop()]);
});
afterEach(async () => {
  await proxy?.stop();
  proxy = undefined;
  // The first server owns the folder.
  for (const server of servers.splice(0).toReversed()) await server.kill().then(() => server.stop());
});

describe.each<ProxyName>(['nginx', 'haproxy'])('behind %s', (name) => {
  const missing = missingProxy(name);
  if (missing !== undefined) console.warn(`Skipped: rolling replacement, because ${missing}.`);

  test.skipIf(missing !== undefined)(
    'during ten replacements within seconds, all of 50 requests per second succeed, and each send is executed once',
    async () => {
      const databaseUrl = await postgres.createDatabase();
      const ports = [await freePort(), await freePort()] as const;
      for (const port of ports) {
        const [beside] = servers;
        const environment = { PORT: String(port), TRUSTED_PROXIES: '1' };
        const common = { rpcUrl: () => anvil.url, databaseUrl, environment };
        const server = createProduct({ ...common, ...(beside === undefined ? {} : { beside }) });
        servers.push(server);
        await server.start();
      }
      const [first] = servers;
      if (first === undefined) throw new TypeError('There are two servers.');
      const running = await startProxy(name, ports);
      proxy = running;
      const wallet = await first.wallet({ exclusive: true });
      const load = await SteadyLoad.start(() => running.url, wallet, first.connection());
      const took: number[] = [];
      try {
        for (let n = 0; n < replacements; n += 1) {
          const begun = performance.now();
          const server = servers[n % servers.length];
          expect(await server?.terminate()).toBe(0);
          await server?.start();
          took.push(Math.round(performance.now() - begun));
        }
      } finally {
        await load.stop();
        console.log(`${name}: ${load.summary()}; each replacement took ${took.join(', ')} ms`);
      }
      expect([load.failed.length, load.failed.slice(0, 3)]).toEqual([0, []]);
      const ends = await first.ended(load.actionIds);
      expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
      expect(await nonceOf(anvil, wallet.address)).toBe(load.actionIds.length);
      expect(await poolSize(anvil)).toBe(0);
    },
    900_000,
  );
});

/** Returns the deployed readiness probe, grace period and shutdown delay. Times are in milliseconds. */
function podTiming() {
  const text = readFileSync(new URL('../../../../deploy/kubernetes/server.yaml', import.meta.url), 'utf8');
  const deployment = parseAllDocuments(text)
    .map((document) => document.toJS())
    .find(({ kind }) => kind === 'Deployment');
  const { terminationGracePeriodSeconds: grace, containers } = deployment.spec.template.spec;
  const [{ readinessProbe: probe, env }] = containers;
  const shutdownDelay: string = env.find(({ name }: { name: string }) => name === 'SHUTDOWN_DELAY_MS').value;
  return {
    shutdownDelay,
    graceMs: grace * 1_000,
    path: String(probe.httpGet.path),
    periodMs: probe.periodSeconds * 1_000,
    failures: Number(probe.failureThreshold),
  };
}

test('during ten replacements in Kubernetes order, all requests succeed, even those sent to a stopping server', async () => {
  const timing = podTiming();
  const databaseUrl = await postgres.createDatabase();
  /** URLs of servers that get requests. */
  const endpoints: string[] = [];
  const isReady = async (url: string) => (await fetch(url + timing.path)).status === 200;
  const startServer = async () => {
    const port = await freePort();
    const [beside] = servers;
    const environment = { PORT: String(port), TRUSTED_PROXIES: '1', SHUTDOWN_DELAY_MS: timing.shutdownDelay };
    const common = { rpcUrl: () => anvil.url, databaseUrl, environment };
    const server = createProduct({ ...common, ...(beside === undefined ? {} : { beside }) });
    servers.push(server);
    await server.start();
    const url = `http://127.0.0.1:${port}`;
    expect(await isReady(url)).toBe(true);
    endpoints.push(url);
    return { server, url };
  };
  /**
   * Stops a server, and returns how many milliseconds this took. The server gets requests until its probe has failed
   * often enough.
   */
  const stopServer = async ({ server, url }: Awaited<ReturnType<typeof startServer>>) => {
    const begun = performance.now();
    const exited = server.terminate();
    for (let failed = 0; failed < timing.failures; ) {
      await delay(timing.periodMs);
      failed = (await isReady(url)) ? 0 : failed + 1;
    }
    endpoints.splice(endpoints.indexOf(url), 1);
    expect(await exited).toBe(0);
    return Math.round(performance.now() - begun);
  };
  const running = [await startServer(), await startServer()];
  const [first] = servers;
  if (first === undefined) throw new TypeError('There are two servers.');
  const wallet = await first.wallet({ exclusive: true });
  let turn = 0;
  const next = () => {
    turn += 1;
    return endpoints[turn % endpoints.length] ?? '';
  };
  const load = await SteadyLoad.start(next, wallet, first.connection());
  const stops: Promise<number>[] = [];
  try {
    for (let n = 0; n < replacements; n += 1) {
      running.push(await startServer());
      const oldest = running.shift();
      if (oldest !== undefined) stops.push(stopServer(oldest));
    }
    await Promise.all(stops);
  } finally {
    await load.stop();
    console.log(`Kubernetes: ${load.summary()}`);
  }
  const took = await Promise.all(stops);
  console.log(`Each server stopped within ${took.join(', ')} ms.`);
  expect(Math.max(...took)).toBeLessThan(timing.graceMs);
  expect([load.failed.length, load.failed.slice(0, 3)]).toEqual([0, []]);
  const [last] = running;
  const ends = await last?.server.ended(load.actionIds);
  expect(ends?.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
  expect(await nonceOf(anvil, wallet.address)).toBe(load.actionIds.length);
}, 900_000);
