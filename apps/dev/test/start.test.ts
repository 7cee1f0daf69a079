import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
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
    SOLANA_PORT: String(await freePort()),
  });

  // One story, since each start costs seconds: what a start finds of the ones before.
  test('sends a first transfer and a first call, and finds again what was not deleted meanwhile', async () => {
    const start = async () => {
      const { code, out, err } = run(main, await environment(), ['--once']);
      expect([await code, err()]).toEqual([0, '']);
      return out();
    };
    const told = () => JSON.parse(readFileSync(path, 'utf8'));
    const path = join(folder.path, 'dev.json');

    const first = await start();
    expect(first).toMatch(/SUCCEEDED {2}0x[0-9a-f]{64}\n/);
    expect(first).toMatch(/SUCCEEDED {2}[0-9a-f]{64}\n/);
    expect(first).toMatch(/SUCCEEDED {2}[1-9A-HJ-NP-Za-km-z]{87,88}\n/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const written = told();
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
          ledgerId: 'dev-solana',
          technology: 'solana',
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
        { walletId: 'erin', ledgerId: 'dev-solana' },
        { walletId: 'frank', ledgerId: 'dev-solana' },
        { walletId: 'carol', ledgerId: 'dev-fabric', walletAddress: 'Org1MSP/carol' },
        { walletId: 'dave', ledgerId: 'dev-fabric', walletAddress: 'Org1MSP/dave' },
      ],
      templates: [{ templateId: 'dev-token', version: '1', name: 'Token' }],
    });

    // Ledgers are kept, and the network's CA knows carol, whose key was in the database.
    for (const name of readdirSync(folder.path))
      if (name.startsWith('ledger-ops.sqlite')) rmSync(join(folder.path, name));
    await start();
    expect(told().wallets).toMatchObject([
      { walletId: 'alice' },
      { walletId: 'bob' },
      { walletId: 'erin' },
      { walletId: 'frank' },
      { walletId: expect.stringMatching(/^carol-/) },
      { walletId: expect.stringMatching(/^dave-/) },
    ]);

    // A network that begins anew is taken as a chain that does.
    rmSync(join(folder.path, 'fabric'), { recursive: true });
    rmSync(join(folder.path, 'anvil-state.json'));
    for (const name of readdirSync(folder.path))
      if (name.startsWith('solana-state.sqlite')) rmSync(join(folder.path, name));
    const onNewLedgers = await start();
    expect(onNewLedgers).toMatch(
      /^Fabric: carol-\w+ was enrolled with a network that is no more.* stands carol\./m,
    );
    const known = told();
    expect(known.wallets).toMatchObject([
      { walletId: 'alice' },
      { walletId: 'bob' },
      { walletId: expect.stringMatching(/^erin-/) },
      { walletId: expect.stringMatching(/^frank-/) },
      { walletAddress: 'Org1MSP/carol' },
      { walletAddress: 'Org1MSP/dave' },
    ]);
    // All ports moved meanwhile.
    expect(await start()).not.toContain('no more');
    const again = told();
    const kept = ({ applicationToken, person, wallets }: Record<string, unknown>) => ({
      ...{ applicationToken, person, wallets },
    });
    expect(kept(again)).toEqual(kept(known));
    expect(known.person.email).toBe('developer@localhost');

    rmSync(path);
    const served = run(main, await environment());
    await vi.waitFor(() => expect(served.out()).toContain('Ctrl-C ends it'), { timeout: 90_000 });
    const anew = told();
    expect(anew.applicationToken).not.toBe(written.applicationToken);
    expect(anew.person.email).toMatch(/^developer-\w{6}@localhost$/);
    expect(anew.wallets[0].walletId).toMatch(/^alice-/);
    expect(anew.wallets[4].walletAddress).toMatch(/^Org1MSP\/carol-/);

    // Killed, it takes everything along that it started.
    const started = descendants(served.child.pid ?? 0);
    // The chain, the Solana ledger, the network, and a process for each of the two chaincodes at least.
    expect(started.length).toBeGreaterThanOrEqual(5);
    served.child.kill('SIGKILL');
    await served.code;
    await vi.waitFor(() => expect(started.filter(isAlive)).toEqual([]), { timeout: 30_000 });
  }, 300_000);

  test('prints lines that work when they are pasted, serves, and Ctrl-C ends everything', async () => {
    const settings = await environment();
    const { child, code, out } = run(main, settings);
    await vi.waitFor(() => expect(out()).toContain('Ctrl-C ends it'), { timeout: 90_000 });
    const [, consoleUrl = '', username, password] =
      /^Console +(\S+) {2}as (\S+) {2}password (\S+)$/m.exec(out()) ?? [];
    const signedIn = await fetch(new URL('/v1/auth/login', consoleUrl), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username, password }),
    });
    expect(signedIn.status).toBe(200);
    const lines = out().split('\n');
    const after = (title: string) => lines[lines.findIndex((line) => line.startsWith(title)) + 1] ?? '';
    const first = lines.findIndex((line) => line.startsWith('# Paste this first'));
    const login = lines.slice(first, lines.indexOf('', first)).join('\n');
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
    await succeeded((await paste(after('# Transfer on Solana'))).actionId);

    // Everything that the guide says to type, in its order, in one shell.
    const guide = ['getting-started', 'tokens', 'first-send', 'errors', 'pages', 'idempotency'].flatMap(
      (name) => {
        const page = readFileSync(new URL(`../../../docs/guide/${name}.md`, import.meta.url), 'utf8');
        return [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, lines]) => `${lines}echo "# ${name}"`);
      },
    );
    // And what the README begins with.
    const blocksOf = (name: string) => {
      const page = readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
      return [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, lines = '']) => lines);
    };
    guide.push(blocksOf('README.md').find((lines) => lines.startsWith('dev()')) ?? 'exit 1');
    // Then all of the page of events: with a stream open, an action, and the contract that it names.
    const [webhook, stream, contract, ...others] = blocksOf('docs/events.md');
    expect([contract !== undefined, others]).toEqual([true, []]);
    guide.push(
      `${webhook}\n${stream?.trimEnd()} >stream.txt & STREAM=$!`,
      'until [ -s stream.txt ]; do sleep 0.1; done',
      `COIN=$(api "$BASE/v1/ledger-ops/send" -d @- <<EOF | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).actionId'
{"walletId": "$(dev 'wallets[0].walletId')", "walletPassword": "$(dev 'wallets[0].walletPassword')", "registration": {"contractId": "coin"},
  "glo": {"version": "0.1.0", "type": "contract_deploy", "options": {"args": ["Coin", "COIN", "10"], "contract_source":
  {"lookup_service": {"type": "service", "value": "service"}, "resource": "$TEMPLATE"}}}}
EOF
)`,
      'until grep -q "$COIN" stream.txt; do sleep 0.1; done',
      'pkill -P $STREAM; wait $STREAM || echo "# stream"',
      `${contract}`,
    );
    symlinkSync(folder.path, join(folder.path, 'data'));
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', guide.join('\n')], {
      cwd: folder.path,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let told = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (chunk) => {
        told += chunk;
      });
    expect([await new Promise((resolve) => shell.once('close', resolve)), told]).toEqual([
      0,
      expect.stringMatching(
        /"status":"SUCCEEDED".*"summary".*"pointer":"\/walletId".*(?:\n[\w-]{36}){3,}\n+# pages\n# idempotency\n.*"actionId".*"secret":"whsec_[^"]+"\}.*\n# stream\n.*"contractId":"coin".*"status":"ACTIVE".*\}\n?$/s,
      ),
    ]);

    child.kill('SIGINT');
    expect(await code).toBe(0);
    for (const port of [settings.PORT, settings.ANVIL_PORT, settings.SOLANA_PORT]) {
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    }
  }, 300_000);

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
