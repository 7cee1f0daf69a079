import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { moduleOf, openModule, openSession, problemOf, writeModule } from './modules.ts';

/** Creates a module that runs code and returns its result as a string. */
const running = (code: string) =>
  moduleOf(`normaliseAddress: async (text) => {
    try { return String(await (async () => { ${code} })()); } catch (error) { return error.code ?? String(error); }
  }`);

async function result(code: string, argument = 'x', allowRead: string[] = []): Promise<string> {
  const { adapter } = await openModule(running(code), { allowRead });
  return (await openSession(adapter)).normaliseAddress(argument);
}

test('a plugin cannot see the host’s environment variables', async () => {
  process.env.A_SECRET_OF_THE_SERVER = 'hidden';
  onTestFinished(() => {
    delete process.env.A_SECRET_OF_THE_SERVER;
  });
  expect(await result('return JSON.stringify(process.env);')).toBe('{}');
});

test('a plugin runs isolated, restricted and at lower priority than its host', async () => {
  for (const isolation of ['best', 'restricted'] as const) {
    const code = "return (await import('node:os')).getPriority();";
    const { adapter } = await openModule(running(code), { isolation });
    const session = await openSession(adapter);
    expect(await session.normaliseAddress('x')).toBe(String(Math.min(19, getPriority() + 5)));
  }
});

test('a plugin can read only its own package and allowed paths', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'data-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'data.txt');
  writeFileSync(file, 'content');
  const read = "return fs.readFileSync(text, 'utf8');";
  expect(await result(read, file)).toBe('ERR_ACCESS_DENIED');
  expect(await result(read, file, [folder])).toBe('content');
});

test('a plugin cannot write files or start processes and threads', async () => {
  const file = join(tmpdir(), 'written-by-a-plugin');
  expect(await result("fs.writeFileSync(text, 'x');", file, [tmpdir()])).toBe('ERR_ACCESS_DENIED');
  expect(await result("(await import('node:child_process')).spawnSync('true');")).toBe('ERR_ACCESS_DENIED');
  expect(await result("new (await import('node:worker_threads')).Worker('1', { eval: true });")).toBe(
    'ERR_ACCESS_DENIED',
  );
  expect(existsSync(file)).toBe(false);
});

test('errors and the log do not contain the credentials of nodes', async () => {
  const { adapter, log } = await openModule(
    moduleOf(`
      normaliseAddress: async () => {
        console.error('calling', ledger.nodes[0].uri);
        host.log('warn', 'calling', { uri: ledger.nodes[0].uri });
        throw Object.assign(new Error('x'), { name: 'AdapterError', problem:
          { code: 'unavailable', phase: 'check', detail: 'No answer from ' + ledger.nodes[0].uri } });
      },
      balances: async () => { throw new Error(ledger.nodes[0].uri); },`),
  );
  const uri = 'https://user:hunter2@node.example/v3/0123456789abcdef0123';
  const session = await openSession(adapter, uri, (line) => log.push(line));
  const problem = await problemOf(session.normaliseAddress(''));
  expect(problem).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('node.example') });
  await problemOf(session.balances([]));
  const all = JSON.stringify([problem, log]);
  expect(all).not.toContain('hunter2');
  expect(all).not.toContain('0123456789abcdef0123');
  expect(all).toContain('calling');
});

async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await delay(10);
  }
}

/** Runs a host that opens a module, prints its child's id, runs code, and is killed. */
async function killHost(source: string, then: string): Promise<number> {
  const module = writeModule(source);
  const index = fileURLToPath(new URL('../src/index.ts', import.meta.url));
  const script = `
    import { openProcessAdapter } from ${JSON.stringify(index)};
    let seen;
    const output = new Promise((resolve) => { seen = resolve; });
    const adapter = await openProcessAdapter({ specifier: ${JSON.stringify(module)}, log: (_, event) => { if (event === 'plugin.output') seen(); } });
    const host = { now: Date.now, log() {}, signal: new AbortController().signal };
    const session = await adapter.open({ ledgerId: 'l', technology: 't', properties: {}, nodes: [] }, host);
    ${then}
    console.log(adapter.health().pid);`;
  const args = ['--conditions=@ledger-ops/source', '--input-type=module', '-e', script];
  const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(host.stdout, 'data');
  host.kill('SIGKILL');
  return Number(String(line));
}

test('a child exits with its host, even if the host was killed', async () => {
  await gone(await killHost(moduleOf(''), ''));
});

test.runIf(existsSync('/usr/bin/setpriv'))(
  'the kernel ends a child in an endless loop when its host exits',
  async () => {
    const source = moduleOf("balances: async () => { fs.writeSync(1, 'looping\\n'); for (;;); }");
    await gone(await killHost(source, 'session.balances([]).catch(() => undefined); await output;'));
  },
);

test('close() leaves no process, even if the child is in an endless loop', async () => {
  const { adapter } = await openModule(moduleOf('balances: async () => { for (;;); }'));
  const session = await openSession(adapter);
  const call = problemOf(session.balances([]));
  const { pid = 0 } = adapter.health();
  await adapter.close();
  await gone(pid);
  expect(await call).toMatchObject({ code: 'unavailable' });
  expect(await problemOf(session.chain())).toMatchObject({
    detail: expect.stringContaining('it was closed'),
  });
});
