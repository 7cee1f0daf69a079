import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freePort, openFolder } from './harness.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
const children = new Set<ChildProcess>();
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await folder.remove();
});

interface Run {
  child: ChildProcess;
  out(): string;
  err(): string;
  code: Promise<number | null>;
}

function run(entry: string, environment: Record<string, string>, args: string[] = []): Run {
  const path = new URL(`../src/${entry}`, import.meta.url).pathname;
  const child = spawn(process.execPath, ['--conditions=@ledger-ops/source', path, ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  const code = new Promise<number | null>((resolve) =>
    child.once('close', (value) => {
      children.delete(child);
      resolve(value);
    }),
  );
  return { child, out: () => out, err: () => err, code };
}

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

const MASTER_KEY = Buffer.alloc(32, 3).toString('base64');

describe('the deployer’s entry', () => {
  test('ends with 2 and one line when the configuration is wrong', async () => {
    const { code, err } = run('main.ts', { MASTER_KEY, PORT: 'x' });
    expect(await code).toBe(2);
    expect(err()).toBe('PORT must be a whole number from 0 to 65535.\n');
  });

  test('makes an administrator, serves, and ends with 0 at SIGTERM', async () => {
    const port = await freePort();
    const DATA_DIR = folder.path;
    const { child, code, out } = run('main.ts', { MASTER_KEY, PORT: String(port), DATA_DIR });
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
      timeout: 60_000,
    });
    const file = join(DATA_DIR, 'administrator.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { applicationToken, apiToken, clientId, serviceAccount } = JSON.parse(readFileSync(file, 'utf8'));
    const token = await fetch(`${url}/v1/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        service_account: serviceAccount,
        client_secret: apiToken,
      }),
    });
    expect(token.status).toBe(200);
    child.kill('SIGTERM');
    expect(await code).toBe(0);
    expect(existsSync(join(DATA_DIR, 'administrator.json.new'))).toBe(false);
    expect(out()).toContain('"listening"');
    expect(out()).not.toContain(apiToken);
    expect(out()).not.toContain(applicationToken);
  }, 120_000);
});

describe('the development server', () => {
  const environment = async () => ({
    DATA_DIR: folder.path,
    PORT: String(await freePort()),
    ANVIL_PORT: String(await freePort()),
  });

  test('sends a first transfer and a first call, and a later start finds everything again', async () => {
    const first = run('dev/main.ts', await environment(), ['--once']);
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
    const second = run('dev/main.ts', await environment(), ['--once']);
    expect([await second.code, second.err()]).toEqual([0, '']);
    const again = JSON.parse(readFileSync(path, 'utf8'));
    expect([again.applicationToken, again.wallets]).toEqual([written.applicationToken, written.wallets]);

    rmSync(path);
    const third = run('dev/main.ts', await environment(), ['--once']);
    expect([await third.code, third.err()]).toEqual([0, '']);
    const anew = JSON.parse(readFileSync(path, 'utf8'));
    expect(anew.applicationToken).not.toBe(written.applicationToken);
    expect(anew.wallets[0].walletId).toMatch(/^alice-/);
    expect(anew.wallets[2].walletAddress).toMatch(/^Org1MSP\/carol-/);
  }, 180_000);

  test('takes a network that begins anew, because its folder was deleted, as it takes a chain that does', async () => {
    const first = run('dev/main.ts', await environment(), ['--once']);
    expect([await first.code, first.err()]).toEqual([0, '']);
    rmSync(join(folder.path, 'fabric'), { recursive: true });
    rmSync(join(folder.path, 'anvil-state.json'));
    const second = run('dev/main.ts', await environment(), ['--once']);
    expect([await second.code, second.err()]).toEqual([0, '']);
    expect(second.out()).toMatch(/^Fabric: .*carol was enrolled with a network that is no more.* carol-\w+/m);
    const { wallets } = JSON.parse(readFileSync(join(folder.path, 'dev.json'), 'utf8'));
    expect(wallets).toMatchObject([
      { walletId: 'alice' },
      { walletId: 'bob' },
      { walletAddress: expect.stringMatching(/^Org1MSP\/carol-\w+$/) },
      { walletAddress: expect.stringMatching(/^Org1MSP\/dave-\w+$/) },
    ]);
    const third = run('dev/main.ts', await environment(), ['--once']);
    expect([await third.code, third.err()]).toEqual([0, '']);
    expect(third.out()).not.toContain('no more');
    expect(JSON.parse(readFileSync(join(folder.path, 'dev.json'), 'utf8')).wallets).toEqual(wallets);
  }, 180_000);

  test('begins anew on ledgers that are kept, when only its database was deleted', async () => {
    const first = run('dev/main.ts', await environment(), ['--once']);
    expect([await first.code, first.err()]).toEqual([0, '']);
    for (const name of readdirSync(folder.path))
      if (name.startsWith('ledger-ops.sqlite')) rmSync(join(folder.path, name));
    const second = run('dev/main.ts', await environment(), ['--once']);
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
    const { child, code, out } = run('dev/main.ts', settings);
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
    const { child, code, out } = run('dev/main.ts', await environment());
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
    const { code, err } = run('dev/main.ts', settings);
    expect(await code).toBe(2);
    expect(err()).toBe(
      `ANVIL_PORT ${settings.ANVIL_PORT} is taken by another program; set ANVIL_PORT to another one.\n`,
    );
    await new Promise((resolve) => other.close(resolve));
  });
});
