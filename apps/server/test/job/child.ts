// The server in its own process, on a chain that the test runs; exits at a given fault point.
import { flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { builtInAdapters } from '../../src/adapters.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type StartOptions, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { cheapPasswords } from '../stage/cheap-passwords.ts';
import { ensureAccount, ensureLedger } from './ground.ts';
import type { Fault } from './product.ts';

interface Orders {
  dataDir: string;
  /** Node of the Ethereum ledger. */
  rpcUrl?: string;
  confirmations?: number;
  masterKey: string;
  databaseUrl?: string;
  environment?: Record<string, string>;
  fault?: Fault;
  timing?: StartOptions['timing'];
  webhookTiming?: StartOptions['webhookTiming'];
  contractEventTiming?: StartOptions['contractEventTiming'];
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
  // The test's plugin is allowed like one of another author: as a module file in this workspace.
  PLUGINS_ALLOWED: `file:${fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')}`,
  PLUGINS_TRUSTED: 'npm:@ledger-ops/plugin-fabric',
  PLUGINS_FOLDER: fileURLToPath(new URL('../..', import.meta.url)),
  ...(orders.databaseUrl === undefined ? {} : { DATABASE_URL: orders.databaseUrl }),
  ...orders.environment,
});
const server = await startServer({
  config,
  log: createLog(config.logLevel),
  adapters: builtInAdapters,
  passwordCost: cheapPasswords,
  ...(orders.timing === undefined ? {} : { timing: orders.timing }),
  ...(orders.webhookTiming === undefined ? {} : { webhookTiming: orders.webhookTiming }),
  ...(orders.contractEventTiming === undefined ? {} : { contractEventTiming: orders.contractEventTiming }),
  faults(point) {
    if (point !== fault?.point) return;
    fault = { point, nth: fault.nth - 1 };
    if (fault.nth === 0) process.kill(process.pid, 'SIGKILL');
  },
});
const credentials = await ensureAccount(server, orders.dataDir);
if (orders.rpcUrl !== undefined) await ensureLedger(server, orders.rpcUrl, orders.confirmations);
process.on('message', (ordered: Fault) => {
  fault = ordered;
  process.send?.({ fault });
});
// The server exits with the test.
process.once('disconnect', () => process.exit(1));
// A killed process writes no compile cache, so the next start would compile everything again.
flushCompileCache();
process.send?.({ url: server.url, credentials });
process.once('SIGTERM', () => {
  server
    .drain()
    .then(() => server.close())
    .then(() => process.exit(0));
});
