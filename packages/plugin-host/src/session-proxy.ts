import type {
  AdapterHost,
  Capabilities,
  Head,
  LedgerConfig,
  LedgerSession,
  PendingTransaction,
  Phase,
} from '@ledger-ops/adapter';
import { AdapterError, adapterError } from '@ledger-ops/adapter';
import type { AnswerReaders } from './answers.ts';
import type { Endpoints } from './connections/endpoints.ts';
import type { Life } from './life.ts';
import type { PendingDelta, SessionCall, ToChild } from './messages/messages.ts';
import { createDeltaWriter } from './messages/pending-delta.ts';
import { phaseOf } from './phase-of.ts';
import type { Redactor } from './redact.ts';
import type { Supervisor } from './supervisor.ts';

/** A session as one process has opened it. */
interface Opening {
  life: Life;
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
  /** The definition's. */
  capabilities: Capabilities;
  /** Where the process may connect. */
  endpoints: Endpoints;
}

/**
 * A session that lives in a child process. It is opened again in whatever process is up, when it is next
 * needed: a session holds nothing that may be lost.
 * @throws AdapterError what the module's `open` throws; a process that is down opens later.
 */
export async function openProxy(parts: ProxyParts): Promise<LedgerSession> {
  const { number, ledger, host, supervisor, readers, redactor, capabilities, endpoints } = parts;
  const counted = host.requested !== undefined;
  const end = new AbortController();
  const listeners = new Set<(head: Head) => void>();
  let opening: Opening | undefined;

  const closedError = (phase: Phase) =>
    adapterError('unavailable', `The session of ledger ${ledger.ledgerId} is closed.`, { phase });

  const open = (life: Life): Opening => {
    if (opening?.life === life) return opening;
    const asked = supervisor.ask(life, {
      phase: 'open',
      what: 'open()',
      message: (id) => ({ t: 'open', id, session: number, ledger, now: host.now(), counted }),
    });
    const one: Opening = {
      life,
      done: asked.then(() => undefined),
      isDone: false,
      writeDelta: createDeltaWriter(),
    };
    opening = one;
    one.done.then(
      () => {
        one.isDone = true;
        if (end.signal.aborted) life.send({ t: 'close', session: number });
        else if (listeners.size > 0) life.send({ t: 'heads', session: number, on: true });
      },
      () => {
        if (opening === one) opening = undefined;
      },
    );
    return one;
  };

  const ask = async (
    method: SessionCall,
    message: (id: number, opening: Opening) => ToChild,
  ): Promise<unknown> => {
    const phase = phaseOf[method];
    if (end.signal.aborted) throw closedError(phase);
    const one = open(supervisor.life(phase));
    await one.done;
    if (end.signal.aborted) throw closedError(phase);
    const question = { phase, what: `${method}()`, signal: end.signal };
    return supervisor.ask(one.life, { ...question, message: (id) => message(id, one) });
  };

  const call = async <Result>(
    method: SessionCall,
    args: unknown[],
    read: (value: unknown) => Promise<Result>,
  ): Promise<Result> => {
    const trace = host.traceparent?.();
    const traced = trace === undefined ? {} : { trace };
    return read(
      await ask(method, (id) => ({
        t: 'call',
        id,
        session: number,
        method,
        args,
        now: host.now(),
        ...traced,
      })),
    );
  };

  endpoints.add(number, ledger);
  const stopEvents = supervisor.onEvent(number, (event) => {
    if (event.t === 'head') {
      for (const listener of listeners) listener(event.head);
      return;
    }
    if (event.t === 'requests') {
      for (const request of event.requests) host.requested?.(...request);
      return;
    }
    host.log(event.level, redactor.redact(event.event), redactor.redactJson(event.fields));
  });
  // Heads go on after a restart, though nobody calls.
  const stopUp = supervisor.onUp((life) => {
    if (listeners.size > 0) open(life).done.catch(() => undefined);
  });

  const close = () => {
    if (end.signal.aborted) return;
    end.abort();
    host.signal.removeEventListener('abort', close);
    listeners.clear();
    stopEvents();
    stopUp();
    endpoints.remove(number);
    const one = opening;
    one?.done.then(
      () => {
        one.life.send({ t: 'close', session: number });
        one.life.reviewConnections();
      },
      () => undefined,
    );
  };
  host.signal.addEventListener('abort', close);
  if (host.signal.aborted) close();

  const session: LedgerSession = {
    chain: (request) => call('chain', request === undefined ? [] : [request], readers.chain(request)),
    createWallet: (request) => call('createWallet', [request], readers.createWallet(request)),
    advanceWallet: (advance) => call('advanceWallet', [advance], readers.advanceWallet(advance)),
    // Asked only of wallets whose adapter said when they are to be renewed.
    renewWallet: (wallet) => call('renewWallet', [wallet], readers.renewWallet(wallet)),
    check: (request) => call('check', [request], readers.check(request)),
    estimate: (requests) => call('estimate', [requests], readers.estimate(requests)),
    prepare: (requests) => call('prepare', [requests], readers.prepare(requests)),
    advance: (advances) => call('advance', [advances], readers.advance(advances)),
    ...(capabilities.onDemandReplacement === true
      ? {
          replace: (requests) => call('replace', [requests], readers.replace(requests)),
          inspect: (requests) => call('inspect', [requests], readers.inspect(requests)),
        }
      : {}),
    submit: (submissions) => call('submit', [submissions], readers.submit(submissions)),
    async confirm(request) {
      const read = readers.confirm(request);
      const { cursor } = request;
      // The host goes on changing its map while the session is being opened.
      const pending = new Map(request.pending);
      return read(
        await ask('confirm', (id, { writeDelta }) => {
          const now = host.now();
          return { t: 'confirm', id, session: number, cursor, pending: writeDelta(pending), now };
        }),
      );
    },
    onHead(listener) {
      if (end.signal.aborted) throw closedError('confirm');
      const own = (head: Head) => listener(head);
      listeners.add(own);
      if (listeners.size === 1) listen(true);
      return () => {
        if (listeners.delete(own) && listeners.size === 0) listen(false);
      };
    },
    sequences: (addresses, options) =>
      call(
        'sequences',
        [addresses, ...(options === undefined ? [] : [options])],
        readers.sequences(addresses),
      ),
    balances: (addresses) => call('balances', [addresses], readers.balances(addresses)),
    normaliseAddress: (address) => call('normaliseAddress', [address], readers.normaliseAddress(address)),
    ...(capabilities.describesContracts === true
      ? {
          describeContract: (address) =>
            call('describeContract', [address], readers.describeContract(address)),
        }
      : {}),
    ...(capabilities.contractEvents === true
      ? {
          contractEvents: (request) => call('contractEvents', [request], readers.contractEvents(request)),
        }
      : {}),
    emulate: (request) => call('emulate', [request], readers.emulate(request)),
    ...(capabilities.signedEmulation === true
      ? {
          emulateAs: (request) => call('emulateAs', [request], readers.emulateAs(request)),
          advanceEmulation: (advance) =>
            call('advanceEmulation', [advance], readers.advanceEmulation(advance)),
        }
      : {}),
    lookup: (txId) => call('lookup', [txId], readers.lookup(txId)),
    close: async () => close(),
  };

  /** At once, so that no head of a later call is missed; a session that is being opened does it then. */
  function listen(on: boolean): void {
    if (opening?.isDone === true) opening.life.send({ t: 'heads', session: number, on });
  }

  try {
    await open(supervisor.life('open')).done;
  } catch (error) {
    const passing =
      error instanceof AdapterError && ['unavailable', 'timeout', 'not-opened'].includes(error.code);
    if (!passing) {
      close();
      throw error;
    }
  }
  return session;
}
