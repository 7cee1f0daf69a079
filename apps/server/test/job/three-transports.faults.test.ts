import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createRoot, issueTls, type KeyPair } from '@ledger-ops/devnet-fabric';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addTenant, ended, type Installation, install, type Tenant, type Texts } from '../stage/api.ts';
import { type PluginProxy, startPluginProxy } from './plugin-proxy.ts';
import { startTlsProxy, type TlsProxy } from './tls-proxy.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const password = 'correct horse battery staple';
const recipient = '0x00000000000000000000000000000000000000aa';
/** Number of transfers from each wallet in a round. */
const together = 5;

let remote: ChildProcess;
let proxy: PluginProxy;
let secure: TlsProxy;
let root: KeyPair;
let place: Installation;
let tenant: Tenant;

beforeAll(async () => {
  const plugin = new URL('../../../../examples/remote-plugin/plugin.mjs', import.meta.url);
  remote = spawn(process.execPath, [fileURLToPath(plugin), '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (remote.stdout === null) throw new TypeError('The plugin has no output.');
  const [url] = await once(createInterface(remote.stdout), 'line');
  proxy = await startPluginProxy(String(url));
  root = await createRoot({ commonName: 'the authority' });
  secure = await startTlsProxy(String(url), await issueTls(root, { commonName: 'the plugin' }), root);
  place = await install({
    PLUGINS_ALLOWED: `file:${here.replace(/\/$/, '')},${proxy.url},${secure.url}`,
    PLUGINS_TRUSTED: 'npm:@ledger-ops/plugin-ethereum',
    PLUGINS_FOLDER: fileURLToPath(new URL('../..', import.meta.url)),
  });
  tenant = await addTenant(place.url, place.administrator, 'one');
});
afterAll(async () => {
  await place?.close();
  await proxy?.close();
  await secure?.close();
  remote?.kill();
});

/** Adds a plugin, and a ledger that selects it by its tag. */
async function addLine(tag: string, url: string, ledgerID: string, node: string | null): Promise<void> {
  const { api, projectId } = tenant;
  await api.expect(201, 'POST', '/v1/plugins', { name: tag, projectId, url, tags: ['ethereum', tag] });
  await addLedger(tag, ledgerID);
  if (node === null) return;
  await api.expect(201, 'POST', '/v1/nodes', { ledgerID, name: 'node', options: { uri: node } });
}

async function addLedger(tag: string, ledgerID: string, { api, projectId } = tenant): Promise<void> {
  await api.expect(201, 'POST', '/v1/ledgers', {
    ledgerID,
    name: ledgerID,
    projectId,
    ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
    properties: [
      { type: { name: 'plugin_tags' }, value: [tag] },
      { type: { name: 'polling_interval' }, value: 50 },
    ],
  });
}

async function addSender(ledgerId: string, { api } = tenant): Promise<{ walletId: string; address: string }> {
  const walletId = `${ledgerId}-wallet`;
  const { walletAddress = '' } = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    walletId,
    ledgerId,
    pluginParameters: { walletPassword: password },
  });
  return { walletId, address: walletAddress };
}

function transferOf(walletId: string, resource = recipient, walletPassword = password) {
  const options = {
    recipient: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource },
    amount: '1',
  };
  return { walletId, walletPassword, glo: { version: '0.1.0', type: 'transfer', options } };
}

/**
 * Repeats a send until the service accepts it, like a client whose request may be retried. A refused request has no
 * effect.
 */
async function transfer(
  walletId: string,
  headers: Record<string, string> = {},
  { api } = tenant,
): Promise<string> {
  const key = { 'Idempotency-Key': randomUUID(), ...headers };
  return vi.waitFor(async () => {
    const { status, body, text } = await api.call('POST', '/v1/ledger-ops/send', transferOf(walletId), key);
    expect(status, text).toBe(201);
    return body.actionId ?? '';
  }, 60_000);
}

/** Returns how often the process of the plugin with this tag was restarted. */
async function restartsOf(tag: string): Promise<number> {
  const { api, projectId } = tenant;
  const { body: list } = await api.call<{ pageContent: { id: string }[] }>(
    'GET',
    `/v1/plugins?project=${projectId}&tags=${tag}`,
  );
  const { body } = await api.call<{ health: { restarts: number } }>(
    'GET',
    `/v1/plugins/${list.pageContent[0]?.id}`,
  );
  return body.health.restarts;
}

