// Follows pages whose commands start their own servers. Tutorials on a development server are in
// development.test.ts.
import { spawnSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startAnvil } from '@ledger-ops/devnet';
import { openPostgres } from '@ledger-ops/store/testing';
import { expect, test, vi } from 'vitest';
import { freePort } from '../../../testing/children.ts';
import { openFolder } from '../../../testing/folder.ts';
import { startedTime } from '../../../testing/machine-time.ts';
import { followPage, makeProgram } from '../../../testing/pages.ts';

vi.setConfig({ testTimeout: 300_000 });

const missingGo = spawnSync('go', ['version']).status !== 0;
const missingPrometheus = spawnSync('promtool', ['--version']).status !== 0;

/** Opens a reader's folder for the duration of a test. */
async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await openFolder();
  try {
    await makeProgram(folder.path);
    await use(folder.path);
  } finally {
    await folder.remove();
  }
}

test('docs/new-installation.md leads from an empty folder to a transfer within three minutes of processor time', async () => {
  const anvil = await startAnvil({ mining: 'automine' });
  try {
    await withFolder(async (folder) => {
      const port = String(await freePort());
      const BASE = `http://127.0.0.1:${port}`;
      const started = startedTime();
      const told = await followPage('docs/new-installation.md', {
        folder,
        environment: { NODE_URL: anvil.url, CHAIN_ID: '31337', BASE, PORT: port },
        ready: ['"listening"'],
      });
      expect(told).toContain('ada@acme.example');
      expect(told).toMatch(/\nhttp:\S+#\/init-user\?initToken=\S+\n/);
      expect(told).toMatch(/^SUCCEEDED: \S+, transaction 0x[0-9a-f]{64}$/m);
      expect(told).toMatch(/^treasury: 0x[0-9a-fA-F]{40}$/m);
      // Not checked if the system does not report processor time.
      if (!Number.isNaN(started)) expect(startedTime() - started).toBeLessThan(180);
    });
  } finally {
    await anvil.stop();
  }
});

test('in the PostgreSQL tutorial, the second server finishes a transfer after the first server has been killed', async () => {
  const [anvil, postgres] = await Promise.all([startAnvil({ mining: 'automine' }), openPostgres()]);
  try {
    await withFolder(async (folder) => {
      const told = await followPage('docs/tutorials/postgresql.md', {
        folder,
        environment: {
          POSTGRES: await postgres.createDatabase({ bare: true }),
          ...{ NODE_URL: anvil.url, CHAIN_ID: '31337' },
          ...{ FIRST_PORT: String(await freePort()), SECOND_PORT: String(await freePort()) },
        },
        skip: ['sudo -u postgres'],
      });
      expect(told).toMatch(/SUCCEEDED: /);
      expect(told).toMatch(/^balance +1 ETH$/m);
    });
  } finally {
    await Promise.all([anvil.stop(), postgres.stop()]);
  }
});

test('the Go tutorial checks its plugin with the conformance kit, runs it, and shows that the kit detects a fault', async ({
  skip,
}) => {
  skip(missingGo, 'Go is missing (apt-get install golang).');
  await withFolder(async (folder) => {
    const example = fileURLToPath(new URL('../../../examples/go-plugin', import.meta.url));
    await cp(example, join(folder, 'examples/go-plugin'), { recursive: true });
    const [plugin, kit, PORT] = [await freePort(), await freePort(), await freePort()];
    const cache = spawnSync('go', ['env', 'GOCACHE'], { encoding: 'utf8' }).stdout.trim();
    const told = await followPage('docs/tutorials/go.md', {
      folder,
      // The plugin uses only the standard library, so nothing is downloaded. Go's cache is in the real home
      // folder.
      environment: { GOCACHE: cache, GOPROXY: 'off', GOTOOLCHAIN: 'local', PORT: String(PORT) },
      replace: { '127.0.0.1:8080': `127.0.0.1:${plugin}`, '127.0.0.1:8081': `127.0.0.1:${kit}` },
      ready: [`http://127.0.0.1:${plugin}`, 'SUCCEEDED'],
    });
    const [proof = '', broken = ''] = told.match(/^\d+ passed, \d+ failed, \d+ skipped$/gm) ?? [];
    expect(proof).toMatch(/ 0 failed/);
    expect(broken).not.toMatch(/ 0 failed/);
    expect(told).toContain(
      'FAIL  as soon as the status of an operation is SUCCEEDED, the ledger contains its effects exactly once',
    );
    expect(told).toMatch(/^1$/m);
  });
});

test('the Prometheus tutorial fires an alert for a stopped server', async ({ skip }) => {
  skip(missingPrometheus, 'Prometheus is missing (apt-get install prometheus).');
  await withFolder(async (folder) => {
    const [PORT, METRICS_PORT, PROMETHEUS_PORT] = [await freePort(), await freePort(), await freePort()].map(
      String,
    ) as [string, string, string];
    const told = await followPage('docs/tutorials/prometheus.md', {
      folder,
      environment: {
        ...{ PORT, METRICS_PORT, PROMETHEUS_PORT },
        CLONE: fileURLToPath(new URL('../../..', import.meta.url)),
      },
      ready: ['Server is ready to receive web requests.'],
    });
    expect(told).toMatch(/^ALERTS\{.*LedgerOpsServerDown/m);
  });
});
