import { AdapterError, type LedgerSession, type SessionCall, wrapCalls } from '@ledger-ops/adapter';

/**
 * Wraps a session and reports each completed call.
 * @param report `result` is `ok`, the code of an AdapterError, or `thrown` for any other error
 */
export function meteredSession(
  session: LedgerSession,
  report: (method: SessionCall, result: string, milliseconds: number) => void,
): LedgerSession {
  return wrapCalls(session, async (method, args, call) => {
    const started = performance.now();
    let result = 'ok';
    try {
      return await call(args);
    } catch (error) {
      result = error instanceof AdapterError ? error.code : 'thrown';
      throw error;
    } finally {
      report(method, result, performance.now() - started);
    }
  });
}
