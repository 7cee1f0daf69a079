import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort } from '../../../testing/children.ts';
import { startAnvil } from './anvil.ts';
import { findAnvil } from './anvil-binary.ts';
import { DevnetError } from './error.ts';

const genesisOf = async (node: { rpc<T>(method: string, params: unknown[]): Promise<T> }) =>
  (await node.rpc<{ hash: string }>('eth_getBlockByNumber', ['0x0', false])).hash;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('The condition was not met within 30 s.');
    await delay(20);
  }
}

test('a started node responds, has funded accounts and creates blocks', async () => {
  const node = await startAnvil({ accounts: 12, balance: 5, chainId: 4242 });
  try {
    expect(await node.rpc('eth_chainId')).toBe('0x1092');
    expect(node.chainId).toBe(4242);
    expect(node.accounts).toHaveLength(12);
    expect(node.accounts[0]).toEqual({
      address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    });
    const balance = await node.rpc<string>('eth_getBalance', [node.accounts[11]?.address, 'latest']);
    expect(BigInt(balance)).toBe(5n * 10n ** 18n);
    await until(async () => Number(await node.rpc<string>('eth_blockNumber')) > 2);
    await expect(node.rpc('no_such_method')).rejects.toThrow(DevnetError);
  } finally {
    await node.stop();
  }
  expect(isRunning(node.pid)).toBe(false);
  await node.stop();
});

test('a call to a node that was killed reports how the node ended', async () => {
  const node = await startAnvil();
  await node.kill();
  await expect(node.rpc('eth_chainId')).rejects.toThrow('anvil exited (SIGKILL) before eth_chainId');
});

test('a stopped node leaves no files in the temporary folder', async () => {
  const left = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('ledger-ops-anvil-'));
  const before = new Set(await left());
  const node = await startAnvil();
  const own = (await left()).filter((name) => !before.has(name));
  expect(own.length).toBeGreaterThan(0);
  await node.stop();
  await until(async () => (await left()).every((name) => !own.includes(name)));
});

test('two nodes use different free ports', async () => {
  const nodes = await Promise.all([startAnvil({ mining: 'manual' }), startAnvil({ mining: 'manual' })]);
  expect(new Set(nodes.map(({ port }) => port)).size).toBe(2);
  expect(await nodes[0]?.rpc('eth_blockNumber')).toBe('0x0');
  await Promise.all(nodes.map((node) => node.kill()));
  expect(nodes.some(({ pid }) => isRunning(pid))).toBe(false);
});

test('blocks and genesis survive a clean stop with a state file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'devnet-'));
  const stateFile = join(folder, 'state.json');
  try {
    const port = await freePort();
    const first = await startAnvil({ stateFile, mining: 'manual', port });
    await first.rpc('anvil_mine', ['0x5']);
    const genesis = await genesisOf(first);
    await first.stop();
    const second = await startAnvil({ stateFile, mining: 'manual', port });
    expect(second.port).toBe(port);
    expect(await genesisOf(second)).toBe(genesis);
    expect(await second.rpc('eth_blockNumber')).toBe('0x5');
    await second.stop();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.skipIf(process.platform === 'win32')(
  'a node that is killed while it writes its state file can be restarted from this file',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'devnet-'));
    const options = { stateFile: join(folder, 'state.json'), stateInterval: 1 };
    let node = await startAnvil({ ...options, mining: 'manual' });
    try {
      await node.rpc('anvil_mine', ['0x1f4']);
      await node.stop();
      const whole = (await stat(options.stateFile)).size;
      node = await startAnvil(options);
      while ((await stat(options.stateFile)).size >= whole) await setImmediate();
      await node.kill();
      node = await startAnvil(options);
      expect(Number(await node.rpc('eth_blockNumber'))).toBeGreaterThanOrEqual(500);
    } finally {
      await node.stop();
      await rm(folder, { recursive: true });
    }
  },
);

test("reports the node's output if the port is taken", async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(startAnvil({ port })).rejects.toThrow(/ended before it listened\. It printed: .*[Aa]ddress/s);
  server.close();
  await once(server, 'close');
});

test.skipIf(process.platform === 'win32')(
  'a node exits when the process that started it is killed',
  async () => {
    const script = `
    import { startAnvil } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const node = await startAnvil();
    console.log(node.pid);
    setInterval(() => {}, 1000);
  `;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(String(line));
    expect(isRunning(pid)).toBe(true);
    parent.kill('SIGKILL');
    await until(() => !isRunning(pid));
  },
);

test.skipIf(process.platform === 'win32')(
  'Ctrl-C does not end a node before the process that started it',
  async () => {
    const script = `
    import { startAnvil } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const node = await startAnvil();
    process.on('SIGINT', () => node.rpc('eth_chainId').then(() => console.log('stops'), console.error));
    console.log('runs');
  `;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // The program leads its own process group, as in a terminal.
      detached: true,
    });
    const lines = on(createInterface({ input: parent.stdout }), 'line');
    expect((await lines.next()).value).toEqual(['runs']);
    process.kill(-(parent.pid ?? 0), 'SIGINT');
    expect((await lines.next()).value).toEqual(['stops']);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  },
);

test("uses the main package's launcher on a platform without a binary package", () => {
  expect(findAnvil().args).toEqual([]);
  const { file, args } = findAnvil('plan9', 'x64');
  expect(file).toBe(process.execPath);
  expect(args[0]).toMatch(/bin\.mjs$/);
});
