import type {
  AdapterHost,
  Capabilities,
  ConfirmRequest,
  Head,
  LedgerConfig,
  LedgerSession,
  PendingTransaction,
  Phase,
  SessionCall,
} from '@ledger-ops/adapter';
import { AdapterError, adapterError, createCalls, isDeclared, sessionCalls } from '@ledger-ops/adapter';
import type { AnswerReaders } from './answers.ts';
import type { Endpoints } from './connections/endpoints.ts';
import type { PendingDelta, ToChild } from './messages/messages.ts';
import { createDeltaWriter } from './messages/pending-delta.ts';
import type { PluginProcess } from './plugin-process.ts';
import type { Redactor } from './redact.ts';
import type { SessionEvent, Supervisor } from './supervisor.ts';

/** A session as it was opened in one process. */
interface Opening {
  life: PluginProcess;
  done: Promise<void>;
  isDone: boolean;
  writeDelta: (pending: ReadonlyMap<string, PendingTransaction>) => PendingDelta;
}

/** The parts of a session in a child process. */
export interface ProxyParts {
  /** Unique among the sessions of a plugin. */
  number: number;
  ledger: LedgerConfig;
  host: AdapterHost;
  supervisor: Supervisor;
  readers: AnswerReaders;
  redactor: Redactor;
  /** Capabilities of the adapter's definition. */
  capabilities: Capabilities;
  /** Destinations that the process may connect to. */
  endpoints: Endpoints;
}

/**
 * Opens a session in a child process.
 *
 * @throws the AdapterError that the module's `open` throws. If the process is down, the session opens later
 */
export async function openProxy(parts: ProxyParts): Promise<LedgerSession> {
  const proxy = new SessionProxy(parts);
  await proxy.open();
  return proxy.session();
}

/**
 * A session in a child process. The session has no data of its own, so the next call after a restart of the
 * process opens it again.
 */
class SessionProxy {
  readonly #parts: ProxyParts;
  readonly #end = new AbortController();
  readonly #listeners = new Set<(head: Head) => void>();
  readonly #unsubscribe: (() => void)[];
  /** The session in the current process; undefined if it was not opened there yet. */
  #opening: Opening | undefined;

  constructor(parts: ProxyParts) {
    const { number, ledger, host, supervisor, endpoints } = parts;
    this.#parts = parts;
    endpoints.add(number, ledger);
    const close = () => this.#close();
    this.#unsubscribe = [
      supervisor.onEvent(number, (event) => this.#receive(event)),
      // After a restart, heads are reported again even without a call.
      supervisor.onUp((life) => {
        if (this.#listeners.size > 0) this.#openIn(life).done.catch(() => undefined);
      }),
      () => host.signal.removeEventListener('abort', close),
    ];
    host.signal.addEventListener('abort', close);
    if (host.signal.aborted) close();
  }

  async open(): Promise<void> {
    try {
      await this.#openIn(this.#parts.supervisor.life('open')).done;
    } catch (error) {
      const isTemporary =
        error instanceof AdapterError && ['unavailable', 'timeout', 'not-opened'].includes(error.code);
      if (isTemporary) return;
      this.#close();
      throw error;
    }
  }

  session(): LedgerSession {
    return {
      ...createCalls(
        (method, args) => this.#call(method, args),
        (method) => isDeclared(method, this.#parts.capabilities),
      ),
      confirm: (request) => this.#confirm(request),
      onHead: (listener) => this.#onHead(listener),
      close: async () => this.#close(),
    };
  }

  async #call(method: SessionCall, args: unknown[]): Promise<unknown> {
    const { number: session, host, readers } = this.#parts;
    const read = readers(method, args);
    const trace = host.traceparent?.();
    const traced = trace === undefined ? {} : { trace };
    const { optional = false } = sessionCalls[method];
    return read(
      await this.#ask(method, (id) => ({
        ...{ t: 'call', id, session, method, args, optional, now: host.now() },
        ...traced,
      })),
    );
  }

  async #confirm(request: ConfirmRequest): ReturnType<LedgerSession['confirm']> {
    const { number: session, host, readers } = this.#parts;
    const read = readers('confirm', [request]);
    const { cursor } = request;
    // The host may change its map while the session is being opened.
    const pending = new Map(request.pending);
    return read(
      await this.#ask('confirm', (id, { writeDelta }) => {
        const now = host.now();
        return { t: 'confirm', id, session, cursor, pending: writeDelta(pending), now };
      }),
    );
  }

  async #ask(method: SessionCall, message: (id: number, opening: Opening) => ToChild): Promise<unknown> {
    const { supervisor } = this.#parts;
    const { phase } = sessionCalls[method];
    if (this.#end.signal.aborted) throw this.#closedError(phase);
    const opening = this.#openIn(supervisor.life(phase));
    await opening.done;
    if (this.#end.signal.aborted) throw this.#closedError(phase);
    const question = { phase, what: `${method}()`, signal: this.#end.signal };
    return supervisor.ask(opening.life, { ...question, message: (id) => message(id, opening) });
  }

  #openIn(life: PluginProcess): Opening {
    if (this.#opening?.life === life) return this.#opening;
    const { number: session, ledger, host, supervisor } = this.#parts;
    const counted = host.requested !== undefined;
    const asked = supervisor.ask(life, {
      phase: 'open',
      what: 'open()',
      message: (id) => ({ t: 'open', id, session, ledger, now: host.now(), counted }),
    });
    const done = asked.then(() => undefined);
    const opening: Opening = { life, done, isDone: false, writeDelta: createDeltaWriter() };
    this.#opening = opening;
    done.then(
      () => {
        opening.isDone = true;
        if (this.#end.signal.aborted) life.send({ t: 'close', session });
        else if (this.#listeners.size > 0) life.send({ t: 'heads', session, on: true });
      },
      () => {
        if (this.#opening === opening) this.#opening = undefined;
      },
    );
    return opening;
  }

  #receive(event: SessionEvent): void {
    const { host, redactor } = this.#parts;
    switch (event.t) {
      case 'head':
        for (const listener of this.#listeners) listener(event.head);
        break;
      case 'requests':
        for (const request of event.requests) host.requested?.(...request);
        break;
      case 'log':
        host.log(event.level, redactor.redact(event.event), redactor.redactJson(event.fields));
    }
  }

  #onHead(listener: (head: Head) => void): () => void {
    if (this.#end.signal.aborted) throw this.#closedError('confirm');
    const own = (head: Head) => listener(head);
    this.#listeners.add(own);
    if (this.#listeners.size === 1) this.#listen(true);
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#listen(false);
    };
  }

  /**
   * Subscribes to heads or unsubscribes. The message is sent immediately, so that no head after a later call is missed.
   * If the session is not open yet, nothing is sent: opening it subscribes if there are listeners.
   */
  #listen(on: boolean): void {
    const { number: session } = this.#parts;
    if (this.#opening?.isDone === true) this.#opening.life.send({ t: 'heads', session, on });
  }

  #close(): void {
    if (this.#end.signal.aborted) return;
    const { number: session, endpoints } = this.#parts;
    this.#end.abort();
    this.#listeners.clear();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    endpoints.remove(session);
    const opening = this.#opening;
    opening?.done.then(
      () => {
        opening.life.send({ t: 'close', session });
        opening.life.reviewConnections();
      },
      () => undefined,
    );
  }

  #closedError(phase: Phase): AdapterError {
    const detail = `The session of ledger ${this.#parts.ledger.ledgerId} is closed.`;
    return adapterError('unavailable', detail, { phase });
  }
}
