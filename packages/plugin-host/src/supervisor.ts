import type { AdapterErrorCode, JsonObject, Phase } from '@ledger-ops/adapter';
import { AdapterError, adapterError } from '@ledger-ops/adapter';
import { problemSaidBy } from '@ledger-ops/adapter/words';
import { backoff } from '@ledger-ops/backoff';
import { createDeniedLog } from './connections/denied.ts';
import type { Endpoints } from './connections/endpoints.ts';
import { type Failure, failureName, failureWords } from './failure.ts';
import { type Ending, type Life, startLife } from './life.ts';
import type { CheckedMessage } from './messages/from-child.ts';
import { brokenReasons, type ToChild } from './messages/messages.ts';
import { createOutputLog } from './output-log.ts';
import type { Redactor } from './redact.ts';
import type { IsolationLevel } from './sandbox/launch.ts';
import { problem as problemSchema } from './schemas.ts';
import type { Timing } from './timing.ts';
import { startTurns } from './turns.ts';

/** State of a plugin's process. */
export interface PluginHealth {
  /** `up`: its calls are answered. `restarting`: it ended, and is or will be started again. */
  state: 'starting' | 'up' | 'restarting' | 'closed';
  isolation: IsolationLevel;
  pid?: number;
  restarts: number;
  /** Why the last process ended. */
  lastFailure?: { at: number; kind: Ending['kind']; detail: string };
  /** Resident memory when it was last looked at. */
  rssBytes: number;
  pendingCalls: number;
}

/** Log of the host. Fields are without secrets. */
export type Log = (level: 'debug' | 'info' | 'warn' | 'error', event: string, fields?: JsonObject) => void;

/** Options of a supervisor. */
export interface SupervisorOptions {
  /** The name by which errors and logs call the plugin. */
  plugin: string;
  isolation: IsolationLevel;
  endpoints: Endpoints;
  module: string;
  readable: readonly string[];
  writable: readonly string[];
  memoryLimitMb: number;
  maxMessageBytes: number;
  showThrown: boolean;
  timing: Timing;
  /** Calls that were never answered, above which a process is ended. */
  maxUnanswered: number;
  redactor: Redactor;
  log: Log;
  onHealth?: ((health: PluginHealth) => void) | undefined;
  /** Checks what a module says of itself. @throws AdapterError */
  accept(definition: unknown): void;
}

/** An event of a session: a head, a log line, or requests that ended. */
export type SessionEvent = CheckedMessage & { t: 'head' | 'log' | 'requests' };

/** One message that is answered, and what it belongs to. */
export interface Question {
  phase: Phase;
  /** For texts: `check()`. */
  what: string;
  /** Ends the wait. */
  signal?: AbortSignal;
  message(id: number): ToChild;
}

/** Keeps a plugin's process running, and asks it. */
export interface Supervisor {
  /** Starts it. @throws AdapterError when it does not become ready */
  start(): Promise<void>;
  /** The process that is up. @throws AdapterError `unavailable` when none is */
  life(phase: Phase): Life;
  /** Asks a process. @throws AdapterError */
  ask(life: Life, question: Question): Promise<unknown>;
  /** Called with each process that comes up. Returns the way to stop. */
  onUp(listener: (life: Life) => void): () => void;
  /** Receives the events of a session. Returns the way to stop. */
  onEvent(session: number, listener: (event: SessionEvent) => void): () => void;
  health(): PluginHealth;
  /** Ends the process for good, and waits until it is gone. Idempotent. */
  close(): Promise<void>;
}

interface Call {
  question: Question;
  settle(result: { value: unknown } | { error: AdapterError }): void;
}

interface Current {
  life: Life;
  up: boolean;
  startedAt: number;
  calls: Map<number, Call>;
  /** Calls whose deadline has passed; an answer may still come. */
  unanswered: Set<number>;
  ready: PromiseWithResolvers<void>;
  /** Why its module is not used, where the process ends by itself. */
  refusal?: AdapterError;
  /** The ping that waits for its answer, and what ends the process if none comes. */
  pinged?: { id: number; check: NodeJS.Timeout };
}

