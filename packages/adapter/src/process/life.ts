import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { failureName, failureOf } from './failure.ts';
import { createFrameReader, encodeFrame } from './frame.ts';
import { type CheckedMessage, fromChild } from './from-child.ts';
import { watchMemory } from './memory-watch.ts';
import type { ToChild } from './messages.ts';
import { readFlags } from './read-flags.ts';

/** Why a child process ended. */
export interface Ending {
  kind: 'broken' | 'exited' | 'memory' | 'hung' | 'protocol' | 'closed';
  /** A sentence without the plugin's name, e.g. `its process ended with code 3`. */
  detail: string;
}

/** How a child is run. */
export interface LifeOptions {
  /** URL of the module. */
  module: string;
  readable: readonly string[];
  writable: readonly string[];
  memoryLimitMb: number;
  maxMessageBytes: number;
  memoryCheckMs: number;
  onMessage(message: CheckedMessage): void;
  /** A line that the child wrote to its standard output or error. */
  onOutput(line: string): void;
  /** Once, when the process is gone. */
  onEnd(ending: Ending): void;
}

/** One child process, from its start to its end. */
export interface Life {
  readonly pid: number | undefined;
  /** Last memory seen, in bytes. */
  readonly rss: number;
  /** @throws Error when the message cannot be cloned, RangeError when it is above the limit. */
  send(message: ToChild): void;
  /** Ends the process with SIGKILL. The first reason counts. */
  kill(ending: Ending): void;
  readonly ended: Promise<Ending>;
}

/** Messages that nobody asked for (heads, log lines) within a second, above which a child is ended. */
const unaskedPerSecond = 2_000;
/** Bytes that may wait for a child that does not read, beyond one message. */
const unreadBytes = 64 * 1_048_576;
const outputLine = 2_000;

/** Where the child's program is: beside this file, compiled or not. */
function childProgram(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./child.${extension}`, import.meta.url));
}

/** Conditions under which this process resolves packages hold for the child too. */
function conditions(): string[] {
  return process.execArgv.flatMap((argument, index, all) => {
    if (/^(--conditions|-C)=/.test(argument)) return [argument];
    const next = all[index + 1];
    return /^(--conditions|-C)$/.test(argument) && next !== undefined ? [`--conditions=${next}`] : [];
  });
}

/**
 * Where the system has it, the kernel ends the child with its parent, even one that is in an endless loop. Without
 * it, the child ends when it next looks at the stream.
 */
function deathWithParent(): string[] {
  const tool = '/usr/bin/setpriv';
  if (process.platform !== 'linux' || !existsSync(tool) || realpathSync(tool) !== tool) return [];
  return [tool, '--pdeathsig', 'KILL', '--'];
}

/** Starts a child process. */
export function startLife(options: LifeOptions): Life {
  const program = childProgram();
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const [command = process.execPath, ...args] = [
    ...deathWithParent(),
    process.execPath,
    '--permission',
    // Newer versions of Node ask for the network as well.
    ...(process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
    ...readFlags([folder, ...options.readable]),
    ...options.writable.map((path) => `--allow-fs-write=${path}`),
    ...conditions(),
    `--max-old-space-size=${options.memoryLimitMb}`,
    '--disable-warning=ExperimentalWarning',
    program,
    options.module,
    String(options.maxMessageBytes),
  ];
  const child = spawn(command, args, {
    env: {},
    cwd: '/',
    shell: false,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });

  const over = Promise.withResolvers<Ending>();
  let reason: Ending | undefined;
  let rss = 0;
  const kill = (ending: Ending) => {
    if (reason !== undefined) return;
    reason = ending;
    child.kill('SIGKILL');
  };

  const stream = duplexOf(child);
  let second = 0;
  let unasked = 0;
  const unaskedIsTooMuch = () => {
    const now = Math.floor(performance.now() / 1_000);
    if (now !== second) unasked = 0;
    second = now;
    unasked += 1;
    return unasked > unaskedPerSecond;
  };
  const read = createFrameReader(options.maxMessageBytes, {
    message(value) {
      if (reason !== undefined) return;
      const parsed = fromChild.safeParse(value);
      if (!parsed.success) {
        kill({ kind: 'protocol', detail: 'it sent a message of no known form' });
        return;
      }
      const message = parsed.data;
      if (message.t === 'pong') rss = message.rss;
      if ((message.t === 'head' || message.t === 'log') && unaskedIsTooMuch()) {
        kill({ kind: 'protocol', detail: `it sent more than ${unaskedPerSecond} events in a second` });
        return;
      }
      options.onMessage(message);
    },
    fault: (detail) => kill({ kind: 'protocol', detail: `it sent ${detail}` }),
  });
  stream.on('data', read);
  // The end of the process says more than the end of its stream.
  stream.on('error', () => undefined);
  for (const output of [child.stdout, child.stderr]) readLines(output, options.onOutput);

  const limit = options.memoryLimitMb * 1_048_576;
  const seen = (bytes: number) => {
    rss = bytes;
    if (bytes > limit) {
      kill({ kind: 'memory', detail: `its process took more than ${options.memoryLimitMb} MB of memory` });
    }
  };
  const stopWatching =
    child.pid === undefined
      ? () => undefined
      : watchMemory(child.pid, options.memoryCheckMs, seen, () => {
          life.send({ t: 'ping', id: 0 });
          seen(rss);
        });

  const finish = (ending: Ending) => {
    reason ??= ending;
    stopWatching();
    stream.destroy();
    options.onEnd(reason);
    over.resolve(reason);
  };
  child.once('error', (error) => {
    const why = failureName(failureOf(error));
    if (child.pid === undefined) finish({ kind: 'exited', detail: `its process did not start: ${why}` });
  });
  child.once('exit', (code, signal) => finish(endingOf(code, signal)));

  const life: Life = {
    get pid() {
      return child.pid;
    },
    get rss() {
      return rss;
    },
    ended: over.promise,
    kill,
    send(message) {
      const frame = encodeFrame(message);
      if (frame.length > options.maxMessageBytes) {
        throw new RangeError(
          `a message of ${frame.length} bytes, above the limit of ${options.maxMessageBytes}`,
        );
      }
      if (reason !== undefined || stream.destroyed) return;
      stream.write(frame);
      if (stream.writableLength > unreadBytes + options.maxMessageBytes) {
        kill({ kind: 'hung', detail: 'it does not read what it is sent' });
      }
    },
  };
  return life;
}

function endingOf(code: number | null, signal: NodeJS.Signals | null): Ending {
  // V8 aborts when its heap is full: 134 is what a shell makes of that.
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134) {
    return { kind: 'memory', detail: 'its process ran out of memory' };
  }
  return { kind: 'exited', detail: `its process ended with ${signal ?? `code ${code}`}` };
}

function duplexOf(child: ChildProcess): Duplex {
  const stream = child.stdio[3];
  if (!(stream instanceof Duplex)) throw new TypeError('The child process has no stream on descriptor 3.');
  return stream;
}

function readLines(output: NodeJS.ReadableStream | null, onLine: (line: string) => void): void {
  let rest = '';
  output?.setEncoding('utf8');
  output?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(-outputLine);
    for (const line of lines.slice(0, 100)) if (line.trim() !== '') onLine(line.slice(0, outputLine));
  });
}
