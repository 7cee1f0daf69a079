import type { AdapterErrorCode, JsonObject, Phase } from '@ledger-ops/adapter';
import { AdapterError, adapterError } from '@ledger-ops/adapter';
import { problemSaidBy } from '@ledger-ops/adapter/words';
import { backoff } from '@ledger-ops/base/backoff';
import { createDeniedLog } from './connections/denied.ts';
import type { Endpoints } from './connections/endpoints.ts';
import { type Failure, failureName, failureWords } from './failure.ts';
import type { CheckedMessage } from './messages/from-child.ts';
import { brokenReasons, type ToChild } from './messages/messages.ts';
import { createOutputLog } from './output-log.ts';
import { type Ending, PluginProcess } from './plugin-process.ts';
import type { Redactor } from './redact.ts';
import type { IsolationLevel } from './sandbox/launch.ts';
import { problem as problemSchema } from './schemas.ts';
import type { Timing } from './timing.ts';
import { startTurns } from './turns.ts';

/** State of a plugin's process. */
export interface PluginHealth {
  /** `up`: calls are answered. `restarting`: the process ended, and is being or will be started again. */
  state: 'starting' | 'up' | 'restarting' | 'closed';
  isolation: IsolationLevel;
  pid?: number;
  restarts: number;
  /** Why the last process ended. */
  lastFailure?: { at: number; kind: Ending['kind']; detail: string };
  /** Last measured resident memory. */
  rssBytes: number;
  pendingCalls: number;
}

/** The host's log. Fields contain no secrets. */
export type Log = (level: 'debug' | 'info' | 'warn' | 'error', event: string, fields?: JsonObject) => void;

export interface SupervisorOptions {
  /** Name used in errors and logs. */
  plugin: string;
  /** The tenant for which processes are started; undefined for the host itself. */
  tenant: string | undefined;
  isolation: IsolationLevel;
  endpoints: Endpoints;
  module: string;
  readable: readonly string[];
  writable: readonly string[];
  memoryLimitMb: number;
  maxMessageBytes: number;
  showThrown: boolean;
  timing: Timing;
  /** Maximum number of unanswered calls before a process is ended. */
  maxUnanswered: number;
  redactor: Redactor;
  log: Log;
  onHealth?: ((health: PluginHealth) => void) | undefined;
  /** Validates a module's definition. @throws AdapterError */
  accept(definition: unknown): void;
  /** Called before each start of a process. Returns why the module must not be run; undefined if it may be run. */
  refusal?: (() => string | undefined) | undefined;
}

/** An event of a session: a head, a log line, or completed requests. */
export type SessionEvent = CheckedMessage & { t: 'head' | 'log' | 'requests' };

/** One message that has an answer, and its context. */
export interface Question {
  phase: Phase;
  /** The call's name in error messages, such as `check()`. */
  what: string;
  /** Cancels the wait for an answer. */
  signal?: AbortSignal;
  message(id: number): ToChild;
}

interface Call {
  question: Question;
  settle(result: { value: unknown } | { error: AdapterError }): void;
}

interface Current {
  life: PluginProcess;
  up: boolean;
  startedAt: number;
  calls: Map<number, Call>;
  /** Calls whose deadline has passed. Their answers may still arrive. */
  unanswered: Set<number>;
  ready: PromiseWithResolvers<void>;
  /** Why the module is not used, if the process exits by itself. */
  refusal?: AdapterError;
  /** The unanswered ping, and the timer that ends the process. */
  pinged?: { id: number; check: NodeJS.Timeout };
}

