import { AdapterError, wrapCalls } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { failureOf, failureWords } from '@ledger-ops/plugin-host';
import type { LedgerDefinition } from '../ledger-definition.ts';

export interface Measurements {
  /** Moving average of the duration over about twenty calls, in milliseconds. */
  latency: number | null;
  lastError: { at: number; detail: string } | null;
}

/** Weight of the newest call in the moving average. */
const weight = 0.1;
/** Error codes that count as failures of the plugin or its ledger. All other errors are valid responses. */
const faultCodes = new Set(['adapter-fault', 'unavailable', 'timeout']);

/**
 * Wraps an adapter and records the duration of its sessions' calls and the last failure.
 * @param failed receives the name, code and location of errors that are not AdapterErrors; their messages may contain
 *   anything that the plugin has read, including ledger credentials
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
      if (!(error instanceof AdapterError) || faultCodes.has(error.code)) {
        const detail =
          error instanceof AdapterError
            ? error.message
            : 'The plugin failed with an error that is not an AdapterError.';
        measurements.lastError = { at: now(), detail };
        const thrown = thrownWords(error);
        if (thrown !== undefined) failed(thrown);
      }
      throw error;
    }
  }

  return Object.freeze({
    ...definition,
    readInterface: (text: string) => timed(() => definition.readInterface(text)),
    open: async (...given: Parameters<LedgerDefinition['open']>) =>
      wrapCalls(await timed(() => definition.open(...given)), (_, args, call) => timed(() => call(args))),
  });
}

/** Returns a message for users about a failed call; undefined if the error is a valid response of the adapter. */
export function thrownWords(error: unknown): string | undefined {
  if (error instanceof Problem) return undefined;
  const thrown = error instanceof AdapterError ? error.cause : error;
  const isAtFault = !(error instanceof AdapterError) || error.code === 'adapter-fault';
  return thrown === undefined || !isAtFault ? undefined : failureWords(failureOf(thrown));
}