test('three plugins with different transports, selected by tags, work at the same time while one of them crashes in a loop', async () => {
  const { api } = tenant;
  await addLine('in-process', 'npm:@ledger-ops/plugin-ethereum', 'inside', place.anvil.url);
  await addLine('crashing', `file:${here}crashing-plugin.mjs`, 'beside', place.anvil.url);
  await addLine('remote', proxy.url, 'toy', null);
  const senders = await Promise.all(['inside', 'beside', 'toy'].map((ledgerId) => addSender(ledgerId)));
  for (const { address } of senders.slice(0, 2)) {
    await place.anvil.rpc('anvil_setBalance', [address, '0x56BC75E2D63100000']);
  }
  const before = BigInt(await place.anvil.rpc<string>('eth_getBalance', [recipient, 'latest']));

  const ids: string[] = [];
  const remoteIds: string[] = [];
  let rounds = 0;
  // Repeats until the plugin has crashed twice during work.
  for (let restarts = 0; restarts < 2; restarts = await restartsOf('crashing')) {
    const sent = await Promise.all(
      senders.map(({ walletId }) => Promise.all(Array.from({ length: together }, () => transfer(walletId)))),
    );
    ids.push(...sent.flat());
    remoteIds.push(...(sent[2] ?? []));
    rounds += 1;
  }
  const ends: Texts[] = [];
  for (const id of ids) ends.push(await ended(api, id));

  expect(ends.map(({ status, problem }) => ({ status, problem }))).toEqual(
    ids.map(() => ({ status: 'SUCCEEDED', problem: undefined })),
  );
  expect(new Set(ends.map(({ locator }) => locator)).size).toBe(ids.length);
  const after = BigInt(await place.anvil.rpc<string>('eth_getBalance', [recipient, 'latest']));
  expect(after - before).toBe(BigInt(2 * rounds * together));
  const sent = proxy.bodies().flatMap(({ actionId }) => (actionId === undefined ? [] : [actionId]));
  expect(new Set(sent)).toEqual(new Set(remoteIds));
}, 300_000);

test('the server checks the wallet password and never sends it to a plugin', async () => {
  const before = proxy.bodies().length;
  const body = transferOf('toy-wallet', recipient, 'not the password at all');
  await tenant.api.expect(403, 'POST', '/v1/ledger-ops/send', body);
  expect(proxy.bodies()).toHaveLength(before);
  const text = JSON.stringify(proxy.bodies());
  expect(text).toMatch(/"walletPassword":"[A-Za-z0-9_-]{43}"/);
  expect(text).not.toContain(password);
});

test('the plugin gets the caller’s trace each time an action is sent', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  proxy.setDown(true);
  const traced = await transfer('toy-wallet', { traceparent });
  const wrong = await transfer('toy-wallet', { traceparent: traceparent.replace('00-4b', 'ff-4b') });
  await vi.waitFor(() => expect(proxy.traces(traced).length).toBeGreaterThan(1), 30_000);
  proxy.setDown(false);
  for (const id of [traced, wrong])
    expect(await ended(tenant.api, id)).toMatchObject({ status: 'SUCCEEDED' });
  expect(new Set(proxy.traces(traced))).toEqual(new Set([traceparent]));
  const [own = '', ...others] = new Set(proxy.traces(wrong));
  expect(others).toEqual([]);
  expect(own).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  expect(own).not.toContain(traceparent.slice(3, 35));
}, 300_000);

test('a plugin’s refusal fails the action with the plugin’s message, but an unreachable plugin only delays it', async () => {
  const { api } = tenant;
  const body = transferOf('toy-wallet', 'nobody');
  const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', body);
  const refused = await ended(api, actionId);
  expect(refused).toMatchObject({
    status: 'FAILED',
    problem: { detail: expect.stringContaining('address') },
  });

  proxy.setDown(true);
  const waiting = await transfer('toy-wallet');
  await vi.waitFor(async () => {
    const { pending } = await api.expect(200, 'GET', `/v1/ledger-ops/search/actions/${waiting}`);
    expect(pending).toMatchObject({ stage: 'signed', detail: expect.stringContaining('remote') });
  }, 30_000);
  proxy.setDown(false);
  expect(await ended(api, waiting)).toMatchObject({ status: 'SUCCEEDED' });
}, 300_000);

