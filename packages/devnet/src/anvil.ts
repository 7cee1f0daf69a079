import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { findAnvil } from './anvil-binary.ts';
import { DevnetError } from './error.ts';
import { spawnWatched } from './watched-child.ts';

export interface AnvilOptions {
  /** TCP port on 127.0.0.1. If 0 or absent, a free port is used. */
  port?: number;
  /**
   * `interval` (default): a block every `blockTime`. `automine`: a block per transaction, which stalls under load.
   * `manual`: blocks only on `anvil_mine`.
   */
  mining?: 'interval' | 'automine' | 'manual';
  /** Seconds between blocks; default 0.1. */
  blockTime?: number;
  /** Gas per block, default 1,000,000,000. */
  gasLimit?: number;
  /** Number of funded accounts, default 10. */
  accounts?: number;
  /** Ether per account, default 10,000. */
  balance?: number;
  /** Default 31337. */
  chainId?: number;
  /**
   * File that persists the chain: read at the start if it exists, written every `stateInterval` and on a
   * clean stop. It contains all blocks, about 2 kB each when empty, so use a `blockTime` of at least a second
   * for a long-lived chain.
   */
  stateFile?: string;
  /** Seconds between writes of the state file, default 1. */
  stateInterval?: number;
  /** Additional command-line arguments. */
  extraArgs?: readonly string[];
  /** Timeout in milliseconds for the node's first response; default 20,000. */
  startTimeout?: number;
}

/** A funded account of the well-known development mnemonic. Its key is public: never use it elsewhere. */
export interface DevAccount {
  /** Checksum address. */
  address: string;
  /** `0x` and 64 hex digits. */
  privateKey: string;
}

export interface Anvil {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** `ws://127.0.0.1:<port>` */
  wsUrl: string;
  pid: number;
  port: number;
  chainId: number;
  accounts: DevAccount[];
  /**
   * Makes one JSON-RPC call. The caller defines the type of the result.
   * @throws DevnetError with the node's message
   */
  rpc<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>;
  /** Stops the node cleanly with SIGTERM, which writes the state file; kills it after ten seconds. Idempotent. */
  stop(): Promise<void>;
  /**
   * Kills the node with SIGKILL, as a crash would. If it has a state file, it can be restarted from the last
   * write. Waits for a write in progress, because the node cannot start from an incomplete file. Idempotent.
   */
  kill(): Promise<void>;
}

const cleanEnd = 10_000;
const callTimeoutMs = 30_000;

/**
 * Starts an Ethereum node on 127.0.0.1 and waits until it responds. The node exits when this process exits.
 *
 * @throws DevnetError with the node's output if it does not start
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  // Anvil writes older states to disk (gigabytes per hour) and never removes them. This argument limits it to
  // one state, in a folder that is removed.
  const cache = mkdtempSync(join(tmpdir(), 'ledger-ops-anvil-'));
  const child = launch(
    [...commandLine(options), '--cache-path', cache, '--max-persisted-states', '1'],
    cache,
  );
  const printed = lastErrors(child);
  const end = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    // The process did not start, so there is no exit event.
    child.once('error', () => resolve());
  });
  const clear = () => rmSync(cache, { recursive: true, force: true, maxRetries: 3 });
  const killAtExit = () => {
    child.kill('SIGTERM');
    clear();
  };
  process.once('exit', killAtExit);
  void end.then(() => {
    process.off('exit', killAtExit);
    child.stdin?.destroy();
    clear();
  });

  const terminate = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), cleanEnd);
    await end;
    clearTimeout(timer);
  };

  try {
    const { port, accounts } = await banner(child, end, printed, options.startTimeout ?? 20_000);
    const url = `http://127.0.0.1:${port}`;
    const rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
      try {
        return await call<Result>(url, method, params);
      } catch (cause) {
        const { exitCode, signalCode } = child;
        if (exitCode === null && signalCode === null) throw cause;
        const how = signalCode ?? `code ${exitCode}`;
        throw new DevnetError(`anvil exited (${how}) before ${method}. It printed: ${printed()}`, { cause });
      }
    };
    // Logging every call takes time under load, and nobody reads the log.
    await rpc('anvil_setLoggingEnabled', [false]);
    const chainId = Number(await rpc<string>('eth_chainId'));
    if (child.pid === undefined) throw new DevnetError('anvil did not start: it has no process id.');
    return {
      url,
      wsUrl: `ws://127.0.0.1:${port}`,
      pid: child.pid,
      port,
      chainId,
      accounts,
      rpc,
      stop: () => terminate('SIGTERM'),
      async kill() {
        if (options.stateFile !== undefined) await stopBetweenWrites(child, options.stateFile);
        await terminate('SIGKILL');
      },
    };
  } catch (error) {
    await terminate('SIGKILL');
    throw error;
  }
}

/** Pauses the process while its state file is complete or absent. Windows cannot pause a process. */
async function stopBetweenWrites(child: ChildProcess, stateFile: string): Promise<void> {
  if (process.platform === 'win32') return;
  const end = Date.now() + cleanEnd;
  while (child.kill('SIGSTOP') && !isWhole(stateFile) && Date.now() < end) {
    child.kill('SIGCONT');
    await delay(10);
  }
}

