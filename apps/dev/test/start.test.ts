import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openPostgres } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { endAll, freePort, type Run, run } from '../../../testing/children.ts';
import { isFaultsRun } from '../../../testing/faults.ts';
import { openFolder } from '../../../testing/folder.ts';
import { openCaller } from '../src/caller.ts';
import { everySetting } from './every-setting.ts';

const main = new URL('../src/main.ts', import.meta.url);

/** Process ids of all descendants of a process. */
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

/** Waits until the server is up, even on a busy machine. @throws Error with its output if it exits first */
async function serving({ code, out, err }: Run): Promise<void> {
  const ended = code.then((status) => {
    throw new Error(`It ended with ${status}: ${err()}`);
  });
  const isServing = vi.waitFor(() => expect(out()).toContain('Ctrl-C stops the server'), {
    timeout: 280_000,
  });
  await Promise.race([ended, isServing]);
}

const environment = async (dataDir: string) => ({
  DATA_DIR: dataDir,
  PORT: String(await freePort()),
  ANVIL_PORT: String(await freePort()),
  SOLANA_PORT: String(await freePort()),
});

describe('the development server', { timeout: 300_000 }, () => {
  let folder: Awaited<ReturnType<typeof openFolder>>;
  let dataDir: string;
  let settings: Awaited<ReturnType<typeof environment>>;
  let served: Run;
  /** Content of dev.json after the first start. */
  let firstFile: string;
  const path = () => join(dataDir, 'dev.json');
  const told = () => JSON.parse(readFileSync(path(), 'utf8'));
  const commands = () => readFileSync(join(dataDir, 'commands.sh'), 'utf8');
  /** Starts the server with `--once`; returns its output. */
  const startOnce = async (environment: Record<string, string>) => {
    const { code, out, err } = run(main, environment, ['--once']);
    expect([await code, err()]).toEqual([0, '']);
    return out();
  };
  // The tests run in order on one data folder, because each start takes seconds.
  beforeAll(async () => {
    folder = await openFolder();
    dataDir = join(folder.path, 'data');
    settings = await environment(dataDir);
    served = run(main, { ...settings, ANVIL_BLOCK_TIME: '0.2' });
    await serving(served);
    firstFile = readFileSync(path(), 'utf8');
  }, 300_000);
  afterAll(async () => {
    await endAll();
    await folder?.remove();
  });

  test('the development server sends a first transfer and a first call, and writes a file for scripts', () => {
    expect(served.out()).toMatch(/SUCCEEDED {2}0x[0-9a-f]{64}\n/);
    expect(served.out()).toMatch(/SUCCEEDED {2}[0-9a-f]{64}\n/);
    expect(served.out()).toMatch(/SUCCEEDED {2}[1-9A-HJ-NP-Za-km-z]{87,88}\n/);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(told()).toMatchObject({
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
          profile: join(dataDir, 'fabric-profile', 'profile.json'),
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
  });

  test('the development server prints the console’s address, a sign-in that works, and the next command', async () => {
    const [, consoleUrl = '', username, password] =
      /^Console +(\S+)\nSign in +(\S+), password (\S+)\nNext +ledger-ops login --file .+\/dev\.json && ledger-ops action list$/m.exec(
        served.out(),
      ) ?? [];
    const signedIn = await fetch(new URL('/v1/auth/login', consoleUrl), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username, password }),
    });
    expect(signedIn.status).toBe(200);
    expect(served.out()).toMatch(/^ {2}Fabric network: ready after \d+\.\d s$/m);
  });

  test('the development server writes commands that work when pasted, and the commands of the guide work', async () => {
    expect(statSync(join(dataDir, 'commands.sh')).mode & 0o777).toBe(0o600);
    const lines = commands().split('\n');
    const after = (title: string) => lines[lines.findIndex((line) => line.startsWith(title)) + 1] ?? '';
    const first = lines.findIndex((line) => line.includes('Paste this first'));
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
      return await vi.waitFor(isThere, { timeout: 240_000 });
    };
    const action = await succeeded(actionId);
    const call = lines[lines.findIndex((line) => line.startsWith('CONTRACT=')) + 1] ?? '';
    expect(await paste(`CONTRACT=${action.contractAddress}\n${call}`)).toMatchObject({ status: 'PENDING' });
    expect(await paste(after('# Search'))).toMatchObject({ contentType: 'ActionPage' });

    const create = lines[lines.findIndex((line) => line.startsWith('ASSET=')) + 1] ?? '';
    const created = await paste(`ASSET=pasted\n${create}`);
    await succeeded(created.actionId);
    const { result } = await paste(after('# Read it'));
    // An unregistered chaincode has no interface, so its result is the raw string.
    expect(JSON.parse(result)).toContainEqual(expect.objectContaining({ ID: 'pasted', Owner: 'carol' }));
    await succeeded((await paste(after('# Transfer on Fabric'))).actionId);
    await succeeded((await paste(after('# Transfer on Solana'))).actionId);

    // All commands of the guide, in order, in one shell.
    const guide = ['getting-started', 'tokens', 'first-send', 'errors', 'pages', 'idempotency'].flatMap(
      (name) => {
        const page = readFileSync(new URL(`../../../docs/guide/${name}.md`, import.meta.url), 'utf8');
        return [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, lines]) => `${lines}echo "# ${name}"`);
      },
    );
    // The first commands of the README.
    const blocksOf = (name: string) => {
      const page = readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
      return [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, lines = '']) => lines);
    };
    guide.push(blocksOf('README.md').find((lines) => lines.startsWith('dev()')) ?? 'exit 1');
    // The commands of the events page. The steps between them send the action that the page's stream and contract
    // examples name.
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
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', guide.join('\n')], {
      cwd: folder.path,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    expect([await new Promise((resolve) => shell.once('close', resolve)), said]).toEqual([
      0,
      expect.stringMatching(
        /"status":"SUCCEEDED".*"summary".*"pointer":"\/walletId".*(?:\n[\w-]{36}){3,}\n+# pages\n# idempotency\n\[\{.*\}\]\n+# idempotency\nSUCCEEDED 0x[0-9a-fA-F]{40}\n.*"secret":"whsec_[^"]+"\}.*\n# stream\n.*"contractId":"coin".*"status":"ACTIVE".*\}\n?$/s,
      ),
    ]);
  });

  test('Ctrl-C stops the server and all development networks', async () => {
    served.child.kill('SIGINT');
    expect(await served.code).toBe(0);
    for (const port of [settings.PORT, settings.ANVIL_PORT, settings.SOLANA_PORT]) {
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    }
  });

  test.runIf(isFaultsRun)(
    'the development server starts with every setting changed, on an empty database, with existing ledgers',
    async () => {
      const cluster = await openPostgres();
      try {
        const out = await startOnce({
          ...everySetting(folder.path),
          ...(await environment(dataDir)),
          DATABASE_URL: await cluster.createDatabase({ bare: true }),
          METRICS_PORT: String(await freePort()),
          ANVIL_BLOCK_TIME: '0.1',
          // The default depends on whether the machine supports namespaces.
          PLUGIN_ISOLATION: 'best',
          // Enables traces without a receiver; this must not affect the operations.
          OTEL_SDK_DISABLED: 'false',
        });
        expect(out).toMatch(/^HOST 0\.0\.0\.0 is ignored: /);
        expect(out).toMatch(/^Ethereum: transfer /m);
      } finally {
        await cluster.stop();
      }
      // The Fabric CA has already enrolled carol, but her key is in the other database, so a new wallet is created.
      expect(told().wallets).toMatchObject([
        { walletId: 'alice' },
        { walletId: 'bob' },
        { walletId: 'erin' },
        { walletId: 'frank' },
        { walletId: expect.stringMatching(/^carol-/) },
        { walletId: expect.stringMatching(/^dave-/) },
      ]);
    },
  );

  test.runIf(isFaultsRun)(
    'the development server accepts ledgers that were reset, and creates new wallets where necessary',
    async () => {
      writeFileSync(path(), firstFile);
      rmSync(join(dataDir, 'fabric'), { recursive: true });
      rmSync(join(dataDir, 'anvil-state.json'));
      for (const name of readdirSync(dataDir))
        if (name.startsWith('solana-state.sqlite')) rmSync(join(dataDir, name));
      expect(await startOnce(await environment(dataDir))).toMatch(
        /^Fabric: carol was enrolled with a former network.* carol-\w+ replaces it\./m,
      );
      const { applicationToken, person, wallets } = told();
      expect({ applicationToken, person }).toEqual({
        applicationToken: JSON.parse(firstFile).applicationToken,
        person: { ...JSON.parse(firstFile).person, email: 'developer@localhost' },
      });
      expect(wallets).toMatchObject([
        { walletId: 'alice' },
        { walletId: 'bob' },
        { walletId: expect.stringMatching(/^erin-/) },
        { walletId: expect.stringMatching(/^frank-/) },
        { walletAddress: expect.stringMatching(/^Org1MSP\/carol-/) },
        { walletAddress: expect.stringMatching(/^Org1MSP\/dave-/) },
      ]);
    },
  );

  test('the development server adds an example company with --demo, reuses all ledgers, and stops them when it is killed', async () => {
    const kept = ({ applicationToken, person, wallets }: Record<string, unknown>) => ({
      ...{ applicationToken, person, wallets },
    });
    const known = kept(told());
    const again = run(main, await environment(dataDir), ['--demo']);
    await serving(again);
    expect(again.out()).not.toContain('former network');
    expect(kept(told())).toEqual(known);
    expect(told().demo).toMatchObject({ isComplete: true });
    const counts = await (await openCaller(told())).call('GET', '/v1/ledger-ops/actions/counts');
    // One action was canceled, and the contract reverted another one.
    expect(counts).toMatchObject({ status: { FAILED: 2 }, pending: { suspended: 1, dependencies: 1 } });

    const started = descendants(again.child.pid ?? 0);
    // At least five processes: the chain, the Solana ledger, the Fabric network, and two chaincodes.
    expect(started.length).toBeGreaterThanOrEqual(5);
    again.child.kill('SIGKILL');
    await again.code;
    await vi.waitFor(() => expect(started.filter(isAlive)).toEqual([]), { timeout: 30_000 });
  });

  test('if a port is in use, the error contains its setting', async () => {
    const folder = await openFolder();
    const settings = await environment(folder.path);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(settings.ANVIL_PORT), '127.0.0.1', resolve));
    const { code, err } = run(main, settings);
    expect(await code).toBe(2);
    expect(err()).toBe(
      `ANVIL_PORT: port ${settings.ANVIL_PORT} is in use by another program. Set ANVIL_PORT to another port.\n`,
    );
    await new Promise((resolve) => other.close(resolve));
    await folder.remove();
  });
});
