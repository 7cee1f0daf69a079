import { adapterError, type JsonObject, type Phase } from '@ledger-ops/adapter';

/** Reads transient data from meta (names to base64). It is the sealed part of a plan. */
export function readTransient(transient: Record<string, string> | undefined): JsonObject | undefined {
  return transient === undefined || Object.keys(transient).length === 0 ? undefined : { transient };
}

/** @throws AdapterError `invalid-argument` if the sealed part is missing */
export function transientOf(secret: JsonObject | undefined, phase: Phase): Record<string, Uint8Array> {
  const map = secret?.transient;
  if (typeof map !== 'object' || map === null || Array.isArray(map)) {
    throw adapterError('invalid-argument', 'The transient data of this operation is no longer stored.', {
      phase,
    });
  }
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, Buffer.from(String(value), 'base64')]),
  );
}
