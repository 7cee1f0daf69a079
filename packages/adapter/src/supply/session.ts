import { readSchema } from '@ledger-ops/glo-core';
import type { ResolvedOperation } from '../contract/check.ts';
import type { Adapter, AdapterHost, Capabilities, LedgerConfig } from '../contract/definition.ts';
import type { Phase } from '../contract/problem.ts';
import type { Awaitable } from '../contract/session.ts';
import { adapterError, isAdapterError } from '../error.ts';
import type { LedgerSession, SessionCall, SessionCalls } from '../host.ts';
import { createCalls, sessionCalls } from '../session-calls.ts';
import { atPhase, withPhase } from './at-phase.ts';
import { declaredMethods } from './declared.ts';
import { answerAll } from './each.ts';
import { headsOf } from './heads.ts';
import { createLife } from './life.ts';
import { listsOf } from './lists.ts';

/**
 * The session's methods, before the parts that all methods share are added: the phase of errors, and the
 * lifetime of the session.
 */
type Supplied = {
  [Method in keyof SessionCalls]: (
    ...args: Parameters<SessionCalls[Method]>
  ) => Awaitable<Awaited<ReturnType<SessionCalls[Method]>>>;
};

/** Opens an author's session and adds everything else that hosts need. */
export async function openSession(
  adapter: Adapter,
  capabilities: Capabilities,
  ledger: LedgerConfig,
  host: AdapterHost,
): Promise<LedgerSession> {
  const { name, description } = adapter;
  const end = new AbortController();
  const session = await atPhase('open', () =>
    adapter.open(ledger, {
      now: () => host.now(),
      log: (...line) => host.log(...line),
      signal: end.signal,
      ...(host.traceparent && { traceparent: () => host.traceparent?.() }),
      ...(host.requested && { requested: (...request) => host.requested?.(...request) }),
    }),
  );
  const declared = await atPhase('open', () => declaredMethods(name, capabilities, session));
  const life = createLife(host, end, () => session.close?.());
  const translate = (error: unknown) => {
    if (isAdapterError(error)) return error;
    host.threw?.(error);
    return session.toAdapterError?.(error) ?? error;
  };
  const onHead = headsOf(session, ledger, end.signal);

  const closedError = (method: SessionCall | 'onHead') =>
    adapterError('unavailable', `The session of ledger ${ledger.ledgerId} is closed.`, {
      phase: method === 'onHead' ? 'confirm' : sessionCalls[method].phase,
    });

  function requireOperation({ type }: ResolvedOperation): void {
    if (capabilities.operations.includes(type)) return;
    throw adapterError('unsupported-operation', `The adapter ${name} does not support ${type}.`);
  }

  function hasPattern(address: string): string {
    const { account, contract = account } = description.addresses;
    const fits = [account, contract].some(
      ({ pattern }) => readSchema({ type: 'string', pattern }).read(address).issues.length === 0,
    );
    if (fits) return address;
    const issue = { pointer: '/address', detail: `must be an address such as ${account.example}` };
    throw adapterError('invalid-argument', `${issue.pointer} ${issue.detail}.`, { issues: [issue] });
  }

  const supplied: Supplied = {
    chain: (request = {}) => session.chain(request),
    createWallet: (request) => session.createWallet(request),
    advanceWallet(advance) {
      if (session.advanceWallet !== undefined) return session.advanceWallet(advance);
      throw adapterError('invalid-argument', 'Wallets of this ledger do not need a signature.');
    },
    renewWallet(wallet) {
      if (session.renewWallet !== undefined) return session.renewWallet(wallet);
      throw adapterError('unsupported-operation', 'Wallets of this ledger cannot be renewed.');
    },
    async check(request) {
      requireOperation(request.operation);
      const readiness = session.estimate === undefined ? 'ready' : 'estimate';
      return { recipients: [], readiness, cost: 0n, ...(await session.check(request)) };
    },
    ...listsOf(session, translate),
    replace: (requests) => answerAll(declared('replace'), translate)(requests),
    inspect: (requests) => answerAll(declared('inspect'), translate)(requests),
    async confirm(request) {
      // The host rejects invalid answers, such as undefined.
      const answer = await session.confirm(request);
      const outcomes = Array.isArray(answer?.outcomes)
        ? answer.outcomes.map((outcome) => withPhase(outcome, 'confirm'))
        : answer?.outcomes;
      return { head: answer?.cursor, reorganised: false, ...answer, outcomes };
    },
    sequences: (addresses, options = {}) => declared('sequences')(addresses, options),
    balances: (addresses) => answerAll(declared('balances'), translate)(addresses),
    normaliseAddress: (address) => session.normaliseAddress?.(address) ?? hasPattern(address),
    describeContract: (address) => declared('describeContract')(address),
    contractEvents: (request) => declared('contractEvents')(request),
    emulate(request) {
      const emulate = declared('emulate');
      requireOperation(request.operation);
      return emulate(request);
    },
    emulateAs(request) {
      const emulateAs = declared('emulateAs');
      requireOperation(request.operation);
      return emulateAs(request);
    },
    advanceEmulation: (advance) => declared('advanceEmulation')(advance),
    lookup: (txId, signed) => declared('lookup')(txId, signed),
    transactionAt: (request) => session.transactionAt?.(request) ?? null,
    transactionsOf: (request) => declared('transactionsOf')(request),
    signersOf: (txIds) => answerAll(declared('signersOf'), translate)(txIds),
  };

  function call(method: SessionCall, args: unknown[]): Promise<unknown> {
    const { phase } = sessionCalls[method];
    const run = async () => withPhases(await Reflect.apply(supplied[method], supplied, args), phase);
    return life.run(
      () => atPhase(phase, run, translate),
      () => closedError(method),
    );
  }

  return {
    ...createCalls(call),
    onHead(listener) {
      if (life.isOver()) throw closedError('onHead');
      return onHead(listener);
    },
    close: life.close,
  };
}

/** Adds the phase to each problem of an answer, or of a list of answers. */
function withPhases(answer: unknown, phase: Phase): unknown {
  return Array.isArray(answer) ? answer.map((one) => withPhase(one, phase)) : withPhase(answer, phase);
}
