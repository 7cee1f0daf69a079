import { AdapterError, type LedgerSession } from '@ledger-ops/adapter';
import { createRedactor } from '@ledger-ops/adapter/process';
import type { LedgerDefinition } from '../types.ts';

/** What the calls of a plugin have shown. */
export interface Measurements {
  /** Milliseconds, a moving average over about twenty calls. */
  latency: number | null;
  lastError: { at: number; detail: string } | null;
}

/** Weight of the newest call. */
const weight = 0.1;
/** Failures that say something of the plugin or its ledger; all others are answers. */
const telling = new Set(['adapter-fault', 'unavailable', 'timeout']);
/** Characters of what is told of one failure. */
const longest = 8_000;

/**
 * The same adapter; how long its sessions' calls take, and what failed last, is written down.
 * @param failed told of what is thrown that is no AdapterError, in its words, without the credentials of the ledgers that were
 *   opened: callers are only told that the plugin is at fault
 */
export function measured(
  definition: LedgerDefinition,
  measurements: Measurements,
  now: () => number,
  failed: (words: string) => void,
): LedgerDefinition {
  const redactor = createRedactor();

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
        if (!(error instanceof AdapterError)) failed(redactor.redact(wordsOf(error)).slice(0, longest));
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
      sequences: (addresses) => timed(() => inner.sequences(addresses)),
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
    const { renewWallet, describeContract, emulateAs, advanceEmulation } = inner;
    return {
      ...(renewWallet && { renewWallet: (wallet) => timed(() => renewWallet.call(inner, wallet)) }),
      ...(describeContract && {
        describeContract: (address) => timed(() => describeContract.call(inner, address)),
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
    open: async (...given: Parameters<LedgerDefinition['open']>) => {
      redactor.learn(given[0]);
      return session(await timed(() => definition.open(...given)));
    },
  });
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? String(error.stack ?? error.message) : typeof error;
}
