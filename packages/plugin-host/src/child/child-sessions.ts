import { AsyncLocalStorage } from 'node:async_hooks';
import type { AdapterDefinition, AdapterHost, AdapterProblem, LedgerSession } from '@ledger-ops/adapter';
import { failureOf } from '../failure.ts';
import { isLine } from '../log-line.ts';
import type { BrokenReason, FromChild, SessionCall, ToChild } from '../messages/messages.ts';
import { PendingTransactions } from '../messages/pending-delta.ts';
import { phaseOf } from '../phase-of.ts';
import { gatherRequests } from './ended-requests.ts';

interface OpenSession {
  session: LedgerSession;
  end: AbortController;
  pending: PendingTransactions;
  stopHeads?: () => void;
}

type Send = (message: FromChild) => void;

/** Trace contexts of the calls under way. */
const traces = new AsyncLocalStorage<string | undefined>();

/** The members of a definition that can be told to the host. */
function plainMembers(definition: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(definition).filter(([, member]) => typeof member !== 'function'));
}

/** An adapter throws a class of its own copy of this package: what counts is the shape. */
function problemOf(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'AdapterError') return undefined;
  return 'problem' in error ? error.problem : undefined;
}

/** Calls that a session need not have. */
const optional: ReadonlySet<SessionCall> = new Set([
  'renewWallet',
  'replace',
  'inspect',
  'describeContract',
  'contractEvents',
  'emulateAs',
  'advanceEmulation',
]);

/** An AdapterError by its shape: a child reads this package's own files and the module's, and imports no others. */
function notOffered(method: SessionCall): Error {
  const detail = `The adapter has no ${method}().`;
  const problem: AdapterProblem = { code: 'unsupported-operation', phase: phaseOf[method], detail };
  return Object.assign(new Error(detail), { name: 'AdapterError', problem });
}

/** The sessions of a child process, and the calls to them. */
export class Child {
  readonly #send: Send;
  readonly #show: ((thrown: unknown) => void) | undefined;
  readonly #sessions = new Map<number, OpenSession>();
  #definition: AdapterDefinition | undefined;
  /** Milliseconds by which the host's clock is ahead of this process's. */
  #ahead = 0;

  /** @param show is given what the module throws, other than refusals in the contract's words */
  constructor(send: Send, show?: (thrown: unknown) => void) {
    this.#send = send;
    this.#show = show;
  }

  /** Takes the module's default export and gives what the host may know of it, or why it is none. */
  use(module: unknown): Record<string, unknown> | BrokenReason {
    const definition =
      typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
    if (typeof definition !== 'object' || definition === null) return 'no-default';
    if (typeof Reflect.get(definition, 'open') !== 'function') return 'no-open';
    if (typeof Reflect.get(definition, 'readInterface') !== 'function') return 'no-read-interface';
    // The host checks the members, and every answer of the functions.
    this.#definition = definition as AdapterDefinition;
    return plainMembers(definition);
  }

  /** Does what the host asks. */
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
          if (method === undefined && optional.has(message.method)) throw notOffered(message.method);
          if (method === undefined) throw new TypeError(`the session has no ${message.method}()`);
          return traces.run(message.trace, () => Reflect.apply(method, session, message.args));
        });
        break;
      case 'confirm':
        this.#answer(message.id, () => {
          const { session, pending } = this.#session(message.session);
          // The cursor is one that an adapter gave before.
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
        const told = isLine(fields) ? fields : { leftOut: 'more than a line of the log takes' };
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
    // Another try after one that took too long.
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
        // It holds something that cannot be cloned: told as what was thrown.
      }
    }
    this.#send({ t: 'thrown', id, failure: failureOf(error) });
  }
}
