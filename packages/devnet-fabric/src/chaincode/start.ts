import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DevnetError, spawnWatched, type WatchedChild } from '@ledger-ops/devnet';
import { defaultTiming, type Timing } from '../timing.ts';
import { openStream } from './stream.ts';

export interface StartChaincodeOptions {
  /** The package id that the service registers with, `label:sha256`, as returned by the installation. */
  packageId: string;
  /**
   * A folder or a file. A folder must be a module whose package.json `main` exports contracts; the
   * `fabric-chaincode-node` that the module itself resolves runs it. A file must be a program that listens on
   * `CHAINCODE_SERVER_ADDRESS` as `CHAINCODE_ID`.
   */
  contract: string;
  /** `host:port` to listen on. Default `127.0.0.1:0`; port 0 means a free port. */
  address?: string;
  /**
   * Additional environment variables. From this process's environment, the chaincode inherits only `PATH` and
   * the variables that are required to start a program.
   */
  env?: Readonly<Record<string, string>>;
  /**
   * Whether the process is restarted at the same address when it exits on its own, as a container would be. Default
   * false.
   */
  restart?: boolean;
  /** Called with each line of the chaincode's output. */
  onOutput?: (line: string) => void;
  /** Default {@link defaultTiming}. */
  timing?: Timing;
}

/** A chaincode that runs as a service in its own process. */
export interface RunningChaincode {
  /** `host:port`, for the package's connection.json. */
  address: string;
  packageId: string;
  /** The process id, which changes with each restart. */
  readonly pid: number;
  /** Resolves when the process has exited or was stopped. With `restart`, resolves only when it was stopped. */
  ended: Promise<void>;
  /** Stops the process. Idempotent. */
  stop(): Promise<void>;
  /** Kills the process, as a crash would. With `restart` it is started again. */
  kill(): Promise<void>;
}

const portTries = 5;
/** Environment variables that a program needs to start, on any operating system. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'TZ'];

/**
 * Starts an unmodified chaincode on an unmodified fabric-shim, and resolves when it responds with the
 * expected package id. The chaincode process exits when this process exits.
 * @throws DevnetError with the chaincode's output if it does not start
 */
export async function startChaincode(options: StartChaincodeOptions): Promise<RunningChaincode> {
  const [host, port] = splitAddress(options.address ?? '127.0.0.1:0');
  for (let tries = 1; ; tries++) {
    const address = `${host}:${port === 0 ? await freePort(host) : port}`;
    try {
      return await startAt(address, options);
    } catch (error) {
      // Another process took the port after the check and before its use.
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
      // Waits before the restart, because a chaincode that exits immediately would exit again.
      await pause(timing.chaincodeRestart);
      if (stopping) return;
      try {
        current = await launch(command, address, options);
      } catch (error) {
        if (!(error instanceof DevnetError)) throw error;
        options.onOutput?.(error.message);
      }
      // `stop()` was called while the process was starting.
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

/** Starts the process and waits until it responds. */
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
    // The process did not start, so there is no exit event.
    child.once('error', () => done());
  }).then(() => {
    ended.abort();
    // Ends the watcher process.
    child.stdin.destroy();
  });
  const launched = { child, pid: child.pid ?? 0, end };
  try {
    await answering(address, options, ended.signal);
    return launched;
  } catch (cause) {
    await terminate(launched, 'SIGKILL', options.timing);
    throw new DevnetError(
      `The chaincode ${options.contract} did not start at ${address}. It printed: ${printed() || 'nothing'}`,
      { cause },
    );
  }
}

/** Resolves when the service responds with the expected package id. */
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
      // The started process may have failed to bind the port, and another service with the same name may have
      // responded.
      if (!ended.aborted) return;
    } catch (error) {
      if (ended.aborted || Date.now() >= deadline) throw error;
    }
    if (ended.aborted) throw new DevnetError('The process ended before it responded.');
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

/** Reads the output, so the pipes do not fill up, and keeps the last part for error messages. */
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
    throw new DevnetError(`"${address}" is not an address. Use host:port.`);
  return [address.slice(0, at), port];
}

/** Returns a free TCP port. */
export async function freePort(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, host, done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new DevnetError('No free port was found.');
  return address.port;
}
