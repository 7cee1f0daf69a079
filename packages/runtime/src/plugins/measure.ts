import { AdapterError, type LedgerSession } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { failureOf, failureWords } from '@ledger-ops/plugin-host';
import type { LedgerDefinition } from '../ledger-definition.ts';

/** Of the calls of a plugin. */
export interface Measurements {
  /** Milliseconds, a moving average over about twenty calls. */
  latency: number | null;
  lastError: { at: number; detail: string } | null;
}

/** Weight of the newest call. */
const weight = 0.1;
/** Failures that say something of the plugin or its ledger; all others are answers. */
const telling = new Set(['adapter-fault', 'unavailable', 'timeout']);

/**
 * The same adapter; how long its sessions' calls take, and what failed last, is written down.
 * @param failed told of what a plugin threw that is no AdapterError, by its name, code and place: what it says may be
 *   anything that the plugin has read, credentials of ledgers among it
 */
export function measured(
  definition: LedgerDefinition,
  measurements: Measurements,
  now: () => number,
  failed: (words: string) => void,
): LedgerDefinition {
  async function timed<Result>(call: () => Promise<Result>): Promise<Result> {
    const start = performance.now();
    try {
      const result = await call();
      const taken = performance.now() - start;
      const { latency } = measurements;
      measurements.latency = latency === null ? taken : latency + weight * (taken - latency);
      return result;
    } catch (error) {
      if (!(error instanceof AdapterError) || telling.has(error.code)) {
        const detail =
          error instanceof AdapterError ? error.message : 'It failed with something that is no AdapterError.';
        measurements.lastError = { at: now(), detail };
        const thrown = thrownWords(error);
        if (thrown !== undefined) failed(thrown);
      }
      throw error;
    }
  }

  function session(inner: LedgerSession): LedgerSession {
    return {
      chain: (request) => timed(() => inner.chain(request)),
      createWallet: (request) => timed(() => inner.createWallet(request)),
      advanceWallet: (advance) => timed(() => inner.advanceWallet(advance)),
      check: (request) => timed(() => inner.check(request)),
      estimate: (requests) => timed(() => inner.estimate(requests)),
      prepare: (requests) => timed(() => inner.prepare(requests)),
      advance: (advances) => timed(() => inner.advance(advances)),
      submit: (submissions) => timed(() => inner.submit(submissions)),
      confirm: (request) => timed(() => inner.confirm(request)),
      onHead: (listener) => inner.onHead(listener),
      sequences: (addresses, options) => timed(() => inner.sequences(addresses, options)),
      balances: (addresses) => timed(() => inner.balances(addresses)),
      normaliseAddress: (address) => timed(() => inner.normaliseAddress(address)),
      emulate: (request) => timed(() => inner.emulate(request)),
      lookup: (txId) => timed(() => inner.lookup(txId)),
      close: () => inner.close(),
      ...optional(inner),
    };
  }

  /** Powers that a session may lack. */
  function optional(inner: LedgerSession): Partial<LedgerSession> {
    const { renewWallet, replace, inspect, describeContract, contractEvents } = inner;
    const { emulateAs, advanceEmulation } = inner;
    return {
      ...(renewWallet && { renewWallet: (wallet) => timed(() => renewWallet.call(inner, wallet)) }),
      ...(replace && { replace: (requests) => timed(() => replace.call(inner, requests)) }),
      ...(inspect && { inspect: (requests) => timed(() => inspect.call(inner, requests)) }),
      ...(describeContract && {
        describeContract: (address) => timed(() => describeContract.call(inner, address)),
      }),
      ...(contractEvents && {
        contractEvents: (request) => timed(() => contractEvents.call(inner, request)),
      }),
      ...(emulateAs && { emulateAs: (request) => timed(() => emulateAs.call(inner, request)) }),
      ...(advanceEmulation && {
        advanceEmulation: (advance) => timed(() => advanceEmulation.call(inner, advance)),
      }),
    };
  }

  return Object.freeze({
    ...definition,
    readInterface: (text: string) => timed(() => definition.readInterface(text)),
    open: async (...given: Parameters<LedgerDefinition['open']>) =>
      session(await timed(() => definition.open(...given))),
  });
}

/** For people; undefined for an error that is an answer of an adapter's. */
export function thrownWords(error: unknown): string | undefined {
  if (error instanceof Problem) return undefined;
  const thrown = error instanceof AdapterError ? error.cause : error;
  const isAtFault = !(error instanceof AdapterError) || error.code === 'adapter-fault';
  return thrown === undefined || !isAtFault ? undefined : failureWords(failureOf(thrown));
}