/** Makes a supervisor; nothing runs before `start`. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { plugin, redactor, log, timing } = options;
  let current: Current | undefined;
  let closed = false;
  let endings = 0;
  let timer: NodeJS.Timeout | undefined;
  let restarts = 0;
  let lastFailure: PluginHealth['lastFailure'];
  let nextId = 1;
  const output = createOutputLog(plugin, { log, redact: redactor.redact });
  const denied = createDeniedLog(plugin, { log, redact: redactor.redact });
  const upListeners = new Set<(life: Life) => void>();
  const eventListeners = new Map<number, (event: SessionEvent) => void>();

  const health = (): PluginHealth => {
    const pid = current?.life.pid;
    const idle = restarts > 0 || lastFailure !== undefined ? 'restarting' : 'starting';
    return {
      state: closed ? 'closed' : current?.up === true ? 'up' : idle,
      isolation: options.isolation,
      ...(pid === undefined ? {} : { pid }),
      restarts,
      ...(lastFailure === undefined ? {} : { lastFailure }),
      rssBytes: current?.life.rss ?? 0,
      pendingCalls: current?.calls.size ?? 0,
    };
  };
  const tell = () => options.onHealth?.(health());
  const failure = (code: AdapterErrorCode, phase: Phase, why: string) =>
    adapterError(code, `The plugin ${plugin} cannot answer: ${redactor.redact(why)}.`, { phase });

  const start = async (): Promise<void> => {
    const over = await startTurns.take();
    try {
      if (closed) throw failure('unavailable', 'open', 'it was closed');
      await begin();
    } finally {
      over();
    }
  };

  /** @throws Error when the system lacks what the process is to be started with */
  const begin = (): Promise<void> => {
    const ready = Promise.withResolvers<void>();
    const calls: Current['calls'] = new Map();
    const one: Current = {
      calls,
      unanswered: new Set(),
      ready,
      up: false,
      startedAt: performance.now(),
      life: startLife({
        isolation: options.isolation,
        endpoints: options.endpoints,
        module: options.module,
        readable: options.readable,
        writable: options.writable,
        memoryLimitMb: options.memoryLimitMb,
        maxMessageBytes: options.maxMessageBytes,
        showThrown: options.showThrown,
        memoryCheckMs: timing.memory,
        onMessage: (message) => receive(one, message),
        onDenied: denied,
        onOutput: output.take,
        onEnd: (ending) => ended(one, ending),
      }),
    };
    current = one;
    const late = setTimeout(() => {
      const detail = `it was not ready within ${timing.start} ms`;
      one.life.kill({ kind: 'hung', detail });
    }, timing.start);
    const done = () => clearTimeout(late);
    ready.promise.then(done, done);
    tell();
    return ready.promise;
  };

  const ended = (one: Current, ending: Ending) => {
    if (!closed || ending.kind !== 'closed') {
      lastFailure = { at: Date.now(), kind: ending.kind, detail: redactor.redact(ending.detail) };
      log('warn', 'plugin.ended', { plugin, kind: ending.kind, detail: redactor.redact(ending.detail) });
    }
    const wasUp = one.up;
    one.up = false;
    if (current === one) current = undefined;
    for (const { question, settle } of one.calls.values()) {
      settle({ error: failure('unavailable', question.phase, `${ending.detail} during ${question.what}`) });
    }
    one.calls.clear();
    one.ready.reject(one.refusal ?? failure('adapter-fault', 'open', ending.detail));
    if (wasUp || restarts > 0) scheduleRestart(one.startedAt);
    tell();
  };

  const scheduleRestart = (startedAt: number) => {
    if (closed || timer !== undefined) return;
    if (performance.now() - startedAt >= timing.stable) endings = 0;
    endings += 1;
    const wait = backoff(endings, timing.restart);
    log('info', 'plugin.restart', { plugin, restartInMs: wait });
    timer = setTimeout(() => {
      timer = undefined;
      restarts += 1;
      start().catch((error: unknown) => {
        if (closed || error instanceof AdapterError) return;
        // The system lacks what the last process was started with.
        log('warn', 'plugin.ended', { plugin, kind: 'exited', detail: 'its process cannot be started' });
        scheduleRestart(performance.now());
      });
    }, wait);
  };

  const receive = (one: Current, message: CheckedMessage) => {
    switch (message.t) {
      case 'ready':
        becomeReady(one, message.definition);
        break;
      case 'broken':
        broken(one, message);
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
        eventListeners.get(message.session)?.(message);
        break;
      default:
        answer(one, message);
    }
  };

  const broken = (one: Current, { reason, failure: thrown }: CheckedMessage & { t: 'broken' }) => {
    const why = brokenReasons[reason];
    if (thrown !== undefined) log('error', 'plugin.broken', { plugin, error: failureWords(thrown) });
    const more = thrown === undefined ? '' : ` with ${failureName(thrown)}; the log says where`;
    const error = failure('adapter-fault', 'open', `${why}${more}`);
    // It is writing what it threw, and ends then.
    if (options.showThrown && thrown !== undefined) one.refusal = error;
    else refuse(one, error);
  };

  const refuse = (one: Current, error: AdapterError) => {
    one.ready.reject(error);
    one.life.kill({ kind: 'broken', detail: `it is not usable (${error.message.replace(/\.$/, '')})` });
  };

  const becomeReady = (one: Current, definition: unknown) => {
    if (one.up) {
      one.life.kill({ kind: 'protocol', detail: 'it said twice that it is ready' });
      return;
    }
    try {
      options.accept(definition);
    } catch (error) {
      const unread = () => failure('adapter-fault', 'open', 'what it says of itself cannot be read');
      refuse(one, error instanceof AdapterError ? error : unread());
      return;
    }
    one.up = true;
    one.ready.resolve();
    for (const listener of upListeners) listener(one.life);
    tell();
  };

  const answer = (one: Current, message: CheckedMessage & { t: 'answer' | 'refusal' | 'thrown' }) => {
    const call = one.calls.get(message.id);
    if (call === undefined) {
      if (one.unanswered.delete(message.id)) return;
      one.life.kill({ kind: 'protocol', detail: 'it answered a call that is not open' });
      return;
    }
    one.calls.delete(message.id);
    if (message.t === 'answer') call.settle({ value: message.value });
    else if (message.t === 'refusal') call.settle({ error: reportedError(call.question, message.problem) });
    else call.settle({ error: thrownError(call.question, message.failure) });
  };

  const reportedError = ({ phase, what }: Question, reported: unknown): AdapterError => {
    const parsed = problemSchema.safeParse(reported);
    if (!parsed.success) return failure('adapter-fault', phase, `${what} threw what is no problem`);
    // A problem is JSON, by its schema.
    const shown = redactor.redactJson({ ...parsed.data } as JsonObject);
    if (JSON.stringify(shown) === JSON.stringify(parsed.data))
      return new AdapterError(problemSaidBy(plugin, parsed.data));
    const detail = redactor.redact(parsed.data.detail);
    return new AdapterError(problemSaidBy(plugin, { ...parsed.data, detail, data: {}, issues: [] }));
  };

  const thrownError = ({ phase, what }: Question, thrown: Failure): AdapterError => {
    log('error', 'plugin.threw', { plugin, method: what, error: failureWords(thrown) });
    const name = failureName(thrown);
    return failure(
      'adapter-fault',
      phase,
      `${what} threw ${name}, which is no AdapterError; the log says where`,
    );
  };

  const missed = (one: Current, id: number) => {
    one.unanswered.add(id);
    if (one.unanswered.size > options.maxUnanswered) {
      one.life.kill({ kind: 'hung', detail: `it left ${one.unanswered.size} calls without an answer` });
      return;
    }
    if (one.pinged !== undefined) return;
    const check = setTimeout(() => {
      one.life.kill({ kind: 'hung', detail: 'its process does not respond' });
    }, timing.ping);
    one.pinged = { id: nextId, check };
    one.life.send({ t: 'ping', id: nextId });
    nextId += 1;
    void one.life.ended.then(() => clearTimeout(check));
  };

  return {
    start,
    life(phase) {
      if (closed) throw failure('unavailable', phase, 'it was closed');
      if (current?.up === true) return current.life;
      throw failure(
        'unavailable',
        phase,
        `${lastFailure?.detail ?? 'it is starting'}; it is being restarted`,
      );
    },
    async ask(life, question) {
      const { phase, what, signal } = question;
      if (current?.life !== life) throw failure('unavailable', phase, 'its process was restarted');
      const one = current;
      const id = nextId;
      nextId += 1;
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
        missed(one, id);
        const detail = `The plugin ${plugin} did not answer ${what} within ${timing.call} ms.`;
        settle({ error: adapterError('timeout', detail, { phase }) });
      }, timing.call);
      try {
        const message = question.message(id);
        one.calls.set(id, { question, settle });
        signal?.addEventListener('abort', leave, { once: true });
        life.send(message);
        return await answered.promise;
      } catch (error) {
        if (error instanceof AdapterError) throw error;
        one.calls.delete(id);
        const why = error instanceof RangeError ? error.message : 'it is no plain data';
        const detail = `What is asked of the plugin ${plugin} by ${what} cannot be sent: ${why}.`;
        throw adapterError('invalid-argument', detail, { phase, cause: error });
      } finally {
        clearTimeout(deadline);
        signal?.removeEventListener('abort', leave);
      }
    },
    onUp(listener) {
      upListeners.add(listener);
      return () => void upListeners.delete(listener);
    },
    onEvent(session, listener) {
      eventListeners.set(session, listener);
      return () => void eventListeners.delete(session);
    },
    health,
    async close() {
      closed = true;
      clearTimeout(timer);
      output.close();
      const life = current?.life;
      if (life === undefined) return;
      life.kill({ kind: 'closed', detail: 'it was closed' });
      await life.ended;
    },
  };
}
