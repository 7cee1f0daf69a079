import { readSchema } from '@ledger-ops/glo-core';
import type { ResolvedOperation } from '../contract/check.ts';
import type { Adapter, AdapterHost, Capabilities, LedgerConfig } from '../contract/definition.ts';
import { adapterError, isAdapterError } from '../error.ts';
import type { LedgerSession, SessionCall } from '../host.ts';
import { phaseOf } from '../phases.ts';
import { atPhase, withPhase } from './at-phase.ts';
import { declaredMethods } from './declared.ts';
import { answerAll } from './each.ts';
import { headsOf } from './heads.ts';
import { createLife } from './life.ts';
import { listsOf } from './lists.ts';

/** Opens an author's session, and supplies what hosts need beside it. */
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
  const lists = listsOf(session, translate);
  const onHead = headsOf(session, ledger, end.signal);

  const closedError = (method: SessionCall | 'onHead') =>
    adapterError('unavailable', `The session of ledger ${ledger.ledgerId} is closed.`, {
      phase: method === 'onHead' ? 'confirm' : phaseOf[method],
    });

  function call<Result>(method: SessionCall, run: () => Result | Promise<Result>): Promise<Result> {
    return life.run(
      () => atPhase(phaseOf[method], run, translate),
      () => closedError(method),
    );
  }

  /** A call that answers with problems. */
  function telling<Answer extends object>(
    method: SessionCall,
    run: () => Promise<Answer[]>,
  ): Promise<Answer[]> {
    return call(method, async () => (await run()).map((answer) => withPhase(answer, phaseOf[method])));
  }

  function requireOperation({ type }: ResolvedOperation): void {
    if (capabilities.operations.includes(type)) return;
    throw adapterError('unsupported-operation', `The adapter ${name} has no ${type}.`);
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

  return {
    chain: (request = {}) => call('chain', () => session.chain(request)),
    createWallet: (request) => call('createWallet', () => session.createWallet(request)),
    advanceWallet: (advance) =>
      call('advanceWallet', () => {
        if (session.advanceWallet !== undefined) return session.advanceWallet(advance);
        throw adapterError('invalid-argument', 'Wallets of this ledger need no signature.');
      }),
    renewWallet: (wallet) =>
      call('renewWallet', () => {
        if (session.renewWallet !== undefined) return session.renewWallet(wallet);
        throw adapterError('unsupported-operation', 'Wallets of this ledger are not renewed.');
      }),
    check: (request) =>
      call('check', async () => {
        requireOperation(request.operation);
        const readiness = session.estimate === undefined ? 'ready' : 'estimate';
        return { recipients: [], readiness, cost: 0n, ...(await session.check(request)) };
      }),
    estimate: (requests) => telling('estimate', () => lists.estimate(requests)),
    prepare: (requests) => telling('prepare', () => lists.prepare(requests)),
    advance: (advances) => call('advance', () => lists.advance(advances)),
    submit: (submissions) => telling('submit', () => lists.submit(submissions)),
    replace: (requests) => telling('replace', () => answerAll(declared('replace'), translate)(requests)),
    inspect: (requests) => telling('inspect', () => answerAll(declared('inspect'), translate)(requests)),
    confirm: (request) =>
      call('confirm', async () => {
        const { outcomes, ...settled } = await session.confirm(request);
        const told = outcomes.map((outcome) => withPhase(outcome, 'confirm'));
        return { head: settled.cursor, reorganised: false, ...settled, outcomes: told };
      }),
    onHead(listener) {
      if (life.isOver()) throw closedError('onHead');
      return onHead(listener);
    },
    sequences: (addresses, options = {}) =>
      call('sequences', () => declared('sequences')(addresses, options)),
    balances: (addresses) => call('balances', () => answerAll(declared('balances'), translate)(addresses)),
    normaliseAddress: (address) =>
      call('normaliseAddress', () => session.normaliseAddress?.(address) ?? hasPattern(address)),
    describeContract: (address) => call('describeContract', () => declared('describeContract')(address)),
    contractEvents: (request) => call('contractEvents', () => declared('contractEvents')(request)),
    emulate: (request) =>
      call('emulate', () => {
        const emulate = declared('emulate');
        requireOperation(request.operation);
        return emulate(request);
      }),
    emulateAs: (request) =>
      call('emulateAs', () => {
        const emulateAs = declared('emulateAs');
        requireOperation(request.operation);
        return emulateAs(request);
      }),
    advanceEmulation: (advance) => call('advanceEmulation', () => declared('advanceEmulation')(advance)),
    lookup: (txId) =>
      call('lookup', async () => {
        const found = await declared('lookup')(txId);
        return found === null ? null : withPhase(found, 'lookup');
      }),
    close: life.close,
  };
}
