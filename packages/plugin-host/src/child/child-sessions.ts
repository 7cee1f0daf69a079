import { AsyncLocalStorage } from 'node:async_hooks';
import type {
  AdapterDefinition,
  AdapterHost,
  AdapterProblem,
  LedgerSession,
  SessionCall,
} from '@ledger-ops/adapter';
import { failureOf } from '../failure.ts';
import { isLine } from '../log-line.ts';
import type { BrokenReason, FromChild, ToChild } from '../messages/messages.ts';
import { PendingTransactions } from '../messages/pending-delta.ts';
import { gatherRequests } from './ended-requests.ts';

interface OpenSession {
  session: LedgerSession;
  end: AbortController;
  pending: PendingTransactions;
  stopHeads?: () => void;
}

type Send = (message: FromChild) => void;

/** Trace contexts of the current calls. */
const traces = new AsyncLocalStorage<string | undefined>();

/** Returns the members of a definition that can be sent to the host. */
function plainMembers(definition: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(definition).filter(([, member]) => typeof member !== 'function'));
}

/** An adapter may throw the class of its own copy of the package, so this checks the members. */
function problemOf(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'AdapterError') return undefined;
  return 'problem' in error ? error.problem : undefined;
}

/**
 * Creates an AdapterError as a plain object with its members. A child can read only this package and the
 * module, so it cannot import the class.
 */
function notOffered(method: SessionCall): Error {
  const detail = `The adapter has no ${method}().`;
  const problem: AdapterProblem = { code: 'unsupported-operation', detail };
  return Object.assign(new Error(detail), { name: 'AdapterError', problem });
}

/** The sessions of a child process. */
export class Child {
  readonly #send: Send;
  readonly #show: ((thrown: unknown) => void) | undefined;
  readonly #sessions = new Map<number, OpenSession>();
  #definition: AdapterDefinition | undefined;
  /** Milliseconds that the host's clock is ahead of this process's clock. */
  #ahead = 0;

  /** @param show receives all errors that the module throws, except AdapterErrors */
  constructor(send: Send, show?: (thrown: unknown) => void) {
    this.#send = send;
    this.#show = show;
  }

  /** Uses the module's default export. Returns its plain members, or why it cannot be used. */
  use(module: unknown): Record<string, unknown> | BrokenReason {
    const definition =
      typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
    if (typeof definition !== 'object' || definition === null) return 'no-default';
    if (typeof Reflect.get(definition, 'open') !== 'function') return 'no-open';
    if (typeof Reflect.get(definition, 'readInterface') !== 'function') return 'no-read-interface';
    // The host checks the members and every answer.
    this.#definition = definition as AdapterDefinition;
    return plainMembers(definition);
  }

  handle(message: ToChild): void {
    if ('now' in message) this.#ahead = message.now - Date.now();
    switch (message.t) {
      case 'open':
        this.#answer(message.id, () => this.#open(message));
        break;
      case 'call':
        this.#answer(message.id, () => {
          const { session } = this.#session(message.session);
          const method = session[message.method];
          if (method === undefined && message.optional) throw notOffered(message.method);
          if (method === undefined) throw new TypeError(`the session has no ${message.method}()`);
          return traces.run(message.trace, () => Reflect.apply(method, session, message.args));
        });
        break;
      case 'confirm':
        this.#answer(message.id, () => {
          const { session, pending } = this.#session(message.session);
          // The adapter returned this cursor before.
          const cursor = message.cursor as Parameters<LedgerSession['confirm']>[0]['cursor'];
          return pending.read(message.pending, (all) => session.confirm({ cursor, pending: all }));
        });
        break;
      case 'interface':
        this.#answer(message.id, async () => this.#definition?.readInterface(message.text));
        break;
      case 'heads':
        this.#heads(message.session, message.on);
        break;
      case 'close':
        this.#close(message.session);
        break;
      case 'ping':
        this.#send({ t: 'pong', id: message.id, rss: process.memoryUsage.rss() });
        break;
    }
  }

  async #open({ session: number, ledger, counted }: ToChild & { t: 'open' }): Promise<void> {
    if (this.#definition === undefined) throw new TypeError('the module is not loaded');
    const end = new AbortController();
    const host: AdapterHost = {
      now: () => Date.now() + this.#ahead,
      log: (level, event, fields = {}) => {
        const told = isLine(fields) ? fields : { leftOut: '(the log line was too long)' };
        this.#send({ t: 'log', session: number, level, event, fields: told });
      },
      signal: end.signal,
      traceparent: () => traces.getStore(),
      ...(this.#show && { threw: this.#show }),
      ...(counted && {
        requested: gatherRequests((requests) => this.#send({ t: 'requests', session: number, requests })),
      }),
    };
    const session = await this.#definition.open(ledger, host);
    // The host may open a session again after a timeout.
    this.#close(number);
    this.#sessions.set(number, { session, end, pending: new PendingTransactions() });
  }

  #session(number: number): OpenSession {
    const found = this.#sessions.get(number);
    if (found === undefined) throw new TypeError('the session is not open');
    return found;
  }

  #heads(number: number, on: boolean): void {
    const open = this.#sessions.get(number);
    if (open === undefined) return;
    open.stopHeads?.();
    delete open.stopHeads;
    if (!on) return;
    open.stopHeads = open.session.onHead(({ height, hash }) =>
      this.#send({ t: 'head', session: number, head: { height, hash } }),
    );
  }

  #close(number: number): void {
    const open = this.#sessions.get(number);
    if (open === undefined) return;
    this.#sessions.delete(number);
    open.stopHeads?.();
    open.end.abort();
    void Promise.resolve(open.session.close()).catch(() => undefined);
  }

  #answer(id: number, run: () => unknown): void {
    const settle = async () => {
      try {
        const value = await run();
        this.#send({ t: 'answer', id, value });
      } catch (error) {
        this.#refuse(id, error);
      }
    };
    void settle();
  }

  #refuse(id: number, error: unknown): void {
    const problem = problemOf(error);
    if (problem === undefined) this.#show?.(error);
    else {
      if (error instanceof Error && error.cause !== undefined) this.#show?.(error.cause);
      try {
        // The host checks that it is a problem.
        this.#send({ t: 'refusal', id, problem });
        return;
      } catch {
        // The value contains something that cannot be cloned. It is reported as an exception.
      }
    }
    this.#send({ t: 'thrown', id, failure: failureOf(error) });
  }
}
