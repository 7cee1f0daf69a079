// The server in a process of its own, on a chain that the test runs; ends itself at a fault point when told to.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { fabricAdapter } from '@ledger-ops/plugin-fabric';
import { readConfig } from '../../src/config.ts';
import type { Credentials } from '../../src/dev/caller.ts';
import { ensureCredentials, ensureLedger } from '../../src/dev/ground.ts';
import { createLog } from '../../src/logger.ts';
import { startServer } from '../../src/server.ts';
import type { Fault } from './product.ts';

interface Orders {
  dataDir: string;
  /** Node of the Ethereum ledger. */
  rpcUrl?: string;
  masterKey: string;
  databaseUrl?: string;
  fault?: Fault;
}

const orders = JSON.parse(process.env.ORDERS ?? '{}') as Orders;
let { fault } = orders;

const config = readConfig({
  HOST: '127.0.0.1',
  PORT: '0',
  BASE_URL: 'http://ledger.test',
  DATA_DIR: orders.dataDir,
  MASTER_KEY: orders.masterKey,
  OUTBOUND_OPEN: '127.0.0.1',
  LOG_LEVEL: 'debug',
  PLUGINS_TRUSTED: 'npm:@ledger-ops/plugin-fabric',
  PLUGINS_FOLDER: fileURLToPath(new URL('../..', import.meta.url)),
  ...(orders.databaseUrl === undefined ? {} : { DATABASE_URL: orders.databaseUrl }),
});
const server = await startServer({
  config,
  log: createLog(config.logLevel),
  adapters: [ethereumAdapter, fabricAdapter],
  faults(point) {
    if (point !== fault?.point) return;
    fault = { point, nth: fault.nth - 1 };
    if (fault.nth === 0) process.kill(process.pid, 'SIGKILL');
  },
});
const path = join(orders.dataDir, 'credentials.json');
const { credentials } = await ensureCredentials(server, readFormer());
writeFileSync(path, JSON.stringify(credentials), { mode: 0o600 });
if (orders.rpcUrl !== undefined) await ensureLedger(server, orders.rpcUrl, 31337);
process.on('message', (ordered: Fault) => {
  fault = ordered;
  process.send?.({ fault });
});
// Whatever ends the test ends the server.
process.once('disconnect', () => process.exit(1));
process.send?.({ url: server.url, credentials });
process.once('SIGTERM', () => {
  server.close().then(() => process.exit(0));
});

function readFormer(): Credentials | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Credentials;
  } catch {
    return null;
  }
}