test('an action that the plugin accepted and lost stays pending, and its pending reason says so', async () => {
  const { api } = tenant;
  proxy.setForgetful(true);
  const actionId = await transfer('toy-wallet');
  const read = () => api.expect(200, 'GET', `/v1/ledger-ops/search/actions/${actionId}`);
  await vi.waitFor(async () => {
    const { status, pending } = await read();
    expect(status).toBe('PENDING');
    expect(pending).toMatchObject({
      stage: 'signed',
      detail: expect.stringContaining('does not exist'),
    });
  }, 30_000);
  const { pending } = await read();
  expect(pending).toMatchObject({
    detail: expect.stringMatching(/plugin \S+ accepted .* no longer knows it/),
  });
  proxy.setForgetful(false);
  expect(await ended(api, actionId)).toMatchObject({ status: 'SUCCEEDED' });
}, 300_000);

/** Credentials in the form of `POST /v1/plugins`. */
const credentialsOf = ({ certificate, privateKey }: KeyPair) => ({
  clientCertificate: certificate,
  clientKey: privateKey,
  certificateAuthority: root.certificate,
});

test('a plugin that requires client certificates serves only known clients, and the private key cannot be read', async () => {
  const other = await addTenant(place.url, place.administrator, 'other');
  const { api, projectId } = other;
  const [own, stranger] = await Promise.all([
    issueTls(root, { commonName: 'the service' }),
    issueTls(await createRoot({ commonName: 'somebody' }), { commonName: 'a stranger' }),
  ]);
  const body = { name: 'secure', projectId, url: secure.url, tags: ['ethereum', 'secure'] };
  const written: string[] = [];
  const write = async (method: 'POST' | 'PUT', path: string, more: object) => {
    const {
      status,
      body: plugin,
      text,
    } = await api.call<{ id: string; warnings: string[] }>(method, path, {
      ...body,
      ...more,
    });
    expect(status, text).toBe(method === 'POST' ? 201 : 200);
    written.push(text);
    return plugin;
  };

  for (const credentials of [null, credentialsOf(stranger)]) {
    const refused = secure.refusals();
    const { id, warnings } = await write('POST', '/v1/plugins', { credentials });
    expect(warnings).toEqual([
      expect.stringMatching(/cannot be (?:reached|used)/),
      expect.stringMatching(/version is unknown/),
      // Until the plugin is reached, it is unknown which ledgers it serves.
      expect.stringMatching(/ledgers that other plugins served before: chain/),
    ]);
    if (credentials !== null) expect(secure.refusals()).toBeGreaterThan(refused);
    await api.expect(204, 'DELETE', `/v1/plugins/${id}`);
  }
  expect(secure.clients()).toEqual([]);

  const { id, warnings } = await write('POST', '/v1/plugins', { credentials: credentialsOf(own) });
  // The plugin serves this one ledger, which is created afterwards.
  expect(warnings).toEqual(['None of the ledgers that the plugin serves is registered: toy.']);
  await addLedger('secure', 'toy', other);
  const { walletId } = await addSender('toy', other);
  expect(await ended(api, await transfer(walletId, {}, other))).toMatchObject({ status: 'SUCCEEDED' });
  expect(new Set(secure.clients())).toEqual(new Set(['the service']));

  const at = `/v1/plugins/${id}`;
  const withOthers = await write('PUT', at, {
    active: true,
    tags: undefined,
    credentials: credentialsOf(stranger),
  });
  expect(withOthers.warnings).toEqual([expect.stringMatching(/cannot be reached/)]);
  const refused = await api.expect(503, 'POST', '/v1/ledger-ops/send', transferOf(walletId));
  expect(refused).toMatchObject({ detail: expect.stringContaining('secure') });
  await write('PUT', at, { active: true, tags: undefined, credentials: credentialsOf(own) });
  expect(await ended(api, await transfer(walletId, {}, other))).toMatchObject({ status: 'SUCCEEDED' });
  expect(new Set(secure.clients())).toEqual(new Set(['the service']));

  const { text: read } = await api.call('GET', at);
  expect(JSON.parse(read)).toMatchObject({ hasCredentials: true });
  const files = readdirSync(place.folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
  expect(files.some((text) => text.includes(secure.url))).toBe(true);
  for (const { privateKey } of [own, stranger]) {
    const [, middle = ''] = privateKey.split('\n');
    for (const text of [...written, read, ...files]) expect(text.includes(middle)).toBe(false);
  }
}, 300_000);
