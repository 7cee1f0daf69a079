import { type ChildProcess, spawn } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { DenialReason } from './connections/denied.ts';
import type { Endpoints } from './connections/endpoints.ts';
import { serveConnections } from './connections/host.ts';
import { failureName, failureOf } from './failure.ts';
import { watchMemory } from './memory-watch.ts';
import { createFrameReader, encodeFrame, type FrameEvents } from './messages/frame.ts';
import { type CheckedMessage, fromChild } from './messages/from-child.ts';
import type { ToChild } from './messages/messages.ts';
import { readAtPace, readLines } from './messages/pace.ts';
import { modulePid } from './own-process.ts';
import { type IsolationLevel, launchOf, notIsolated, ownFolder } from './sandbox/launch.ts';

/** Why a child process ended. */
export interface Ending {
  kind: 'broken' | 'exited' | 'memory' | 'hung' | 'protocol' | 'closed';
  /** A sentence without the plugin's name, e.g. `its process ended with code 3`. */
  detail: string;
}

/** How a child is run. */
export interface LifeOptions {
  isolation: IsolationLevel;
  /** Where it may connect. */
  endpoints: Endpoints;
  /** URL of the module. */
  module: string;
  readable: readonly string[];
  writable: readonly string[];
  memoryLimitMb: number;
  maxMessageBytes: number;
  showThrown: boolean;
  memoryCheckMs: number;
  onMessage(message: CheckedMessage): void;
  /** A place that the child asked for and may not reach. */
  onDenied(place: string, why: DenialReason): void;
  /** A line that the child wrote to its standard output or error. */
  onOutput(line: string): void;
  /** Once, when the process is gone. */
  onEnd(ending: Ending): void;
}

/** One child process, from its start to its end. */
export interface Life {
  /** Of the process that the module is in; undefined before there is one. */
  readonly pid: number | undefined;
  /** Last memory seen, in bytes. */
  readonly rss: number;
  /** @throws Error when the message cannot be cloned, RangeError when it is above the limit. */
  send(message: ToChild): void;
  /** Ends the process with SIGKILL. The first reason counts. */
  kill(ending: Ending): void;
  /** Ends connections to places that are named no more. */
  reviewConnections(): void;
  readonly ended: Promise<Ending>;
}

const unaskedKinds: ReadonlySet<string> = new Set(['head', 'log', 'requests', 'pong']);
/** Messages that belong to no call (heads, log lines) within a second, above which a child is ended. */
const unaskedPerSecond = 2_000;
/** Bytes that may wait for a child that does not read, beyond one message. */
const unreadBytes = 64 * 1_048_576;
/** Values of one message of a child; one action's outcome has about twenty. */
const mostValues = 400_000;
/** How much nicer a process is than its host, as `nice` counts. */
const lessPriority = 5;
const outputLimits = { longest: 2_000, perSecond: 262_144 };

