import { type ChildProcess, spawn } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { DenialReason } from './connections/denied.ts';
import type { Endpoints } from './connections/endpoints.ts';
import { HostConnections } from './connections/host.ts';
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
  /** A sentence without the plugin's name, for example `its process ended with code 3`. */
  detail: string;
}

export interface PluginProcessOptions {
  isolation: IsolationLevel;
  /** Destinations that the child may connect to. */
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
  /** Called for a destination that the child may not reach. */
  onDenied(place: string, why: DenialReason): void;
  /** Called for each line of the child's standard output or error. */
  onOutput(line: string): void;
  /** Called once, when the process has exited. */
  onEnd(ending: Ending): void;
}

const unaskedKinds: ReadonlySet<string> = new Set(['head', 'log', 'requests', 'pong']);
/** Maximum number of messages per second that answer no call (heads, log lines) before a child is ended. */
const unaskedPerSecond = 2_000;
/** Maximum number of bytes queued for a child that does not read, in addition to one message. */
const unreadBytes = 64 * 1_048_576;
/** Maximum number of values in one message from a child. An outcome has about twenty. */
const mostValues = 400_000;
/** Added to the host's nice value for the child. */
const lessPriority = 5;
const outputLimits = { longest: 2_000, perSecond: 262_144 };

