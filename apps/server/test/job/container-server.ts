import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, sourceArguments } from '../../../../testing/children.ts';
import { type Api, logIn } from '../stage/tenant.ts';

const repository = fileURLToPath(new URL('../../../..', import.meta.url));
const main = fileURLToPath(new URL('./child.ts', import.meta.url));
/** Mount path of the volume, the same in every container. */
const dataDir = '/data';

/** Arguments of `sh` that hide the hybrid cgroups of some machines, which crun refuses, and then run the remaining arguments. */
const inMounts = [
  '-c',
  'mountpoint -q /sys/fs/cgroup/unified && umount /sys/fs/cgroup/unified; exec "$@"',
  'sh',
];

/** A root file system that contains only Node, and the folders of podman's state. */
export class ContainerRoot {
  readonly folder: string;
  readonly #podman: readonly string[];

  private constructor(folder: string) {
    this.folder = folder;
    const state = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
    this.#podman = ['-m', 'sh', ...inMounts, 'podman', '--storage-driver=vfs', ...state];
  }

  /** Returns the root, or the reason why containers cannot run on this machine. */
  static create(): ContainerRoot | string {
    if (process.getuid?.() !== 0) return 'only root may mount file systems and run these containers';
    if (spawnSync('podman', ['--version']).status !== 0) return 'podman is not installed';
    const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-containers-'));
    const root = new ContainerRoot(folder);
    try {
      root.#fill();
      root.runSync('trial', ['/usr/local/bin/node', '--version']);
      return root;
    } catch (error) {
      root.remove();
      const reason = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
      return `podman runs no container here: ${reason.trim()}`;
    }
  }

  #fill(): void {
    const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
    for (const [from, to] of [
      [process.execPath, '/usr/local/bin/node'],
      ...libraries.map((path) => [path, path] as const),
    ] as const) {
      const target = join(this.folder, 'root', to);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(from, target);
    }
    for (const name of ['data', 'dev', 'etc', 'proc', 'run', 'sys', 'tmp'])
      mkdirSync(join(this.folder, 'root', name));
  }

  /** Returns the arguments of `unshare` for a new container with a new host name and machine id. */
  argumentsOf(name: string, options: readonly string[], command: readonly string[]): string[] {
    writeFileSync(join(this.folder, 'root/etc/machine-id'), `${randomBytes(16).toString('hex')}\n`);
    const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];
    const own = ['--uts', 'private', '--hostname', randomBytes(6).toString('hex')];
    return [
      ...[...this.#podman, 'run', '--rm', '--name', name, '--network', 'host', '--cgroups=disabled'],
      ...['--cgroupns', 'host', ...limits, ...own, '--tmpfs', '/tmp', ...options],
      ...['--rootfs', join(this.folder, 'root'), ...command],
    ];
  }

  runSync(name: string, command: readonly string[]): string {
    return execFileSync('unshare', this.argumentsOf(name, [], command), { encoding: 'utf8', stdio: 'pipe' });
  }

  /** Sends SIGKILL to the process of a container. */
  kill(name: string): void {
    execFileSync('unshare', [...this.#podman, 'kill', '--signal', 'KILL', name], { stdio: 'pipe' });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface ContainerServerOptions {
  readonly root: ContainerRoot;
  readonly rpcUrl: string;
  /** Folder on this machine that is the container's data folder. */
  readonly volume: string;
  readonly masterKey: string;
  readonly databaseUrl?: string | undefined;
  readonly baseUrl?: string;
}

let started = 0;

/** The server of these sources in a new container. */
export class ContainerServer {
  readonly output: string[] = [];
  readonly #root: ContainerRoot;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #volume: string;

  private constructor(root: ContainerRoot, name: string, child: ChildProcess, url: string, volume: string) {
    [this.#root, this.#name, this.#child, this.#url, this.#volume] = [root, name, child, url, volume];
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => this.output.push(chunk.toString()));
  }

  /** Starts a container, and waits until the server answers. */
  static async start(options: ContainerServerOptions): Promise<ContainerServer> {
    const { root, rpcUrl, volume, masterKey, databaseUrl, baseUrl } = options;
    started += 1;
    const name = `ledger-ops-${process.pid}-${started}`;
    const port = await freePort();
    const environment = { PORT: String(port), ...(baseUrl === undefined ? {} : { BASE_URL: baseUrl }) };
    const orders = { dataDir, rpcUrl, masterKey, databaseUrl, environment, timing: { lease: 2_000 } };
    const given = [
      ...['--volume', `${repository}:${repository}:ro`, '--volume', `${volume}:${dataDir}`],
      ...['--env', `ORDERS=${JSON.stringify(orders)}`],
    ];
    const command = ['/usr/local/bin/node', ...sourceArguments, '--no-warnings', main];
    const child = spawn('unshare', root.argumentsOf(name, given, command), { stdio: 'pipe' });
    const server = new ContainerServer(root, name, child, `http://127.0.0.1:${port}`, volume);
    await server.#answers();
    return server;
  }

  async #answers(): Promise<void> {
    for (;;) {
      const { exitCode, signalCode } = this.#child;
      if (exitCode !== null || signalCode !== null)
        throw new Error(
          `The container ended at its start (${exitCode ?? signalCode}): ${this.output.join('')}`,
        );
      const answer = await fetch(`${this.#url}/readyz`).catch(() => undefined);
      // The credentials are written when the ledger is created, after the server listens.
      const isListening = this.output.join('').includes('"msg":"listening"');
      if (answer !== undefined && isListening && existsSync(join(this.#volume, 'credentials.json'))) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Signs in with the account of the job's project. */
  async api(): Promise<Api> {
    const file = JSON.parse(readFileSync(join(this.#volume, 'credentials.json'), 'utf8'));
    const { applicationToken, clientId: appId, serviceAccount: accountId, clientSecret: apiToken } = file;
    return await logIn(this.#url, { applicationToken, appId, accountId, apiToken });
  }

  async readyz(): Promise<{ readonly readOnly: boolean; readonly reasons: string[] }> {
    // Other tests validate responses against the OpenAPI document.
    return (await (await fetch(`${this.#url}/readyz`)).json()) as { readOnly: boolean; reasons: string[] };
  }

  /** Sends SIGTERM, as `podman stop` does, and waits until the container is removed. Returns the exit code. */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
    return this.#child.exitCode;
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#root.kill(this.#name);
    await ended;
  }
}
