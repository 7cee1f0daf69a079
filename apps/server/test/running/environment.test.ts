// Tests that /proc does not reveal secrets in the environment of a server and its child processes.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startAnvil } from '@ledger-ops/devnet';
import { openPostgres } from '@ledger-ops/store/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endAll, freePort, run } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { type ApiCredentials, addTenant } from '../stage/api.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  await endAll();
  await folder.remove();
});

const masterKey = Buffer.alloc(32, 9).toString('base64');
const applicationToken = `app_${'A'.repeat(43)}`;
const apiToken = `sak_${'B'.repeat(43)}`;
const packages = fileURLToPath(new URL('../..', import.meta.url));

function childrenOf(pid: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = table.map((line) => line.trim().split(/\s+/).map(Number));
  const own = pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
  return own.flatMap((child) => [child, ...childrenOf(child)]);
}

/** Starts the server as a deployment does. */
async function start(settings: Record<string, string>) {
  const port = await freePort();
  const { child, code, out } = run(new URL('../../src/main.ts', import.meta.url), {
    ...{ PORT: String(port), DATA_DIR: folder.path, OUTBOUND_OPEN: '127.0.0.1', PLUGINS_FOLDER: packages },
    ...{ PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum', ...settings },
  });
  closers.push(async () => {
    child.kill('SIGTERM');
    await code;
  });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 60_000);
  return { url, pid: child.pid ?? 0, out };
}

const files = (secrets: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => {
      const path = join(folder.path, `secret-${name}`);
      writeFileSync(path, `${value}\n`, { mode: 0o600 });
      return [`${name}_FILE`, path];
    }),
  );

const administrator: ApiCredentials = {
  ...{ applicationToken, apiToken },
  ...{ appId: 'administration', accountId: 'administrator' },
};

test('secrets that were read from files are not visible in /proc for any process, including plugins', async () => {
  if (!existsSync('/proc/self/environ')) {
    console.warn('Skipped: this system has no process environments in /proc.');
    return;
  }
  const cluster = await openPostgres();
  closers.push(() => cluster.stop());
  const database = await cluster.createDatabase({ bare: true });
  const anvil = await startAnvil();
  closers.push(() => anvil.stop());
  const secrets = {
    ...{ MASTER_KEY: masterKey, DATABASE_URL: database, SMTP_URL: 'smtp://user:mail-password@127.0.0.1:9' },
    ...{ ADMINISTRATOR_APPLICATION_TOKEN: applicationToken, ADMINISTRATOR_API_TOKEN: apiToken },
  };
  const { url, pid, out } = await start({ ...files(secrets), MAIL_FROM: 'ops@example.com' });

  // A ledger whose plugin runs in its own process.
  const tenant = await addTenant(url, administrator, 'one');
  const { api } = tenant;
  await api.expect(201, 'POST', '/v1/plugins', {
    ...{
      name: 'P',
      projectId: tenant.projectId,
      url: 'npm:@ledger-ops/plugin-ethereum',
      tags: ['ethereum'],
    },
  });
  await api.expect(201, 'POST', '/v1/ledgers', {
    ...{ ledgerID: 'own', name: 'Own', ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
  });
  await api.expect(201, 'POST', '/v1/nodes', {
    ...{ nodeID: 'own-node', ledgerID: 'own', options: { uri: anvil.url } },
  });
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId: 'alice', ledgerId: 'own' },
    pluginParameters: { walletPassword: 'correct horse battery staple' },
  });

  const started = childrenOf(pid);
  expect(started.length).toBeGreaterThan(0);
  for (const process of [pid, ...started]) {
    const shown = [
      readFileSync(`/proc/${process}/environ`, 'utf8'),
      readFileSync(`/proc/${process}/cmdline`, 'utf8'),
    ];
    for (const [name, value] of Object.entries(secrets)) {
      expect([process, name, shown.some((text) => text.includes(value))]).toEqual([process, name, false]);
    }
  }
  // Shows that the environments can be read: the launcher's contains only PATH, and the plugin's is empty.
  const environments = new Set(started.map((process) => readFileSync(`/proc/${process}/environ`, 'utf8')));
  environments.delete('PATH=/usr/sbin:/usr/bin:/sbin:/bin\0');
  expect([...environments]).toEqual(['']);
  expect(out()).not.toContain('secrets in the environment');
}, 300_000);
