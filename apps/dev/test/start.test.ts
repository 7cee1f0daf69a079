import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { endAll, freePort, openFolder, run } from '../../../testing/children.ts';

const main = new URL('../src/main.ts', import.meta.url);
let folder: Awaited<ReturnType<typeof openFolder>>;
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(async () => {
  await endAll();
  await folder.remove();
});

/** Process ids of everything that a process started, and of what those started. */
function descendants(pid: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const children = table.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the development server', () => {
  const environment = async () => ({
    DATA_DIR: folder.path,
    PORT: String(await freePort()),
    ANVIL_PORT: String(await freePort()),
  });

  test('sends a first transfer and a first call, and a later start finds everything again', async () => {
    const first = run(main, await environment(), ['--once']);
    expect([await first.code, first.err()]).toEqual([0, '']);
    expect(first.out()).toMatch(/SUCCEEDED {2}0x[0-9a-f]{64}\n/);
    expect(first.out()).toMatch(/SUCCEEDED {2}[0-9a-f]{64}\n/);
    const path = join(folder.path, 'dev.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const written = JSON.parse(readFileSync(path, 'utf8'));
    expect(written).toMatchObject({
      clientId: 'dev-app',
      organizationId: 'dev-organization',
      projectId: 'dev',
      ledgers: [
        {
          ledgerId: 'dev-ethereum',
          technology: 'ethereum',
          rpcUrl: expect.stringContaining('http://127.0.0.1:'),
        },
        {
          ledgerId: 'dev-fabric',
          technology: 'hyperledger-fabric',
          channel: 'ledger',
          chaincodes: ['assets', 'token'],
          profile: join(folder.path, 'fabric-profile', 'profile.json'),
        },
      ],
      wallets: [
        { walletId: 'alice' },
        { walletId: 'bob' },
        { walletId: 'carol', ledgerId: 'dev-fabric', walletAddress: 'Org1MSP/carol' },
        { walletId: 'dave', ledgerId: 'dev-fabric', walletAddress: 'Org1MSP/dave' },
      ],
      templates: [{ templateId: 'dev-token', version: '1', name: 'Token' }],
    });

    // Both ports moved meanwhile.
    const second = run(main, await environment(), ['--once']);
    expect([await second.code, second.err()]).toEqual([0, '']);
    const again = JSON.parse(readFileSync(path, 'utf8'));
    expect([again.applicationToken, again.wallets]).toEqual([written.applicationToken, written.wallets]);

    rmSync(path);
    const third = run(main, await environment(), ['--once']);
    expect([await third.code, third.err()]).toEqual([0, '']);
    const anew = JSON.parse(readFileSync(path, 'utf8'));
    expect(anew.applicationToken).not.toBe(written.applicationToken);
    expect(anew.wallets[0].walletId).toMatch(/^alice-/);
    expect(anew.wallets[2].walletAddress).toMatch(/^Org1MSP\/carol-/);
  }, 180_000);

  test('takes a network that begins anew, because its folder was deleted, as it takes a chain that does', async () => {
    const first = run(main, await environment(), ['--once']);
    expect([await first.code, first.err()]).toEqual([0, '']);
    rmSync(join(folder.path, 'fabric'), { recursive: true });
    rmSync(join(folder.path, 'anvil-state.json'));
    const second = run(main, await environment(), ['--once']);
    expect([await second.code, second.err()]).toEqual([0, '']);
    expect(second.out()).toMatch(/^Fabric: .*carol was enrolled with a network that is no more.* carol-\w+/m);
    const { wallets } = JSON.parse(readFileSync(join(folder.path, 'dev.json'), 'utf8'));
    expect(wallets).toMatchObject([
      { walletId: 'alice' },
      { walletId: 'bob' },
      { walletAddress: expect.stringMatching(/^Org1MSP\/carol-\w+$/) },
      { walletAddress: expect.stringMatching(/^Org1MSP\/dave-\w+$/) },
    ]);
    const third = run(main, await environment(), ['--once']);
    expect([await third.code, third.err()]).toEqual([0, '']);
    expect(third.out()).not.toContain('no more');
    expect(JSON.parse(readFileSync(join(folder.path, 'dev.json'), 'utf8')).wallets).toEqual(wallets);
  }, 180_000);

  test('begins anew on ledgers that are kept, when only its database was deleted', async () => {
    const first = run(main, await environment(), ['--once']);
    expect([await first.code, first.err()]).toEqual([0, '']);
    for (const name of readdirSync(folder.path))
      if (name.startsWith('ledger-ops.sqlite')) rmSync(join(folder.path, name));
    const second = run(main, await environment(), ['--once']);
    expect([await second.code, second.err()]).toEqual([0, '']);
    const { wallets } = JSON.parse(readFileSync(join(folder.path, 'dev.json'), 'utf8'));
    // The network's CA knows carol, whose key was in the database.
    expect(wallets).toMatchObject([
      { walletId: 'alice' },
      { walletId: 'bob' },
      { walletId: expect.stringMatching(/^carol-/) },
      { walletId: expect.stringMatching(/^dave-/) },
    ]);
  }, 120_000);

  test('prints lines that work when they are pasted, serves, and Ctrl-C ends everything', async () => {
    const settings = await environment();
    const { child, code, out } = run(main, settings);
    await vi.waitFor(() => expect(out()).toContain('Ctrl-C ends it'), { timeout: 90_000 });
    const lines = out().split('\n');
    const after = (title: string) => lines[lines.findIndex((line) => line.startsWith(title)) + 1] ?? '';
    const login = lines.filter((line) => /^(BASE|TOKEN)=/.test(line)).join('\n');
    const paste = async (line: string) => {
      const shell = spawn('/bin/sh', ['-c', `${login}\n${line}`], { stdio: ['ignore', 'pipe', 'inherit'] });
      let text = '';
      for await (const chunk of shell.stdout) text += chunk;
      return JSON.parse(text);
    };
    expect(await paste(after('# Transfer'))).toMatchObject({ status: 'PENDING' });
    const { actionId } = await paste(after('# Deploy'));
    const succeeded = async (id: string) => {
      const search = after('# Search').replace(/\/wallets\/.*\/actions\?size=5/, `/actions/${id}`);
      const isThere = async () => {
        const found = await paste(search);
        expect(found).toMatchObject({ status: 'SUCCEEDED' });
        return found;
      };
      return await vi.waitFor(isThere, { timeout: 60_000 });
    };
    const action = await succeeded(actionId);
    const call = lines[lines.findIndex((line) => line.startsWith('CONTRACT=')) + 1] ?? '';
    expect(await paste(`CONTRACT=${action.contractAddress}\n${call}`)).toMatchObject({ status: 'PENDING' });
    expect(await paste(after('# Search'))).toMatchObject({ contentType: 'ActionPage' });

    const create = lines[lines.findIndex((line) => line.startsWith('ASSET=')) + 1] ?? '';
    const created = await paste(`ASSET=pasted\n${create}`);
    await succeeded(created.actionId);
    const { result } = await paste(after('# Read it'));
    // An unregistered chaincode's answer is the text that it gave.
    expect(JSON.parse(result)).toContainEqual(expect.objectContaining({ ID: 'pasted', Owner: 'carol' }));
    await succeeded((await paste(after('# Transfer on Fabric'))).actionId);

    child.kill('SIGINT');
    expect(await code).toBe(0);
    for (const port of [settings.PORT, settings.ANVIL_PORT]) {
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    }
  }, 240_000);

  test('takes everything that it started along when it is killed', async () => {
    const { child, code, out } = run(main, await environment());
    await vi.waitFor(() => expect(out()).toContain('Ctrl-C ends it'), { timeout: 90_000 });
    const started = descendants(child.pid ?? 0);
    // The chain, the network, and a process for each of the two chaincodes at least.
    expect(started.length).toBeGreaterThanOrEqual(4);
    child.kill('SIGKILL');
    await code;
    await vi.waitFor(() => expect(started.filter(isAlive)).toEqual([]), { timeout: 30_000 });
  }, 150_000);

  test('says which port is taken', async () => {
    const settings = await environment();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(settings.ANVIL_PORT), '127.0.0.1', resolve));
    const { code, err } = run(main, settings);
    expect(await code).toBe(2);
    expect(err()).toBe(
      `ANVIL_PORT ${settings.ANVIL_PORT} is taken by another program; set ANVIL_PORT to another one.\n`,
    );
    await new Promise((resolve) => other.close(resolve));
  });
});
