// Each restart uses a new container, as container platforms do: with a new host name and machine id, and
// sometimes with the volume's content on a new file system. A restart must not raise an alarm, but a
// different database must.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseFile } from '../../src/database-place.ts';
import { balanceOf, freshAddress } from './chain.ts';
import { ContainerRoot, ContainerServer } from './container-server.ts';
import { createChance } from './faults.ts';
import { transferTo } from './product.ts';
import { loseHeartbeat } from './snapshots.ts';

/** Number of restarts in each test. */
const restarts = 30;
const masterKey = '07'.repeat(32);
const password = 'correct horse battery staple';

const made = ContainerRoot.create();
if (typeof made === 'string') console.warn(`Skipped: restarts of containers, because ${made}.`);

describe.skipIf(typeof made === 'string')('containers', () => {
  const root = made as ContainerRoot;
  let anvil: Anvil;
  let postgres: PostgresCluster;
  let folder: string;
  let mounts: string[];
  let server: ContainerServer | undefined;

  beforeAll(async () => {
    [anvil, postgres] = await Promise.all([startAnvil(), openPostgres()]);
  });
  afterAll(async () => {
    await postgres?.stop();
    await anvil?.stop();
    root.remove();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ledger-ops-volumes-'));
    mounts = [];
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    for (const mount of mounts) execFileSync('umount', [mount]);
    rmSync(folder, { recursive: true });
  });

  function newVolume(): string {
    const volume = join(folder, `volume-${readdirSync(folder).length}`);
    mkdirSync(volume);
    return volume;
  }

  /** Copies a volume to a new file system, as platforms do if they restore the volume on another node. */
  function copyToNewFileSystem(volume: string): string {
    const copy = newVolume();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m', 'none', copy]);
    mounts.push(copy);
    cpSync(volume, copy, { recursive: true, preserveTimestamps: true });
    return copy;
  }

  async function start(volume: string, databaseUrl?: string, more = {}): Promise<ContainerServer> {
    server = await ContainerServer.start({
      root,
      rpcUrl: anvil.url,
      volume,
      masterKey,
      databaseUrl,
      ...more,
    });
    return server;
  }

  /** Creates an exclusive wallet with an imported key. */
  async function addWallet(running: ContainerServer) {
    const { address, privateKey } = Wallet.createRandom();
    await anvil.rpc('anvil_setBalance', [address, '0x3635c9adc5dea00000']);
    await (await running.api()).expect(201, 'POST', '/v1/cloud-wallet/wallets', {
      ...{ walletId: 'payer', ledgerId: 'dev-ethereum', exclusive: true },
      pluginParameters: { walletPassword: password, privateKey },
    });
    return { walletId: 'payer', password, address, privateKey };
  }
  type TestWallet = Awaited<ReturnType<typeof addWallet>>;

  async function send(running: ContainerServer, wallet: TestWallet, target: string): Promise<string> {
    const api = await running.api();
    const { actionId = '' } = await api.expect(
      201,
      'POST',
      '/v1/ledger-ops/send',
      transferTo(wallet, target, 3),
    );
    return actionId;
  }

  async function expectNoAlarm(running: ContainerServer): Promise<void> {
    expect(await running.readyz()).toMatchObject({ readOnly: false });
    const api = await running.api();
    expect(await api.expect(200, 'GET', '/v1/ledger-ops/suspensions')).toMatchObject({ suspensions: [] });
    expect(running.output.join('')).not.toMatch(/database\.not-adopted|wallet\.unknown-transactions/);
  }

  const isPaid = (target: string) =>
    expect.poll(() => balanceOf(anvil, target), { timeout: 60_000 }).toBe(3n);

  test.each(['SQLite', 'PostgreSQL'])(
    `%s: ${restarts} restarts in new containers do not raise an alarm, and every payment is made once`,
    async (kind) => {
      const databaseUrl = kind === 'PostgreSQL' ? await postgres.createDatabase() : undefined;
      let volume = newVolume();
      const first = await start(volume, databaseUrl);
      const wallet = await addWallet(first);
      const chance = createChance(`containers ${kind}`);
      const targets: string[] = [];
      const counts = { stops: 0, kills: 0, fileSystems: 0, lostHeartbeats: 0 };
      for (let round = 0; round < restarts; round += 1) {
        const running = server as ContainerServer;
        const target = freshAddress();
        targets.push(target);
        await send(running, wallet, target);
        const [isKill, change] = [chance(0, 3) === 0, round === 0 ? 0 : chance(0, 3)];
        if (isKill) await running.kill();
        else expect(await running.stop()).toBe(0);
        counts[isKill ? 'kills' : 'stops'] += 1;
        if (change === 0) {
          const copy = copyToNewFileSystem(volume);
          const [old] = mounts.length > 1 ? mounts.splice(0, 1) : [];
          if (old !== undefined) execFileSync('umount', [old]);
          volume = copy;
          counts.fileSystems += 1;
        } else if (change === 1 && databaseUrl !== undefined) {
          // Without its own volume, a server on PostgreSQL starts with an empty data folder.
          loseHeartbeat(volume);
          counts.lostHeartbeats += 1;
        }
        await expectNoAlarm(await start(volume, databaseUrl));
      }
      for (const target of targets) await isPaid(target);
      await expectNoAlarm(server as ContainerServer);
      console.log(`${kind}: ${restarts} containers, no alarm: ${JSON.stringify(counts)}`);
    },
    1_200_000,
  );

  async function expectReadOnly(running: ContainerServer, reason: RegExp): Promise<void> {
    expect(await running.readyz()).toMatchObject({ readOnly: true });
    await expect.poll(() => running.output.join(''), { timeout: 30_000 }).toMatch(reason);
  }

  test('a server is read-only on a volume copied to another base URL, and on a database file from an earlier state', async () => {
    const volume = newVolume();
    const running = await start(volume);
    const wallet = await addWallet(running);
    await running.stop();
    const snapshot = join(folder, 'snapshot');
    copyFileSync(join(volume, databaseFile), snapshot);
    const again = await start(volume);
    const target = freshAddress();
    await send(again, wallet, target);
    await isPaid(target);
    await again.stop();

    const staging = copyToNewFileSystem(volume);
    const copied = await start(staging, undefined, { baseUrl: 'https://staging.example' });
    await expectReadOnly(copied, /it is another file at \/data\/ledger-ops\.sqlite with the address/);
    await copied.stop();

    copyFileSync(snapshot, join(volume, databaseFile));
    await expectReadOnly(await start(volume), /The database was restored to an earlier state/);
  }, 300_000);

  test('a server in a container is read-only on a restored dump', async () => {
    const [volume, databaseUrl] = [newVolume(), await postgres.createDatabase()];
    const running = await start(volume, databaseUrl);
    await addWallet(running);
    await running.stop();
    const restored = await start(volume, await postgres.copyDatabase(databaseUrl));
    await expectReadOnly(restored, /This is not the database that the installation used/);
  }, 300_000);
});
