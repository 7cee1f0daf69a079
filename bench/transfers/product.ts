import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Size of the load. */
export interface Load {
  transfers: number;
  wallets: number;
  connections: number;
}

/** The product as `npm start` runs it, in a separate process with its own folder. */
export interface Product {
  baseUrl: string;
  rpcUrl: string;
  ledgerId: string;
  headers(): Promise<Record<string, string>>;
  /** Current resident memory of the server's process, in MB. */
  memory(): number;
  /** Peak resident memory of the server's process, in MB. */
  peakMemory(): number;
  /** Processor time used by the server's process, in seconds. */
  processorTime(): number;
  stop(): Promise<void>;
}

interface DevFile {
  baseUrl: string;
  applicationToken: string;
  clientId: string;
  serviceAccount: string;
  clientSecret: string;
  ledgers: { ledgerId: string; rpcUrl: string; technology: string }[];
}

const waitLimitMs = 60_000;

const thisCheckout = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @param environment additional settings
 * @param checkout folder of the built checkout whose product is started
 */
export async function startProduct(
  environment: Record<string, string> = {},
  checkout: string = thisCheckout,
): Promise<Product> {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-bench-'));
  const main = join(checkout, 'apps/dev/dist/main.js');
  const output: string[] = [];
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      DATA_DIR: folder,
      PORT: String(await freePort()),
      ANVIL_PORT: String(await freePort()),
      SOLANA_PORT: '0',
      ANVIL_BLOCK_TIME: '0.05',
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const file = join(folder, 'dev.json');
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const dev = await waitFor(async () => {
    if (child.exitCode !== null) throw new Error(`The server exited: ${output.join('')}`);
    // `commands.sh` is written last, so nothing of the start runs during the measurement.
    if (!existsSync(file) || !existsSync(join(folder, 'commands.sh'))) return undefined;
    return JSON.parse(readFileSync(file, 'utf8')) as DevFile;
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const ledger = dev.ledgers.find(({ technology }) => technology === 'ethereum');
  if (ledger === undefined) throw new Error('The development server has no Ethereum ledger.');
  let token: { value: string; until: number } | undefined;

  return {
    baseUrl: dev.baseUrl,
    rpcUrl: ledger.rpcUrl.replace(/^ws/, 'http'),
    ledgerId: ledger.ledgerId,
    async headers() {
      if (token === undefined || Date.now() > token.until) token = await fetchToken(dev);
      return {
        ApplicationToken: dev.applicationToken,
        Authorization: `Bearer ${token.value}`,
        'Content-Type': 'application/json',
        Accept: 'application/json',
      };
    },
    memory: () => memory(child, 'VmRSS'),
    peakMemory: () => memory(child, 'VmHWM'),
    processorTime: () => processorTime(child),
    stop,
  };
}

async function fetchToken(dev: DevFile): Promise<{ value: string; until: number }> {
  const response = await fetch(`${dev.baseUrl}/v1/auth/token`, {
    method: 'POST',
    headers: { ApplicationToken: dev.applicationToken },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      service_account: dev.serviceAccount,
      client_id: dev.clientId,
      client_secret: dev.clientSecret,
    }),
  });
  if (!response.ok)
    throw new Error(`The server issued no token: ${response.status} ${await response.text()}`);
  // The response type of the token route.
  const { access_token, expires_in } = (await response.json()) as {
    access_token: string;
    expires_in: number;
  };
  return { value: access_token, until: Date.now() + (expires_in - 60) * 1_000 };
}

function memory(child: ChildProcess, field: 'VmRSS' | 'VmHWM'): number {
  const file = `/proc/${child.pid}/status`;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [, kilobytes] = new RegExp(`${field}:\\s+(\\d+)`).exec(text) ?? [];
  return Number(kilobytes ?? 0) / 1024;
}

/** Seconds, from a count of hundredths of a second. Linux only. */
function processorTime(child: ChildProcess): number {
  const text = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  // Fields after the name, which may contain spaces. User and system time are the 12th and 13th.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** A port of 127.0.0.1 that is currently free. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Calls a function until it returns a value. Fails after `waitLimitMs`. */
export async function waitFor<Value>(read: () => Promise<Value | undefined>, pause = 50): Promise<Value> {
  const end = Date.now() + waitLimitMs;
  while (Date.now() < end) {
    const value = await read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`There was no result within ${waitLimitMs / 1_000} s.`);
}
