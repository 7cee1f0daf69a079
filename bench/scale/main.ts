// Sends transfers through one, two and four servers on one PostgreSQL. For each number of servers, prints the processor
// time of the servers and of the database per transfer, and the rows and bytes that the database writes. Linux only.
//   npm run bench:scale [-- --transfers 2000 --wallets 64 --connections 64 --servers 1,2,4]
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startAnvil } from '@ledger-ops/devnet';
import { startPostgresCluster } from '@ledger-ops/store/testing';
import { Pool } from 'undici';
import { addTenant, type Tenant } from '../../apps/server/test/stage/tenant.ts';
import { type DeployedServer, startDeployedServer } from '../deployed-server.ts';
import { fundedKeys } from '../transfers/node.ts';
import { waitFor } from '../transfers/product.ts';
import { DatabaseMeter } from './database-meter.ts';

const { values } = parseArgs({
  options: {
    /** Number per server, so that each server sends enough to have compiled its code. */
    transfers: { type: 'string', default: '2000' },
    wallets: { type: 'string', default: '64' },
    connections: { type: 'string', default: '64' },
    servers: { type: 'string', default: '1,2,4' },
  },
});
const warmUp = 500;
const password = 'a bench of servers';
const recipient = `0x${'a'.repeat(40)}`;

interface Figures {
  readonly servers: number;
  readonly perSecond: number;
  /** Milliseconds of processor time per transfer. */
  readonly serverMs: number;
  readonly databaseMs: number;
  /** Written per transfer. */
  readonly walBytes: number;
  readonly rows: number;
}

const cluster = await startPostgresCluster();
try {
  const all: Figures[] = [];
  for (const count of values.servers.split(',').map(Number)) {
    const figures = await measure(count);
    console.log(
      `${count} servers: ${figures.perSecond.toFixed(0)} transfers/s; per transfer: CPU time ${figures.serverMs.toFixed(2)} ms (servers) and ${figures.databaseMs.toFixed(2)} ms (database); ${figures.rows.toFixed(1)} rows and ${figures.walBytes.toFixed(0)} bytes of WAL written`,
    );
    all.push(figures);
  }
  console.log(JSON.stringify(all));
} finally {
  await cluster.stop();
}

async function measure(count: number): Promise<Figures> {
  const parts = new AsyncDisposableStack();
  try {
    const anvil = await startAnvil({ blockTime: 0.25 });
    parts.defer(() => anvil.stop());
    const environment = { DATABASE_URL: await cluster.createDatabase({ bare: true }) };
    const servers: DeployedServer[] = [];
    for (let n = 0; n < count; n += 1) {
      const server = await startDeployedServer({ environment, sibling: servers[0] });
      parts.defer(() => server.stop());
      servers.push(server);
    }
    const [first] = servers;
    if (first === undefined) throw new Error('There must be at least one server.');
    const tenant = await addTenant(first.url, first.credentials, 'tenant');
    const wallets = await addWallets(tenant, anvil.url);
    const pools = servers.map(
      ({ url }) => new Pool(url, { connections: Number(values.connections) / count }),
    );
    parts.defer(async () => {
      await Promise.all(pools.map((pool) => pool.close()));
    });
    const transfers = count * Number(values.transfers);
    await send(tenant, pools, wallets, count * warmUp);
    const meter = await DatabaseMeter.open(environment.DATABASE_URL);
    parts.defer(() => meter.close());
    const serverSeconds = () => servers.reduce((sum, server) => sum + server.processorTime(), 0);
    const before = { servers: serverSeconds(), database: await meter.read(), at: performance.now() };
    await send(tenant, pools, wallets, transfers);
    const perSecond = (1_000 * transfers) / (performance.now() - before.at);
    const after = await meter.read();
    return {
      servers: count,
      perSecond,
      serverMs: (1_000 * (serverSeconds() - before.servers)) / transfers,
      databaseMs: (1_000 * (after.seconds - before.database.seconds)) / transfers,
      walBytes: (after.walBytes - before.database.walBytes) / transfers,
      rows: (after.rows - before.database.rows) / transfers,
    };
  } finally {
    await parts.disposeAsync();
  }
}

async function addWallets({ api }: Tenant, uri: string): Promise<string[]> {
  await api.expect(201, 'POST', '/v1/admin/ledgers', {
    ledgerId: 'chain',
    name: 'chain',
    technology: 'ethereum',
    properties: { chain_id: 31_337, development: true },
    nodes: [{ name: 'anvil', uri }],
  });
  const keys = await fundedKeys(uri, Number(values.wallets));
  for (const [n, privateKey] of keys.entries()) {
    await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
      walletId: `wallet-${n}`,
      ledgerId: 'chain',
      pluginParameters: { walletPassword: password, privateKey },
    });
  }
  return keys.map((_, n) => `wallet-${n}`);
}

/** Sends transfers through all servers in turn, as a load balancer does, and waits until all have succeeded. */
async function send(
  tenant: Tenant,
  pools: readonly Pool[],
  wallets: readonly string[],
  count: number,
): Promise<void> {
  const intent = randomUUID();
  const headers = { ...tenant.headers, 'content-type': 'application/json' };
  let next = 0;
  const sendNext = async () => {
    while (next < count) {
      const n = next;
      next += 1;
      const response = await pools[n % pools.length]?.request({
        method: 'POST',
        path: '/v1/ledger-ops/send',
        headers,
        body: JSON.stringify({
          intent,
          walletId: wallets[n % wallets.length],
          walletPassword: password,
          glo: {
            version: '0.1.0',
            type: 'transfer',
            options: {
              recipient: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: recipient },
              amount: '1',
            },
          },
        }),
      });
      const text = await response?.body.text();
      if (response?.statusCode !== 201) throw new Error(`send: ${response?.statusCode} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.connections) }, sendNext));
  const ended = async (walletId: string, status: string) => {
    const path = `/v1/ledger-ops/search/wallets/${walletId}/actions?intent=${intent}&status=${status}&size=5`;
    return (await tenant.api.expect<{ totalElements: number }>(200, 'GET', path)).totalElements;
  };
  let succeeded = 0;
  for (const walletId of wallets) {
    await waitFor(async () => ((await ended(walletId, 'PENDING')) === 0 ? true : undefined), 20);
    succeeded += await ended(walletId, 'SUCCEEDED');
  }
  if (succeeded !== count)
    throw new Error(`${count} transfers were accepted, but only ${succeeded} succeeded.`);
}