function isWhole(stateFile: string): boolean {
  if (!existsSync(stateFile)) return true;
  try {
    JSON.parse(readFileSync(stateFile, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

function commandLine(options: AnvilOptions): string[] {
  const mining = {
    interval: ['--block-time', String(options.blockTime ?? 0.1)],
    automine: [],
    manual: ['--no-mining'],
  };
  return [
    ...['--host', '127.0.0.1', '--port', String(options.port ?? 0), '--color', 'never'],
    ...mining[options.mining ?? 'interval'],
    ...['--gas-limit', String(options.gasLimit ?? 1_000_000_000)],
    ...['--accounts', String(options.accounts ?? 10), '--balance', String(options.balance ?? 10_000)],
    ...['--chain-id', String(options.chainId ?? 31_337)],
    ...(options.stateFile === undefined
      ? []
      : ['--state', options.stateFile, '--state-interval', String(options.stateInterval ?? 1)]),
    ...(options.extraArgs ?? []),
  ];
}

function launch(args: readonly string[], cache: string): ChildProcess {
  const command = findAnvil();
  return spawnWatched([command.file, ...command.args, ...args], {
    removes: cache,
    // The launcher forwards signals to the node.
    watched: command.args.length === 0,
  });
}

/** Returns a function that returns the last part of the node's standard error. */
function lastErrors(child: ChildProcess): () => string {
  let printed = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-2000);
  });
  return () => printed.trim().slice(-500) || 'nothing';
}

/** Reads the accounts and the port from the node's startup output. */
async function banner(
  child: ChildProcess,
  end: Promise<void>,
  printed: () => string,
  timeoutMs: number,
): Promise<{ port: number; accounts: DevAccount[] }> {
  const addresses: string[] = [];
  const keys: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<{ port: number; accounts: DevAccount[] }>();
  const fail = (why: string) => reject(new DevnetError(`anvil ${why}. It printed: ${printed()}`));
  const timer = setTimeout(() => fail(`did not listen within ${timeoutMs} ms`), timeoutMs);
  child.once('error', (error) => fail(`could not be started (${error.message})`));
  void end.then(() => fail('ended before it listened'));
  if (child.stdout !== null) {
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      const address = /^\(\d+\) (0x[0-9a-fA-F]{40})\b/.exec(line)?.[1];
      const key = /^\(\d+\) (0x[0-9a-f]{64})$/.exec(line.trim())?.[1];
      const port = /^Listening on .*:(\d+)$/.exec(line.trim())?.[1];
      if (key !== undefined) keys.push(key);
      else if (address !== undefined) addresses.push(address);
      if (port !== undefined) {
        const accounts = addresses.flatMap((one, index) => {
          const privateKey = keys[index];
          return privateKey === undefined ? [] : [{ address: one, privateKey }];
        });
        resolve({ port: Number(port), accounts });
      }
    });
  }
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

async function call<Result>(url: string, method: string, params: readonly unknown[]): Promise<Result> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
  } catch (cause) {
    throw new DevnetError(`anvil did not answer ${method}.`, { cause });
  }
  // The node returns JSON-RPC. The caller, a test or a development script, defines the type of the result.
  const body = (await answer.json()) as { result: Result; error?: { message: string } };
  if (body.error !== undefined) throw new DevnetError(`anvil refused ${method}: ${body.error.message}`);
  return body.result;
}
