// These tests check only the kernel's restrictions. They run a program instead of a plugin module, without
// Node's permission model, so that Node itself restricts nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findIsolation } from '@ledger-ops/plugin-host';
import { describe, expect, onTestFinished, test } from 'vitest';
import { launchOf } from '../src/sandbox/launch.ts';

const isolation = await findIsolation();
const why = isolation.level === 'isolated' ? '' : isolation.why;
if (why !== '') console.log(`skipped: namespaces: ${why}`);

function place(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'namespaces-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs code instead of a module. Returns its output. */
async function run(code: string, readable: string[] = [], writable: string[] = []): Promise<string> {
  const program = { args: ['-e', code], readable, writable, memoryLimitMb: 128 };
  const { command, args, env } = launchOf('isolated', program);
  // Runs without the permission model, which is an additional layer.
  const bare = args.filter((argument) => !/^--(permission|allow-)/.test(argument));
  const child: ChildProcess = spawn(command, bare, {
    env,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (said += text));
  await once(child, 'close');
  return said.trim();
}
const attempt = (code: string) => `
  (async () => { ${code} })().then((got) => console.log('got', got), (error) => console.log('failed', error.code ?? String(error)));`;

describe.skipIf(why !== '')('isolation by the kernel', () => {
  test.each(['SIGUSR1', 'SIGSTOP', 'SIGKILL'])(
    'an isolated program cannot send the host a signal: %s',
    async (signal) => {
      let heard = 0;
      const listener = () => {
        heard += 1;
      };
      process.on('SIGUSR1', listener);
      onTestFinished(() => void process.off('SIGUSR1', listener));
      for (const pid of [process.pid, -process.pid, process.ppid]) {
        expect(await run(attempt(`return process.kill(${pid}, '${signal}');`))).toBe('failed ESRCH');
      }
      // These ids only reach the program itself and its group.
      for (const pid of [0, -1]) {
        expect(await run(attempt(`return process.kill(${pid}, '${signal}');`))).not.toMatch(/^failed EPERM/);
      }
      expect(await run(attempt(`return process._debugProcess(${process.pid});`))).toMatch(/^failed/);
      expect(heard).toBe(0);
    },
  );

  test('an isolated child sees only the files that it may read, and cannot write to them', async () => {
    const folder = place();
    for (const name of ['shown', 'hidden']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'file.txt'), name);
    }
    symlinkSync('shown', join(folder, 'link'));
    const [shown, hidden] = ['shown', 'hidden'].map((name) => join(folder, name, 'file.txt'));
    const read = (path = '') => attempt(`return fs.readFileSync('${path}', 'utf8');`);
    expect(await run(read(shown), [join(folder, 'shown')])).toBe('got shown');
    expect(await run(read(join(folder, 'link', 'file.txt')), [join(folder, 'link')])).toBe('got shown');
    for (const path of [
      hidden,
      '/etc/passwd',
      `/proc/${process.pid}/environ`,
      '/proc/1/root/etc/passwd',
      '/sys/../etc/passwd',
    ]) {
      expect(await run(read(path), [join(folder, 'shown')]), path).toBe('failed ENOENT');
    }
    const write = attempt(`fs.writeFileSync('${shown}', 'x'); return 'written';`);
    expect(await run(write, [join(folder, 'shown')])).toBe('failed EROFS');
    expect(await run(attempt("fs.writeFileSync('/file', 'x'); return 'written';"))).toBe('failed EROFS');
    expect(await run(write, [], [join(folder, 'shown')])).toBe('got written');
    expect(
      await run(
        attempt(
          "return fs.readdirSync('/').filter((name) => !/^(lib.*|usr|proc|tmp|nix|opt|home|root)$/.test(name)).join();",
        ),
      ),
    ).not.toMatch(/etc|var|run|dev|sys|boot/);
  });

  test.each([`it's`, 'a "name" of $HOME `id`', 'back\\040slash', '#tag', 'two\nlines\t', '-rf', ' '])(
    'an isolated child sees only its own folder if the folder is named %j',
    async (name) => {
      const folder = place();
      const [home, other] = [join(folder, name), join(folder, 'other')];
      mkdirSync(home);
      writeFileSync(join(home, 'file.txt'), 'shown');
      writeFileSync(other, 'hidden');
      symlinkSync(name, join(folder, `-${name}`));
      const read = (path: string) => attempt(`return fs.readFileSync(${JSON.stringify(path)}, 'utf8');`);
      const shown = [home, join(folder, `-${name}`), join(home, 'file.txt')];
      expect(await run(read(join(home, 'file.txt')), shown)).toBe('got shown');
      expect(await run(read(join(folder, `-${name}`, 'file.txt')), shown)).toBe('got shown');
      expect(await run(read(other), shown)).toBe('failed ENOENT');
    },
  );

  test('an isolated child reaches neither the network nor sockets of the machine', async () => {
    let touched = 0;
    const socket = join(place(), 'socket');
    const places: (string | { port: number; host: string })[] = [
      socket,
      `\0${socket}`,
      { port: 0, host: '127.0.0.1' },
    ];
    const codes: string[] = [];
    for (const where of places) {
      const server = createServer((one) => {
        touched += 1;
        one.destroy();
      });
      server.listen(where);
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      const address = server.address();
      const to =
        typeof address === 'string' ? JSON.stringify({ path: where }) : `${address?.port}, '127.0.0.1'`;
      codes.push(
        await run(
          attempt(
            `return await new Promise((ok, no) => require('net').connect(${to}, () => ok('connected')).on('error', no));`,
          ),
        ),
      );
    }
    expect(codes).toEqual(['failed ENOENT', 'failed ECONNREFUSED', 'failed ENETUNREACH']);
    expect(touched).toBe(0);
  });

  test('an isolated child has no privileges, gains none, and finds no program to start', async () => {
    const status = await run(
      attempt(
        "return fs.readFileSync('/proc/self/status', 'utf8').match(/(Cap\\w+|NoNewPrivs):\\s+\\S+/g).join();",
      ),
    );
    // If the system does not allow mounting /proc, there is nothing to read.
    if (!status.startsWith('failed')) {
      expect(status.replaceAll(/\s+/g, ' ')).toMatch(/NoNewPrivs: 1/);
      expect(status).not.toMatch(/Cap\w+:\s+0*[1-9a-f]/);
    }
    expect(
      await run(attempt("fs.writeFileSync('/proc/sys/kernel/core_pattern', 'core'); return 'written';")),
    ).toMatch(/^failed (EROFS|ENOENT)$/);
    expect(await run('console.log(JSON.stringify(process.env), process.pid, process.ppid)')).toBe('{} 1 0');
    const shell = attempt(
      "const { error } = require('child_process').spawnSync('/bin/sh', ['-c', 'id']); throw error;",
    );
    expect(await run(shell)).toBe('failed ENOENT');
  });
});