/**
 * Keeps a plugin's process running and sends it messages.
 *
 * From `start` to `close`, one process is starting, up, or waiting for a restart with backoff. Calls in
 * progress fail if their process ends.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #plugin: string;
  readonly #redactor: Redactor;
  readonly #log: Log;
  readonly #timing: Timing;
  #current: Current | undefined;
  #closed = false;
  readonly #closing = Promise.withResolvers<undefined>();
  #endings = 0;
  #timer: NodeJS.Timeout | undefined;
  #restarts = 0;
  #lastFailure: PluginHealth['lastFailure'];
  #nextId = 1;
  readonly #output;
  readonly #denied;
  readonly #upListeners = new Set<(life: PluginProcess) => void>();
  readonly #eventListeners = new Map<number, (event: SessionEvent) => void>();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { plugin, redactor, log } = options;
    this.#plugin = plugin;
    this.#redactor = redactor;
    this.#log = log;
    this.#timing = options.timing;
    this.#output = createOutputLog(this.#plugin, { log: this.#log, redact: this.#redactor.redact });
    this.#denied = createDeniedLog(this.#plugin, { log: this.#log, redact: this.#redactor.redact });
  }

  /** Starts the process. @throws AdapterError if it does not become ready */
  async start(): Promise<void> {
    const turn = startTurns.take(this.#options.tenant);
    const end = await Promise.race([turn, this.#closing.promise]);
    if (end === undefined) {
      void turn.then((unused) => unused());
      throw this.#failure('unavailable', 'open', 'it was closed');
    }
    try {
      if (this.#closed) throw this.#failure('unavailable', 'open', 'it was closed');
      const refusal = this.#options.refusal?.();
      if (refusal !== undefined) throw this.#notStarted(refusal);
      await this.#begin();
    } finally {
      end();
    }
  }

  /** Returns the current process. @throws AdapterError `unavailable` if none is up */
  life(phase: Phase): PluginProcess {
    if (this.#closed) throw this.#failure('unavailable', phase, 'it was closed');
    if (this.#current?.up === true) return this.#current.life;
    throw this.#failure(
      'unavailable',
      phase,
      `${this.#lastFailure?.detail ?? 'it is starting'}; it is being restarted`,
    );
  }

  /** Sends a message and waits for its answer. @throws AdapterError */
  async ask(life: PluginProcess, question: Question): Promise<unknown> {
    const { phase, what, signal } = question;
    if (this.#current?.life !== life) throw this.#failure('unavailable', phase, 'its process was restarted');
    const one = this.#current;
    const id = this.#nextId;
    this.#nextId += 1;
    const answered = Promise.withResolvers<unknown>();
    const settle: Call['settle'] = (result) =>
      'error' in result ? answered.reject(result.error) : answered.resolve(result.value);
    const leave = () => {
      if (!one.calls.delete(id)) return;
      one.unanswered.add(id);
      settle({ error: adapterError('unavailable', 'The session is closed.', { phase }) });
    };
    const deadline = setTimeout(() => {
      if (!one.calls.delete(id)) return;
      this.#missed(one, id);
      const detail = `The plugin ${this.#plugin} did not respond to ${what} within ${this.#timing.call} ms.`;
      settle({ error: adapterError('timeout', detail, { phase }) });
    }, this.#timing.call);
    try {
      const message = question.message(id);
      one.calls.set(id, { question, settle });
      signal?.addEventListener('abort', leave, { once: true });
      life.send(message);
      return await answered.promise;
    } catch (error) {
      if (error instanceof AdapterError) throw error;
      one.calls.delete(id);
      const why =
        error instanceof RangeError ? error.message : 'they contain a value that cannot be serialized';
      const detail = `The arguments of ${what} cannot be sent to the plugin ${this.#plugin}: ${why}.`;
      throw adapterError('invalid-argument', detail, { phase, cause: error });
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Calls the listener for each process that comes up. Returns a function that removes the listener. */
  onUp(listener: (life: PluginProcess) => void): () => void {
    this.#upListeners.add(listener);
    return () => void this.#upListeners.delete(listener);
  }

  /** Calls the listener for events of a session. Returns a function that removes the listener. */
  onEvent(session: number, listener: (event: SessionEvent) => void): () => void {
    this.#eventListeners.set(session, listener);
    return () => void this.#eventListeners.delete(session);
  }

  health(): PluginHealth {
    const pid = this.#current?.life.pid;
    const idle = this.#restarts > 0 || this.#lastFailure !== undefined ? 'restarting' : 'starting';
    return {
      state: this.#closed ? 'closed' : this.#current?.up === true ? 'up' : idle,
      isolation: this.#options.isolation,
      ...(pid === undefined ? {} : { pid }),
      restarts: this.#restarts,
      ...(this.#lastFailure === undefined ? {} : { lastFailure: this.#lastFailure }),
      rssBytes: this.#current?.life.rss ?? 0,
      pendingCalls: this.#current?.calls.size ?? 0,
    };
  }

  /** Ends the process permanently and waits until it has exited. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.resolve(undefined);
    clearTimeout(this.#timer);
    this.#output.close();
    const life = this.#current?.life;
    if (life === undefined) return;
    life.kill({ kind: 'closed', detail: 'it was closed' });
    await life.ended;
  }

  #tell() {
    return this.#options.onHealth?.(this.health());
  }

  #failure(code: AdapterErrorCode, phase: Phase, why: string) {
    return adapterError(code, `The plugin ${this.#plugin} cannot respond: ${this.#redactor.redact(why)}.`, {
      phase,
    });
  }

  /** @throws Error if the system lacks the tools for starting the process */
  #begin(): Promise<void> {
    const ready = Promise.withResolvers<void>();
    const calls: Current['calls'] = new Map();
    const one: Current = {
      calls,
      unanswered: new Set(),
      ready,
      up: false,
      startedAt: performance.now(),
      life: new PluginProcess({
        isolation: this.#options.isolation,
        endpoints: this.#options.endpoints,
        module: this.#options.module,
        readable: this.#options.readable,
        writable: this.#options.writable,
        memoryLimitMb: this.#options.memoryLimitMb,
        maxMessageBytes: this.#options.maxMessageBytes,
        showThrown: this.#options.showThrown,
        memoryCheckMs: this.#timing.memory,
        onMessage: (message) => this.#receive(one, message),
        onDenied: this.#denied,
        onOutput: this.#output.take,
        onEnd: (ending) => this.#ended(one, ending),
      }),
    };
    this.#current = one;
    const late = setTimeout(() => {
      const detail = `it was not ready within ${this.#timing.start} ms`;
      one.life.kill({ kind: 'hung', detail });
    }, this.#timing.start);
    const done = () => clearTimeout(late);
    ready.promise.then(done, done);
    this.#tell();
    return ready.promise;
  }

  /** Returns the error of a process that must not be started. A restart is tried again later. */
  #notStarted(why: string): AdapterError {
    this.#reportFailure({ kind: 'broken', detail: why });
    if (this.#restarts > 0) this.#scheduleRestart(performance.now());
    this.#tell();
    return this.#failure('adapter-fault', 'open', why);
  }

  #reportFailure({ kind, detail }: Ending) {
    this.#lastFailure = { at: Date.now(), kind, detail: this.#redactor.redact(detail) };
    this.#log('warn', 'plugin.ended', { plugin: this.#plugin, kind, detail: this.#redactor.redact(detail) });
  }

  #ended(one: Current, ending: Ending) {
    if (!this.#closed || ending.kind !== 'closed') this.#reportFailure(ending);
    const wasUp = one.up;
    one.up = false;
    if (this.#current === one) this.#current = undefined;
    for (const { question, settle } of one.calls.values()) {
      settle({
        error: this.#failure('unavailable', question.phase, `${ending.detail} during ${question.what}`),
      });
    }
    one.calls.clear();
    one.ready.reject(one.refusal ?? this.#failure('adapter-fault', 'open', ending.detail));
    if (wasUp || this.#restarts > 0) this.#scheduleRestart(one.startedAt);
    this.#tell();
  }

  #scheduleRestart(startedAt: number) {
    if (this.#closed || this.#timer !== undefined) return;
    if (performance.now() - startedAt >= this.#timing.stable) this.#endings = 0;
    this.#endings += 1;
    const wait = backoff(this.#endings, this.#timing.restart);
    this.#log('info', 'plugin.restart', { plugin: this.#plugin, restartInMs: wait });
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#restarts += 1;
      this.start().catch((error: unknown) => {
        if (this.#closed || error instanceof AdapterError) return;
        // A program that is needed to start a process is no longer available.
        this.#log('warn', 'plugin.ended', {
          plugin: this.#plugin,
          kind: 'exited',
          detail: 'its process cannot be started',
        });
        this.#scheduleRestart(performance.now());
      });
    }, wait);
  }

  #receive(one: Current, message: CheckedMessage) {
    switch (message.t) {
      case 'ready':
        this.#becomeReady(one, message.definition);
        break;
      case 'broken':
        this.#broken(one, message);
        break;
      case 'pong':
        if (message.id === one.pinged?.id) {
          clearTimeout(one.pinged.check);
          delete one.pinged;
        }
        break;
      case 'head':
      case 'log':
      case 'requests':
        this.#eventListeners.get(message.session)?.(message);
        break;
      default:
        this.#answer(one, message);
    }
  }

  #broken(one: Current, { reason, failure: thrown }: CheckedMessage & { t: 'broken' }) {
    const why = brokenReasons[reason];
    if (thrown !== undefined)
      this.#log('error', 'plugin.broken', { plugin: this.#plugin, error: failureWords(thrown) });
    const more = thrown === undefined ? '' : ` with ${failureName(thrown)}; see the log for the stack trace`;
    const error = this.#failure('adapter-fault', 'open', `${why}${more}`);
    // The process writes the thrown value to its output and then exits.
    if (this.#options.showThrown && thrown !== undefined) one.refusal = error;
    else refuse(one, error);
  }

  #becomeReady(one: Current, definition: unknown) {
    if (one.up) {
      one.life.kill({ kind: 'protocol', detail: 'it reported twice that it is ready' });
      return;
    }
    try {
      this.#options.accept(definition);
    } catch (error) {
      const unread = () => this.#failure('adapter-fault', 'open', 'its description of itself cannot be read');
      refuse(one, error instanceof AdapterError ? error : unread());
      return;
    }
    one.up = true;
    one.ready.resolve();
    for (const listener of this.#upListeners) listener(one.life);
    this.#tell();
  }

  #answer(one: Current, message: CheckedMessage & { t: 'answer' | 'refusal' | 'thrown' }) {
    const call = one.calls.get(message.id);
    if (call === undefined) {
      if (one.unanswered.delete(message.id)) return;
      one.life.kill({ kind: 'protocol', detail: 'it responded to a call that is not pending' });
      return;
    }
    one.calls.delete(message.id);
    if (message.t === 'answer') call.settle({ value: message.value });
    else if (message.t === 'refusal')
      call.settle({ error: this.#reportedError(call.question, message.problem) });
    else call.settle({ error: this.#thrownError(call.question, message.failure) });
  }

  #reportedError({ phase, what }: Question, reported: unknown): AdapterError {
    const parsed = problemSchema.safeParse(reported);
    if (!parsed.success)
      return this.#failure('adapter-fault', phase, `${what} threw a value that is not an error`);
    // The cast is safe, because the schema ensures that a problem is JSON.
    const problem = { phase, ...parsed.data };
    const shown = this.#redactor.redactJson({ ...problem } as JsonObject);
    if (JSON.stringify(shown) === JSON.stringify(problem))
      return new AdapterError(problemSaidBy(this.#plugin, problem));
    const detail = this.#redactor.redact(problem.detail);
    return new AdapterError(problemSaidBy(this.#plugin, { ...problem, detail, data: {}, issues: [] }));
  }

  #thrownError({ phase, what }: Question, thrown: Failure): AdapterError {
    this.#log('error', 'plugin.threw', { plugin: this.#plugin, method: what, error: failureWords(thrown) });
    const name = failureName(thrown);
    return this.#failure(
      'adapter-fault',
      phase,
      `${what} threw ${name}, which is not an AdapterError; see the log for the stack trace`,
    );
  }

  #missed(one: Current, id: number) {
    one.unanswered.add(id);
    if (one.unanswered.size > this.#options.maxUnanswered) {
      one.life.kill({ kind: 'hung', detail: `it left ${one.unanswered.size} calls unanswered` });
      return;
    }
    if (one.pinged !== undefined) return;
    const check = setTimeout(() => {
      one.life.kill({ kind: 'hung', detail: 'its process does not respond' });
    }, this.#timing.ping);
    one.pinged = { id: this.#nextId, check };
    one.life.send({ t: 'ping', id: this.#nextId });
    this.#nextId += 1;
    void one.life.ended.then(() => clearTimeout(check));
  }
}

const refuse = (one: Current, error: AdapterError) => {
  one.ready.reject(error);
  one.life.kill({ kind: 'broken', detail: `it cannot be used (${error.message.replace(/\.$/, '')})` });
};