/** Returns the path of the child's program, compiled or not. */
function childProgram(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./child/child.${extension}`, import.meta.url));
}

/**
 * One process that runs a plugin's module. A restart creates another process. Stores the last measured memory
 * of the process and, once the process has ended, the reason.
 */
export class PluginProcess {
  readonly ended: Promise<Ending>;
  readonly #options: PluginProcessOptions;
  readonly #child;
  #known: number | undefined;
  readonly #over = Promise.withResolvers<Ending>();
  #reason: Ending | undefined;
  #rss = 0;
  readonly #isolation: PluginProcessOptions['isolation'];
  readonly #memoryLimitMb: number;
  readonly #stream;
  readonly #connections;
  #second = 0;
  #unasked = 0;
  readonly #limit;
  readonly #stopWatching;

  /** Starts the process. @throws Error if the system lacks what the isolation needs */
  constructor(options: PluginProcessOptions) {
    this.#options = options;
    const { isolation, memoryLimitMb } = options;
    this.#isolation = isolation;
    this.#memoryLimitMb = memoryLimitMb;
    const { command, args, env } = launchOf(this.#isolation, {
      args: [
        ...[childProgram(), options.module, String(options.maxMessageBytes)],
        ...(options.showThrown ? ['show-thrown'] : []),
      ],
      readable: [ownFolder, ...options.readable],
      writable: options.writable,
      memoryLimitMb: this.#memoryLimitMb,
    });
    this.#child = spawn(command, args, {
      env,
      cwd: '/',
      // The child gets its own process group, because a signal to the group crosses namespaces.
      detached: true,
      shell: false,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    });
    // If this process has no file descriptors left, Node creates no streams and reports the reason in this
    // event later.
    this.#child.on('error', () => undefined);
    if (this.#isolation === 'restricted' && this.#child.pid !== undefined) giveWay(this.#child.pid);
    this.#stream = duplexOf(this.#child, 3);
    this.#connections = new HostConnections(
      duplexOf(this.#child, 4),
      options.endpoints,
      (detail) => this.#fault(detail),
      options.onDenied,
    );
    const events: FrameEvents = {
      message: (value) => {
        if (this.#reason !== undefined) return;
        const parsed = fromChild.safeParse(value);
        if (!parsed.success) {
          this.kill({ kind: 'protocol', detail: 'it sent an invalid message' });
          return;
        }
        const message = parsed.data;
        // The memory that the child reports is used only if the system cannot measure it.
        if (message.t === 'pong' && process.platform !== 'linux') this.#rss = message.rss;
        if (unaskedKinds.has(message.t) && this.#unaskedIsTooMuch()) {
          this.kill({ kind: 'protocol', detail: `it sent more than ${unaskedPerSecond} events per second` });
          return;
        }
        this.#options.onMessage(message);
      },
      fault: (detail) => this.kill({ kind: 'protocol', detail: `it sent ${detail}` }),
    };
    readAtPace(this.#stream, createFrameReader(options.maxMessageBytes, events, mostValues));
    // The end of the process explains more than the end of its stream.
    this.#stream.on('error', () => undefined);
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      if (output !== null) readLines(output, outputLimits, options.onOutput);
    }
    this.#limit = this.#memoryLimitMb * 1_048_576;
    this.#stopWatching = watchMemory(
      () => this.#pid(),
      options.memoryCheckMs,
      (bytes) => this.#seen(bytes),
      () => {
        this.send({ t: 'ping', id: 0 });
        this.#seen(this.#rss);
      },
    );
    this.#child.once('error', (error) => {
      const why = failureName(failureOf(error));
      if (this.#child.pid === undefined)
        this.#finish({ kind: 'exited', detail: `its process did not start: ${why}` });
    });
    this.#child.once('exit', (code, signal) => this.#finish(endingOf(code, signal, this.#isolation)));
    this.ended = this.#over.promise;
  }

  /** Process id of the module; undefined until the process exists. */
  get pid(): number | undefined {
    return this.#pid();
  }

  /** Last measured memory, in bytes. */
  get rss(): number {
    return this.#rss;
  }

  /** Ends the process with SIGKILL. Only the first reason is kept. */
  kill(ending: Ending): void {
    if (this.#reason !== undefined) return;
    this.#reason = ending;
    this.#child.kill('SIGKILL');
  }

  /** Closes connections to destinations that are no longer named. */
  reviewConnections(): void {
    this.#connections.review();
  }

  /** @throws Error if the message cannot be cloned, RangeError if it is above the limit. */
  send(message: ToChild): void {
    const frame = encodeFrame(message);
    if (frame.length > this.#options.maxMessageBytes) {
      throw new RangeError(
        `a message of ${frame.length} bytes, which exceeds the limit of ${this.#options.maxMessageBytes}`,
      );
    }
    if (this.#reason !== undefined || this.#stream.destroyed) return;
    this.#stream.write(frame);
    if (this.#stream.writableLength > unreadBytes + this.#options.maxMessageBytes) {
      this.kill({ kind: 'hung', detail: 'it does not read its messages' });
    }
  }

  #pid(): number | undefined {
    if (this.#child.pid !== undefined) this.#known ??= modulePid(this.#child.pid, this.#isolation);
    return this.#known;
  }

  #fault(detail: string): void {
    this.kill({ kind: 'protocol', detail });
  }

  #unaskedIsTooMuch(): boolean {
    const now = Math.floor(performance.now() / 1_000);
    if (now !== this.#second) this.#unasked = 0;
    this.#second = now;
    this.#unasked += 1;
    return this.#unasked > unaskedPerSecond;
  }

  #seen(bytes: number): void {
    this.#rss = bytes;
    if (bytes > this.#limit) {
      this.kill({ kind: 'memory', detail: `its process used more than ${this.#memoryLimitMb} MB of memory` });
    }
  }

  #finish(ending: Ending): void {
    this.#reason ??= ending;
    this.#stopWatching();
    this.#stream.destroy();
    this.#connections.close();
    this.#options.onEnd(this.#reason);
    this.#over.resolve(this.#reason);
  }
}

/** Lowers the child's priority. An isolated process is started with the lower priority. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, Math.min(19, getPriority() + lessPriority));
  } catch {
    // The process has exited, or the system lacks priorities. Its limits still apply.
  }
}

function endingOf(code: number | null, signal: NodeJS.Signals | null, level: IsolationLevel): Ending {
  if (level === 'isolated' && code === notIsolated) {
    const detail = 'it could not be isolated; its output in the log explains why';
    return { kind: 'exited', detail };
  }
  // V8 aborts when its heap is full. The first process of a namespace ignores SIGABRT, and then crashes at
  // the next instruction.
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || (level === 'isolated' && signal === 'SIGSEGV')) {
    return { kind: 'memory', detail: 'its process ran out of memory' };
  }
  return { kind: 'exited', detail: `its process exited with ${signal ?? `code ${code}`}` };
}

function duplexOf(child: ChildProcess, descriptor: 3 | 4): Duplex {
  const stream = child.stdio?.[descriptor];
  if (stream instanceof Duplex) return stream;
  throw new TypeError(`The child process has no stream on descriptor ${descriptor}.`);
}
