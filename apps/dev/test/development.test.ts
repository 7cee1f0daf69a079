import { ConfigError, createLog, type RunningServer, startServer } from '@ledger-ops/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFolder } from '../../../testing/folder.ts';
import { CallError, type Caller } from '../src/caller.ts';
import { devIds, ensureCredentials } from '../src/credentials.ts';
import { ensurePerson } from '../src/person.ts';
import { ensureWallet } from '../src/seed.ts';
import { readDevSettings } from '../src/settings.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
let server: RunningServer;
let caller: Caller;
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
beforeAll(async () => {
  folder = await openFolder();
  server = await start();
  ({ caller } = await ensureCredentials(server, null));
});
afterAll(async () => {
  await server?.close();
  await folder?.remove();
});

test('the development account registers a plugin', async () => {
  const plugin = { name: 'mine', projectId: devIds.project, url: 'npm:@ledger-ops/plugin-ethereum' };
  await caller.call('POST', '/v1/plugins', plugin);
});

test('the development account can see its organization and invite people to it', async () => {
  const { organization, project } = devIds;
  expect(organization).not.toBe(project);
  const page = await caller.call('GET', '/v1/organizations');
  expect(page).toMatchObject({ pageContent: [{ organizationID: organization }] });
  await caller.call('POST', '/v1/invitations', {
    organizationId: organization,
    userEmail: 'someone@example.com',
    invitationResourceRoles: [{ resource: { resourceID: project }, role: { name: 'viewer' } }],
  });
  expect(await caller.call('GET', '/v1/invitations?invitationState=PENDING')).toHaveLength(1);
});

test('a second start adds missing roles to the development account', async () => {
  await server.store.transaction((tx) =>
    tx.run('DELETE FROM role_assignment WHERE resource_uid IN (SELECT uid FROM organization)'),
  );
  await server.close();
  server = await start();
  ({ caller } = await ensureCredentials(server, null));
  const page = await caller.call('GET', '/v1/organizations');
  expect(page).toMatchObject({ pageContent: [{ organizationID: devIds.organization }] });
});

test('creates new credentials and another user if dev.json is missing', async () => {
  const newPassword = () => 'nine grey owls listen';
  const { credentials } = await ensureCredentials(server, null);
  const person = await ensurePerson(server, undefined, newPassword);
  expect(person.email).toBe('developer@localhost');
  expect(await ensurePerson(server, person, newPassword)).toBe(person);
  const again = await ensureCredentials(server, null);
  expect(again.credentials.applicationToken).not.toBe(credentials.applicationToken);
  const { email } = await ensurePerson(server, undefined, newPassword);
  expect(email).toMatch(/^developer-\w{6}@localhost$/);
});

test('if a wallet’s password is lost, creates a new wallet with a similar name', async () => {
  const made: unknown[] = [];
  const known: Caller = {
    async call(method, path, body) {
      if (method === 'GET' && path !== '/v1/cloud-wallet/wallets/alice')
        throw new CallError(path, 404, { detail: 'There is none.' });
      if (method === 'POST') made.push(body);
      return { walletAddress: '0xaa' };
    },
  };
  const wallet = await ensureWallet(known, devIds.ledger, 'alice', [], { newPassword: () => 'new' });
  expect(wallet).toEqual({
    walletId: expect.stringMatching(/^alice-\w{6}$/),
    ...{ walletPassword: 'new', walletAddress: '0xaa', ledgerId: devIds.ledger },
  });
  expect(made).toMatchObject([{ walletId: wallet.walletId }]);
});

test('refuses the database of another installation without adding development credentials', async () => {
  const own = await openFolder();
  const { config } = readDevSettings({ ...environment(), DATA_DIR: own.path });
  const other = await startServer({ config, log: createLog('silent'), adapters: [] });
  try {
    await other.store.transaction((tx) =>
      other.auth.createOrganization(tx, { organizationId: 'customer', name: 'Customer' }),
    );
    const refused = ensureCredentials(other, null);
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(
      'DATABASE_URL or DATA_DIR: the database contains the organization customer',
    );
    expect(await other.auth.projectByProjectId(devIds.project)).toBeNull();
  } finally {
    await other.close();
    await own.remove();
  }
});
