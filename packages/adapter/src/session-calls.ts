import type { Capabilities } from './contract/definition.ts';
import type { Phase } from './contract/problem.ts';
import type { LedgerSession, SessionCall, SessionCalls } from './host.ts';

/** Properties of a session method. */
type CallOf<Method extends SessionCall> = {
  /** Phase of its errors. */
  phase: Phase;
  /** The capability that the method requires. Without it, the method is refused or absent. */
  capability?: keyof Capabilities;
} & (Parameters<SessionCalls[Method]>[0] extends unknown[]
  ? { /** Takes a list of requests and returns one answer per request, in the same order. */ batch: true }
  : { batch?: never }) &
  (undefined extends LedgerSession[Method]
    ? { /** Whether the method is absent from sessions without the capability. */ optional: true }
    : { optional?: never });

/**
 * All calls of a session. Authors' sessions, guards, proxies, child processes, metrics and the conformance
 * kit all use this table.
 */
export const sessionCalls: { readonly [Method in keyof SessionCalls]: CallOf<Method> } = {
  chain: { phase: 'open' },
  createWallet: { phase: 'wallet' },
  advanceWallet: { phase: 'wallet' },
  renewWallet: { phase: 'wallet', optional: true },
  check: { phase: 'check' },
  estimate: { phase: 'estimate', batch: true },
  prepare: { phase: 'prepare', batch: true },
  advance: { phase: 'prepare', batch: true },
  submit: { phase: 'submit', batch: true },
  replace: { phase: 'prepare', capability: 'onDemandReplacement', batch: true, optional: true },
  inspect: { phase: 'confirm', capability: 'onDemandReplacement', batch: true, optional: true },
  confirm: { phase: 'confirm' },
  sequences: { phase: 'check', capability: 'sequence', batch: true },
  balances: { phase: 'check', capability: 'balance', batch: true },
  normaliseAddress: { phase: 'check' },
  describeContract: { phase: 'interface', capability: 'describesContracts', optional: true },
  contractEvents: { phase: 'lookup', capability: 'contractEvents', optional: true },
  emulate: { phase: 'emulate', capability: 'emulation' },
  emulateAs: { phase: 'emulate', capability: 'signedEmulation', optional: true },
  advanceEmulation: { phase: 'emulate', capability: 'signedEmulation', optional: true },
  lookup: { phase: 'lookup', capability: 'lookup' },
  transactionAt: { phase: 'lookup', optional: true },
  transactionsOf: { phase: 'lookup', capability: 'listsTransactions', optional: true },
  signersOf: { phase: 'lookup', capability: 'listsTransactions', batch: true, optional: true },
};

// The cast is safe, because the literal has exactly the keys of its type.
export const methods = Object.keys(sessionCalls) as SessionCall[];

/** Whether the capabilities include the method. */
export function isDeclared(method: SessionCall, capabilities: Capabilities): boolean {
  const { capability } = sessionCalls[method];
  const value = capability === undefined ? true : capabilities[capability];
  return value === true || value === 'account';
}

/**
 * Creates the calls of a session from one function. Omits each optional method for which `isOffered` returns
 * false.
 */
export function createCalls(
  run: (method: SessionCall, args: unknown[]) => Promise<unknown>,
  isOffered: (method: SessionCall) => boolean = () => true,
): Pick<LedgerSession, SessionCall> {
  const offered = methods.filter((method) => sessionCalls[method].optional !== true || isOffered(method));
  const calls = offered.map((method) => [method, (...args: unknown[]) => run(method, args)]);
  // `run` receives a method's arguments and returns the method's result.
  return Object.fromEntries(calls) as Pick<LedgerSession, SessionCall>;
}

/** Wraps each call of a session. `call` runs the session's own method. Methods that the session lacks stay absent. */
export function wrapCalls(
  session: LedgerSession,
  run: (
    method: SessionCall,
    args: unknown[],
    call: (args: unknown[]) => Promise<unknown>,
  ) => Promise<unknown>,
): LedgerSession {
  // `isOffered` omits the methods that the session lacks, so they are never called.
  const own = session as LedgerSession & SessionCalls;
  const calls = createCalls(
    (method, args) => run(method, args, (given) => Reflect.apply(own[method], session, given)),
    (method) => session[method] !== undefined,
  );
  return { ...calls, onHead: (listener) => session.onHead(listener), close: () => session.close() };
}
