import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DevnetError, spawnWatched, type WatchedChild } from '@ledger-ops/devnet';
import { defaultTiming, type Timing } from '../timing.ts';
import { openStream } from './stream.ts';

export interface StartChaincodeOptions {
  /** The id the service calls itself by, `label:sha256`: the one that installing the package gave. */
  packageId: string;
  /**
   * A folder is a module with contracts (its package.json's `main` exports them), run by the
   * `fabric-chaincode-node` that the module itself resolves. A file is a program that serves by itself, on
   * `CHAINCODE_SERVER_ADDRESS` as `CHAINCODE_ID`.
   */
  contract: string;
  /** `host:port` to listen at; default `127.0.0.1:0`, port 0 being a free one. */
  address?: string;
  /** More of its environment. It gets none of this process's but `PATH` and what programs need to start at all. */
  env?: Readonly<Record<string, string>>;
  /** Started again, at the same address, when it ends by itself, as a container would be. Default false. */
  restart?: boolean;
  /** Each line that it prints. */
  onOutput?: (line: string) => void;
  /** Default {@link defaultTiming}. */
  timing?: Timing;
}

/** A chaincode that runs as a service, in a process of its own. */
export interface RunningChaincode {
  /** `host:port`, for the package's connection.json. */
  address: string;
  packageId: string;
  /** The process's id; another one after a restart. */
  readonly pid: number;
  /** Resolves when the process has ended by itself or was stopped. With `restart`: when it was stopped. */
  ended: Promise<void>;
  /** Ends it. Idempotent. */
  stop(): Promise<void>;
  /** Ends it as a crash would. With `restart` it comes back. */
  kill(): Promise<void>;
}

const portTries = 5;
/** Variables that a program needs to start at all, on any system. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'TZ'];

/**
 * Starts a chaincode, unmodified and on an unmodified fabric-shim, and resolves when it answers as the chaincode it
 * is said to be. It ends with this process.
 * @throws DevnetError with what it printed, when it does not come up.
 */
export async function startChaincode(options: StartChaincodeOptions): Promise<RunningChaincode> {
  const [host, port] = splitAddress(options.address ?? '127.0.0.1:0');
  for (let tries = 1; ; tries++) {
    const address = `${host}:${port === 0 ? await freePort(host) : port}`;
    try {
      return await startAt(address, options);
    } catch (error) {
      // Somebody else took the port between the look and the use of it.
      const taken = error instanceof DevnetError && error.message.includes('EADDRINUSE');
      if (port !== 0 || !taken || tries === portTries) throw error;
    }
  }
}

async function startAt(address: string, options: StartChaincodeOptions): Promise<RunningChaincode> {
  const { timing = defaultTiming } = options;
  const command = commandLine(options.contract, address, options.packageId);
  const stopped = Promise.withResolvers<void>();
  let stopping = false;
  let current = await launch(command, address, options);

  const killAtExit = () => void current.child.kill('SIGKILL');
  process.once('exit', killAtExit);
  void stopped.promise.then(() => process.off('exit', killAtExit));

  const follow = async (): Promise<void> => {
    for (;;) {
      await current.end;
      if (stopping || options.restart !== true) return;
      // One that ends again at once would not get better by haste.
      await pause(timing.chaincodeRestart);
      if (stopping) return;
      try {
        current = await launch(command, address, options);
      } catch (error) {
        if (!(error instanceof DevnetError)) throw error;
        options.onOutput?.(error.message);
      }
      // Stopped while it was starting.
      if (stopping) await terminate(current, 'SIGTERM', timing);
    }
  };
  void follow().then(stopped.resolve, stopped.reject);

  return {
    address,
    packageId: options.packageId,
    get pid() {
      return current.pid;
    },
    ended: stopped.promise,
    async stop() {
      stopping = true;
      await terminate(current, 'SIGTERM', timing);
      await stopped.promise;
    },
    kill: () => terminate(current, 'SIGKILL', timing),
  };
}

interface Launched {
  child: WatchedChild;
  pid: number;
  end: Promise<void>;
}

/** Starts the process and waits until it answers. */
async function launch(
  command: { words: [string, ...string[]]; folder: string },
  address: string,
  options: StartChaincodeOptions,
): Promise<Launched> {
  const child = spawnWatched(command.words, {
    cwd: command.folder,
    env: {
      ...Object.fromEntries(
        inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
      ),
      CHAINCODE_SERVER_ADDRESS: address,
      CHAINCODE_ID: options.packageId,
      ...options.env,
    },
  });
  const printed = collect(child, options.onOutput);
  const ended = new AbortController();
  const end = new Promise<void>((done) => {
    child.once('exit', () => done());
    // Not even started: there is no exit then.
    child.once('error', () => done());
  }).then(() => {
    ended.abort();
    // Ends the watch beside it.
    child.stdin.destroy();
  });
  const launched = { child, pid: child.pid ?? 0, end };
  try {
    await answering(address, options, ended.signal);
    return launched;
  } catch (cause) {
    await terminate(launched, 'SIGKILL', options.timing);
    throw new DevnetError(
      `The chaincode ${options.contract} did not come up at ${address}. It printed: ${printed() || 'nothing'}`,
      { cause },
    );
  }
}

/** Resolves when the service answers by its name. */
async function answering(address: string, options: StartChaincodeOptions, ended: AbortSignal): Promise<void> {
  const { timing = defaultTiming } = options;
  const deadline = Date.now() + timing.chaincodeStart;
  for (;;) {
    try {
      const stream = await openStream({
        ...{ address, name: options.contract, packageId: options.packageId },
        ...{ timeoutMs: Math.max(1, deadline - Date.now()), signal: ended },
        onMessage: () => undefined,
        onEnd: () => undefined,
      });
      stream.close();
      // It may be another service, of the same name, at a port that ours could not have.
      if (!ended.aborted) return;
    } catch (error) {
      if (ended.aborted || Date.now() >= deadline) throw error;
    }
    if (ended.aborted) throw new DevnetError('It ended before it answered.');
    await pause(timing.chaincodeProbe);
  }
}

async function terminate(
  launched: Launched,
  signal: 'SIGTERM' | 'SIGKILL',
  { chaincodeEnd } = defaultTiming,
): Promise<void> {
  const { child } = launched;
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), chaincodeEnd);
  await launched.end;
  clearTimeout(timer);
}

/** Keeps the last of what it prints, for messages, and keeps its pipes empty. */
function collect(child: WatchedChild, onOutput: StartChaincodeOptions['onOutput']): () => string {
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.on('data', (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-2000);
      if (onOutput === undefined) return;
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onOutput(line);
    });
  }
  return () => printed.trim();
}

function commandLine(
  contract: string,
  address: string,
  packageId: string,
): { words: [string, ...string[]]; folder: string } {
  const path = resolve(contract);
  if (!existsSync(path)) throw new DevnetError(`There is no chaincode at ${path}.`);
  if (!statSync(path).isDirectory()) return { words: [process.execPath, path], folder: dirname(path) };
  const shim = createRequire(join(path, 'package.json')).resolve('fabric-shim/cli.js');
  const server = ['server', '--chaincode-address', address, '--chaincode-id', packageId];
  return { words: [process.execPath, shim, ...server, '--module-path', path], folder: path };
}

function splitAddress(address: string): [host: string, port: number] {
  const at = address.lastIndexOf(':');
  const port = Number(address.slice(at + 1));
  if (at < 1 || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new DevnetError(`"${address}" is no address: write host:port.`);
  return [address.slice(0, at), port];
}

/** A TCP port that is free now. */
export async function freePort(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, host, done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new DevnetError('There is no free port.');
  return address.port;
}
