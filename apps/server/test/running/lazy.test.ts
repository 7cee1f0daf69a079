import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { createRoot, issueIdentity } from '@ledger-ops/devnet-fabric';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { childEnvironment, freePort, sourceArguments } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { logIn } from '../stage/api.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
let anvil: Anvil;
let child: ChildProcess | undefined;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil?.stop());
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(async () => {
  if (child !== undefined && child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  await folder.remove();
});

/**
 * Writes the name of every loaded package of gRPC, Fabric or OpenTelemetry to standard error, except the API package
 * that prom-client imports and does not use.
 */
const watch = `
import { registerHooks } from 'node:module';
import { writeSync } from 'node:fs';
const seen = new Set();
const tell = (name) => {
  if (name === undefined || seen.has(name)) return;
  seen.add(name);
  writeSync(2, 'loaded ' + name + '\\n');
};
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@opentelemetry/') && !/\\/prom-client\\//.test(context.parentURL)) tell(specifier);
    return next(specifier, context);
  },
  load(url, context, next) {
    tell(/node_modules\\/(@grpc\\/[^/]+|@hyperledger\\/[^/]+|google-protobuf|fabric-[^/]+)\\//.exec(url)?.[1]);
    return next(url, context);
  },
});`;

test('OpenTelemetry is not loaded without a collector, and gRPC and Fabric only with the first Fabric ledger', async () => {
  const port = await freePort();
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const hook = `data:text/javascript,${encodeURIComponent(watch)}`;
  const started = spawn(process.execPath, [...sourceArguments, '--import', hook, main], {
    env: {
      ...childEnvironment(),
      MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
      ...{ PORT: String(port), DATA_DIR: folder.path, OUTBOUND_OPEN: '127.0.0.1' },
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child = started;
  const loaded: string[] = [];
  createInterface({ input: started.stderr }).on('line', (line) => loaded.push(line));
  const baseUrl = `http://127.0.0.1:${port}`;
  const isReady = async () => expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200);
  await vi.waitFor(isReady, { timeout: 60_000, interval: 100 });
  const administrator = JSON.parse(readFileSync(join(folder.path, 'administrator.json'), 'utf8'));
  const { applicationToken, clientId, serviceAccount, apiToken } = administrator;
  const api = await logIn(baseUrl, {
    applicationToken,
    appId: clientId,
    accountId: serviceAccount,
    apiToken,
  });
  const newLedger = (technology: string, properties: Record<string, unknown>, uri: string) =>
    api.call('POST', '/v1/ledgers', {
      name: technology,
      ledgerTechnology: { ledgerTechnologyID: technology },
      properties: Object.entries(properties).map(([name, value]) => ({ type: { name }, value })),
      nodes: [{ options: { uri } }],
    });

  expect(await newLedger('ethereum', { development: true }, anvil.url)).toMatchObject({ status: 201 });
  expect(loaded).toEqual([]);

  const root = await createRoot({ commonName: 'ca', organization: 'Org1MSP' });
  const observer = await issueIdentity(root, { commonName: 'observer' });
  const properties = {
    ...{ channel: 'ledger', msp_id: 'Org1MSP' },
    observer_certificate: observer.certificate,
    observer_private_key: observer.privateKey,
  };
  // Opening the ledger loads the packages, although no node listens at this address.
  const opened = await newLedger('hyperledger-fabric', properties, 'grpcs://127.0.0.1:9');
  expect(opened).toMatchObject({ status: 503 });
  expect(loaded).toContain('loaded @grpc/grpc-js');
  expect(loaded).toContain('loaded @hyperledger/fabric-protos');
}, 300_000);
