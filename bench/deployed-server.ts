import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, waitFor } from './transfers/product.ts';

/**
 * The server as a deployer runs it, in a separate process with its own folder. It uses SQLite unless the environment names
 * another database.
 */
export interface DeployedServer {
  readonly url: string;
  /** Headers of the installation's administrator. */
  readonly administrator: Record<string, string>;
  /** Credentials with which the administrator requests tokens. */
  readonly credentials: { applicationToken: string; appId: string; accountId: string; apiToken: string };
  /** Settings that another server of the same installation needs. */
  readonly shared: Readonly<Record<string, string>>;
  /** The server's standard output and standard error. */
  output(): string;
  /** Processor time used by the server's process, in seconds (Linux; 0 elsewhere). */
  processorTime(): number;
  /** Resident memory of the server's process, in MB (Linux; 0 elsewhere). */
  memory(): number;
  stop(): Promise<void>;
}

interface DeployedServerOptions {
  /** Folder in which the server writes a CPU profile when it exits. */
  readonly profileFolder?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  /** Running server of the installation that this server joins. */
  readonly sibling?: DeployedServer | undefined;
}

export async function startDeployedServer(options: DeployedServerOptions = {}): Promise<DeployedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-bench-'));
  const { sibling } = options;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const tokens = {
    application: sibling?.credentials.applicationToken ?? `app_${randomBytes(32).toString('base64url')}`,
    api: sibling?.credentials.apiToken ?? `sak_${randomBytes(32).toString('base64url')}`,
  };
  const shared = sibling?.shared ?? {
    BASE_URL: url,
    MASTER_KEY: randomBytes(32).toString('hex'),
    ADMINISTRATOR_APPLICATION_TOKEN: tokens.application,
    ADMINISTRATOR_API_TOKEN: tokens.api,
  };
  // Runs the built server, or the sources if this process runs from sources.
  const isSource = process.execArgv.includes('--conditions=@ledger-ops/source');
  const entry = isSource ? '../apps/server/src/main.ts' : '../apps/server/dist/main.js';
  const { profileFolder } = options;
  const profiling = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  const child = spawn(
    process.execPath,
    [...process.execArgv, ...profiling, fileURLToPath(new URL(entry, import.meta.url))],
    {
      env: {
        PATH: process.env.PATH,
        DATA_DIR: folder,
        PORT: String(port),
        ...shared,
        OUTBOUND_OPEN: '127.0.0.0/8',
        LOG_LEVEL: 'warn',
        ...options.environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const end = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', end);
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await ended;
    }
    process.off('exit', end);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const token = await waitFor(async () => {
      if (child.exitCode !== null) throw new Error(`The server exited: ${output.join('')}`);
      return fetchToken(url, tokens);
    });
    return {
      url,
      administrator: { ApplicationToken: tokens.application, Authorization: `Bearer ${token}` },
      credentials: {
        applicationToken: tokens.application,
        appId: 'administration',
        accountId: 'administrator',
        apiToken: tokens.api,
      },
      shared,
      output: () => output.join(''),
      processorTime: () => processorTime(child.pid),
      memory: () => memory(child.pid),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns undefined until the server is ready. */
async function fetchToken(
  url: string,
  tokens: { application: string; api: string },
): Promise<string | undefined> {
  const response = await fetch(`${url}/v1/auth/token`, {
    method: 'POST',
    headers: { ApplicationToken: tokens.application },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'administration',
      service_account: 'administrator',
      client_secret: tokens.api,
    }),
  }).catch(() => undefined);
  if (response === undefined || response.status === 503) return undefined;
  if (!response.ok)
    throw new Error(`The server issued no token: ${response.status} ${await response.text()}`);
  // The response type of the token route.
  return ((await response.json()) as { access_token: string }).access_token;
}

function processorTime(pid: number | undefined): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  // Fields after the name, which may contain spaces. User and system time are the 12th and 13th, in
  // hundredths of a second.
  const text = readFileSync(file, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function memory(pid: number | undefined): number {
  const file = `/proc/${pid}/status`;
  const [, kilobytes] = existsSync(file) ? (/VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8')) ?? []) : [];
  return Number(kilobytes ?? 0) / 1024;
}