/** Where the child's program is, compiled or not. */
function childProgram(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./child/child.${extension}`, import.meta.url));
}

/**
 * Starts a child process.
 * @throws Error when the system lacks what the isolation needs
 */
export function startLife(options: LifeOptions): Life {
  const { isolation, memoryLimitMb } = options;
  const { command, args, env } = launchOf(isolation, {
    args: [
      ...[childProgram(), options.module, String(options.maxMessageBytes)],
      ...(options.showThrown ? ['show-thrown'] : []),
    ],
    readable: [ownFolder, ...options.readable],
    writable: options.writable,
    memoryLimitMb,
  });
  const child = spawn(command, args, {
    env,
    cwd: '/',
    // A group of its own: a signal to the own group reaches across namespaces.
    detached: true,
    shell: false,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  // Without descriptors Node makes no streams, and says why later.
  child.on('error', () => undefined);
  if (isolation === 'restricted' && child.pid !== undefined) giveWay(child.pid);
  let known: number | undefined;
  const pid = () => {
    if (child.pid !== undefined) known ??= modulePid(child.pid, isolation);
    return known;
  };

  const over = Promise.withResolvers<Ending>();
  let reason: Ending | undefined;
  let rss = 0;
  const kill = (ending: Ending) => {
    if (reason !== undefined) return;
    reason = ending;
    child.kill('SIGKILL');
  };

  const stream = duplexOf(child, 3);
  const fault = (detail: string) => kill({ kind: 'protocol', detail });
  const connections = serveConnections(duplexOf(child, 4), options.endpoints, fault, options.onDenied);
  let second = 0;
  let unasked = 0;
  const unaskedIsTooMuch = () => {
    const now = Math.floor(performance.now() / 1_000);
    if (now !== second) unasked = 0;
    second = now;
    unasked += 1;
    return unasked > unaskedPerSecond;
  };
  const events: FrameEvents = {
    message(value) {
      if (reason !== undefined) return;
      const parsed = fromChild.safeParse(value);
      if (!parsed.success) {
        kill({ kind: 'protocol', detail: 'it sent a message of no known form' });
        return;
      }
      const message = parsed.data;
      // Where the system tells the memory, nobody has to be believed.
      if (message.t === 'pong' && process.platform !== 'linux') rss = message.rss;
      if (unaskedKinds.has(message.t) && unaskedIsTooMuch()) {
        kill({ kind: 'protocol', detail: `it sent more than ${unaskedPerSecond} events in a second` });
        return;
      }
      options.onMessage(message);
    },
    fault: (detail) => kill({ kind: 'protocol', detail: `it sent ${detail}` }),
  };
  readAtPace(stream, createFrameReader(options.maxMessageBytes, events, mostValues));
  // The end of the process says more than the end of its stream.
  stream.on('error', () => undefined);
  for (const output of [child.stdout, child.stderr]) {
    if (output !== null) readLines(output, outputLimits, options.onOutput);
  }

  const limit = memoryLimitMb * 1_048_576;
  const seen = (bytes: number) => {
    rss = bytes;
    if (bytes > limit) {
      kill({ kind: 'memory', detail: `its process took more than ${memoryLimitMb} MB of memory` });
    }
  };
  const stopWatching = watchMemory(pid, options.memoryCheckMs, seen, () => {
    life.send({ t: 'ping', id: 0 });
    seen(rss);
  });

  const finish = (ending: Ending) => {
    reason ??= ending;
    stopWatching();
    stream.destroy();
    connections.close();
    options.onEnd(reason);
    over.resolve(reason);
  };
  child.once('error', (error) => {
    const why = failureName(failureOf(error));
    if (child.pid === undefined) finish({ kind: 'exited', detail: `its process did not start: ${why}` });
  });
  child.once('exit', (code, signal) => finish(endingOf(code, signal, isolation)));

  const life: Life = {
    get pid() {
      return pid();
    },
    get rss() {
      return rss;
    },
    ended: over.promise,
    kill,
    reviewConnections: connections.review,
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

/** Everybody else goes first. An isolated process is started so. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, Math.min(19, getPriority() + lessPriority));
  } catch {
    // It has ended, or the system has no such thing: its limits hold all the same.
  }
}

function endingOf(code: number | null, signal: NodeJS.Signals | null, level: IsolationLevel): Ending {
  if (level === 'isolated' && code === notIsolated) {
    const detail = 'it could not be isolated, which its output in the log explains';
    return { kind: 'exited', detail };
  }
  // V8 aborts when its heap is full; the first process of a namespace gets no SIGABRT and ends by the next instruction.
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || (level === 'isolated' && signal === 'SIGSEGV')) {
    return { kind: 'memory', detail: 'its process ran out of memory' };
  }
  return { kind: 'exited', detail: `its process ended with ${signal ?? `code ${code}`}` };
}

function duplexOf(child: ChildProcess, descriptor: 3 | 4): Duplex {
  const stream = child.stdio?.[descriptor];
  if (stream instanceof Duplex) return stream;
  throw new TypeError(`The child process has no stream on descriptor ${descriptor}.`);
}
