import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigError } from '../src/config-error.ts';
import { devIds, ensureCredentials } from '../src/dev/ground.ts';
import { readDevSettings } from '../src/dev/settings.ts';
import { createLog } from '../src/logger.ts';
import { type RunningServer, startServer } from '../src/server.ts';
import { type Api, logIn } from './api.ts';
import { openFolder } from './harness.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
let server: RunningServer;
let api: Api;
const environment = () => ({
  ...{ PORT: '0', DATA_DIR: folder.path, LOG_LEVEL: 'silent', HOST: '0.0.0.0' },
  ...{
    PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum',
    PLUGIN_PROCESSES: '3',
    OUTBOUND_OPEN: '10.0.0.0/8',
  },
});
const start = async () => {
  const { config } = readDevSettings(environment());
  return await startServer({ config, log: createLog('silent'), adapters: [] });
};
const logInTo = async () => {
  const { credentials } = await ensureCredentials(server, null);
  return await logIn(server.url, {
    applicationToken: credentials.applicationToken,
    appId: credentials.clientId,
    accountId: credentials.serviceAccount,
    apiToken: credentials.clientSecret,
  });
};
beforeAll(async () => {
  folder = await openFolder();
  server = await start();
  api = await logInTo();
});
afterAll(async () => {
  await server?.close();
  await folder?.remove();
});

test('every setting of the server holds in development, but for where it listens and keeps its data', () => {
  const { config } = readDevSettings(environment());
  expect(config).toMatchObject({
    host: '127.0.0.1',
    pluginProcesses: 3,
    plugins: { allowed: { modules: ['@ledger-ops/plugin-ethereum'] } },
    outboundOpen: ['127.0.0.0/8', '10.0.0.0/8'],
  });
  const refused = () => readDevSettings({ ...environment(), DATABASE_URL: 'postgres://127.0.0.1/x' });
  expect(refused).toThrow(ConfigError);
  expect(refused).toThrow(/DATABASE_URL/);
});

test('the development account registers a plugin', async () => {
  const plugin = { name: 'mine', projectId: devIds.project, url: 'npm:@ledger-ops/plugin-ethereum' };
  await api.expect(201, 'POST', '/v1/plugins', plugin);
});

test('the development account sees its organization and invites into it', async () => {
  const { organization, project } = devIds;
  expect(organization).not.toBe(project);
  const page = await api.expect<{ pageContent: object[] }>(200, 'GET', '/v1/organizations');
  expect(page.pageContent).toMatchObject([{ organizationID: organization }]);
  await api.expect(201, 'POST', '/v1/invitations', {
    organizationId: organization,
    userEmail: 'someone@example.com',
    invitationResourceRoles: [{ resource: { resourceID: project }, role: { name: 'viewer' } }],
  });
  expect((await api.call<unknown[]>('GET', '/v1/invitations?invitationState=PENDING')).body).toHaveLength(1);
});

test('a later start gives the account of an earlier one what it lacks', async () => {
  await server.store.transaction((tx) =>
    tx.run('DELETE FROM role_assignment WHERE resource_uid IN (SELECT uid FROM organization)'),
  );
  await server.close();
  server = await start();
  api = await logInTo();
  const page = await api.expect<{ pageContent: object[] }>(200, 'GET', '/v1/organizations');
  expect(page.pageContent).toHaveLength(1);
});
