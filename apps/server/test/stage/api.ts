import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdapterDefinition } from '@ledger-ops/adapter';
import { systemUid } from '@ledger-ops/auth';
import { giveSigningKey } from '@ledger-ops/auth/testing';
import { createMasterKey } from '@ledger-ops/base';
import { type Anvil, startAnvil, tokenTemplate } from '@ledger-ops/devnet';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { createSqlite, openSqlite } from '@ledger-ops/store/testing';
import { openFolder } from '../../../../testing/folder.ts';
import { databaseFile } from '../../src/database-place.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type RunningServer, type StartOptions, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { cheapPasswords } from './cheap-passwords.ts';
import { type Api, type ApiCredentials, addTenant, type Tenant, type Texts } from './tenant.ts';

export * from './tenant.ts';

/** A server with a chain, and the administrator's credentials from its first start. */
export interface Installation {
  readonly server: RunningServer;
  readonly anvil: Anvil;
  readonly url: string;
  readonly folder: string;
  readonly administrator: ApiCredentials;
  close(): Promise<void>;
}

export const masterKey = Buffer.alloc(32, 5);
let begun: Promise<Buffer> | undefined;

/** Creates a database with schema and signing key. Copying it is faster than creating one at each first start. */
async function beginDatabase(): Promise<Buffer> {
  const folder = await openFolder();
  const file = join(folder.path, databaseFile);
  await createSqlite(file);
  const store = await openSqlite(file);
  await giveSigningKey(store, createMasterKey(masterKey));
  await store.close();
  const bytes = await readFile(file);
  await folder.remove();
  return bytes;
}

/** Starts a server as a deployment does, with the ledger `chain`, which every project may use. */
export async function install(
  environment: Record<string, string> = {},
  adapters: readonly AdapterDefinition[] = [],
  timing: NonNullable<StartOptions['timing']> = {},
  webhookTiming: StartOptions['webhookTiming'] = {},
  contractEventTiming: StartOptions['contractEventTiming'] = {},
  log = createLog('silent'),
): Promise<Installation> {
  const [anvil, folder] = await Promise.all([startAnvil(), openFolder()]);
  begun ??= beginDatabase();
  await writeFile(join(folder.path, databaseFile), await begun, { mode: 0o600 });
  const config = readConfig({
    PORT: '0',
    DATA_DIR: folder.path,
    MASTER_KEY: masterKey.toString('base64'),
    OUTBOUND_OPEN: '127.0.0.1',
    LOG_LEVEL: 'silent',
    ...environment,
  });
  const server = await startServer({
    config,
    log,
    adapters: [ethereumAdapter, ...adapters],
    timing,
    passwordCost: cheapPasswords,
    webhookTiming,
    contractEventTiming,
  });
  await server.store.transaction((tx) =>
    server.registry.createLedger(tx, {
      ledgerId: 'chain',
      projectUid: null,
      parentResourceUid: systemUid,
      name: 'chain',
      technology: 'ethereum',
      properties: { chain_id: 31_337, development: true, max_in_flight: 1_000, polling_interval: 50 },
      nodes: [{ uri: anvil.url }],
    }),
  );
  const file = JSON.parse(await readFile(join(folder.path, 'administrator.json'), 'utf8'));
  return {
    server,
    anvil,
    url: server.url,
    folder: folder.path,
    administrator: {
      applicationToken: file.applicationToken,
      appId: file.clientId,
      accountId: file.serviceAccount,
      apiToken: file.apiToken,
    },
    async close() {
      await server.close();
      await anvil.stop();
      await folder.remove();
    },
  };
}

const password = 'correct horse battery staple';

/** Creates a funded wallet on the chain. */
export async function addWallet(
  { anvil }: Pick<Installation, 'anvil'>,
  { api }: Pick<Tenant, 'api'>,
  walletId: string,
) {
  const { walletAddress = '' } = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    walletId,
    ledgerId: 'chain',
    pluginParameters: { walletPassword: password },
  });
  await anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
  return { walletId, walletAddress };
}

/** Creates two tenants: `one` with the wallets `payer` and `second`, and `other` with the wallet `foreign`. */
export async function addTwoTenants(here: Installation): Promise<{ one: Tenant; other: Tenant }> {
  const one = await addTenant(here.url, here.administrator, 'one');
  const other = await addTenant(here.url, here.administrator, 'other');
  for (const walletId of ['payer', 'second']) await addWallet(here, one, walletId);
  await addWallet(here, other, 'foreign');
  return { one, other };
}

/** Stores version `1` of a template of a small token. */
export async function addTokenTemplate(api: Api, templateId: string): Promise<void> {
  const path = '/v1/contract-templates';
  await api.expect(201, 'POST', path, { templateId, name: 'Token' });
  const code = { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code };
  await api.expect(201, 'POST', `${path}/${templateId}/versions`, { version: '1', code });
}

/** An account without a wallet in the service. */
export const nobody = '0x00000000000000000000000000000000000000aa';

/** Sends a transfer of one wei, or the given body; returns the action's id. */
export async function send(
  { api }: Pick<Tenant, 'api'>,
  walletId: string,
  more: object = {},
): Promise<string> {
  const body = { ...transferBody(walletId, nobody), ...more };
  const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', body);
  return actionId;
}

/** The body of a transfer of one wei from a wallet that {@link addWallet} created. */
export function transferBody(walletId: string, to: string) {
  return {
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
  };
}

/** Waits until an action is no longer PENDING. */
export async function ended(api: Api, actionId: string): Promise<Texts> {
  const start = Date.now();
  for (;;) {
    const action = await api.expect(200, 'GET', `/v1/ledger-ops/search/actions/${actionId}`);
    if (action.status !== 'PENDING') return action;
    const waited = Date.now() - start;
    if (waited > 120_000) throw new Error(`The action is still PENDING: ${JSON.stringify(action)}`);
    // Polls less often if the wait is long, because each poll costs milliseconds of processor time.
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(40, waited / 10), 250)));
  }
}
