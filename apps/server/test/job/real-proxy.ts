import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from '../../../../testing/children.ts';

/** Proxies with a file in `deploy/proxy`. */
export type ProxyName = 'nginx' | 'haproxy';

/** Returns why a proxy cannot run on this machine; undefined if it can. */
export function missingProxy(name: ProxyName): string | undefined {
  return spawnSync(name, ['-v'], { stdio: 'ignore' }).status === 0 ? undefined : `${name} is not installed`;
}

/** Paths at which packages install nginx's module for `stream`, if it is not built in. */
const streamModules = [
  '/usr/lib/nginx/modules/ngx_stream_module.so',
  '/usr/lib64/nginx/modules/ngx_stream_module.so',
];

/** Whether nginx can run the file's block `stream`. */
function hasStream(): boolean {
  const { stderr } = spawnSync('nginx', ['-V'], { encoding: 'utf8' });
  const isBuiltIn = /--with-stream(?!\S)/.test(stderr);
  return isBuiltIn || streamModules.some((path) => existsSync(path));
}

/** Removes the block `stream` of nginx.conf, so that clients connect to the block `http`. */
export function withoutStream(text: string, address: string): string {
  console.warn(
    'Skipped: the block `stream` of nginx.conf and its limit of connections, because this nginx lacks the module. Debian has it in the package libnginx-mod-stream.',
  );
  return replaced(text, [
    [/^stream \{[\s\S]*?^\}\n/m, ''],
    [/listen unix:\S+ proxy_protocol;/, `listen ${address};`],
    [/ *set_real_ip_from .*\n *real_ip_header .*\n/, ''],
  ]);
}

/** A proxy in front of two servers on this machine. */
export interface RealProxy {
  readonly url: string;
  stop(): Promise<void>;
}

const deployed = (file: string) =>
  readFile(new URL(`../../../../deploy/proxy/${file}`, import.meta.url), 'utf8');

/** Starts a proxy with its file in `deploy/proxy`, whose addresses and folders are replaced. */
export async function startProxy(name: ProxyName, ports: readonly [number, number]): Promise<RealProxy> {
  const folder = await mkdtemp(join(tmpdir(), `ledger-ops-${name}-`));
  const port = await freePort();
  const file = join(folder, 'proxy.conf');
  await writeFile(file, await (name === 'nginx' ? nginxFile : haproxyFile)(folder, port, ports));
  const options = `daemon off; pid ${folder}/nginx.pid;`;
  const args = name === 'nginx' ? ['-c', file, '-e', 'stderr', '-g', options] : ['-db', '-f', file];
  let output = '';
  const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const url = `http://127.0.0.1:${port}`;
  const stop = () => end(child, folder);
  try {
    await vi.waitFor(
      async () => {
        const { status } = await fetch(`${url}/livez`);
        if (status !== 200) throw new Error(`${name} answers ${status}.`);
      },
      { timeout: 10_000 },
    );
    return { url, stop };
  } catch (error) {
    await stop();
    throw new Error(`${name} did not start: ${output}`, { cause: error });
  }
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
}

/** Replaces parts of a deployed file. The file must contain each of them. */
function replaced(text: string, replacements: readonly (readonly [RegExp, string])[]): string {
  return replacements.reduce((before, [pattern, by]) => {
    const after = before.replace(pattern, by);
    if (after === before) throw new Error(`The deployed file does not contain ${pattern}.`);
    return after;
  }, text);
}

async function nginxFile(
  folder: string,
  port: number,
  [first, second]: readonly [number, number],
): Promise<string> {
  const text = replaced(await deployed('nginx.conf'), [
    [/\/tmp\//g, `${folder}/`],
    [/include \/etc\/nginx\/modules-enabled\/.*\n/, ''],
    [/worker_processes auto;/, 'worker_processes 2;'],
    [/worker_rlimit_nofile .*/, ''],
    [/172\.30\.77\.11:3000/, `127.0.0.1:${first}`],
    [/172\.30\.77\.12:3000/, `127.0.0.1:${second}`],
  ]);
  // As root, workers would run as another user, which cannot enter the folder.
  const user = process.getuid?.() === 0 ? 'user root;\n' : '';
  const [module] = streamModules.filter((path) => existsSync(path));
  if (hasStream()) {
    const load = module === undefined ? '' : `load_module ${module};\n`;
    return load + user + text.replace('listen 8080', `listen 127.0.0.1:${port}`);
  }
  return user + withoutStream(text, `127.0.0.1:${port}`);
}

async function haproxyFile(
  _folder: string,
  port: number,
  [first, second]: readonly [number, number],
): Promise<string> {
  return replaced(await deployed('haproxy.cfg'), [
    [/maxconn 8192/, 'maxconn 4096'],
    [/bind :8080/, `bind 127.0.0.1:${port}`],
    [/172\.30\.77\.11:3000/, `127.0.0.1:${first}`],
    [/172\.30\.77\.12:3000/, `127.0.0.1:${second}`],
  ]);
}
