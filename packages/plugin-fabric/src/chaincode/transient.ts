import { adapterError, type JsonObject, type Phase } from '@ledger-ops/adapter';
import { invalid } from '../invalid.ts';

/** Bytes of a transient map in all. Peers take 100 MB, but they hold a proposal in memory several times. */
const largest = 5 * 2 ** 20;

/**
 * Transient data from meta (names to base64), as the sealed part of a plan.
 * @throws AdapterError `invalid-argument` at `/native/transient/…`
 */
export function readTransient(
  transient: Readonly<Record<string, string>> | undefined,
  phase: Phase,
): JsonObject | undefined {
  const entries = Object.entries(transient ?? {});
  if (entries.length === 0) return undefined;
  let size = 0;
  for (const [name, value] of entries) {
    const pointer = `/native/transient/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)) {
      throw invalid(phase, pointer, 'must be base64');
    }
    size += Buffer.byteLength(value, 'base64');
  }
  if (size > largest) {
    throw invalid(phase, '/native/transient', `holds ${size} bytes, at most ${largest} are taken`);
  }
  return { transient: Object.fromEntries(entries) };
}

/** @throws AdapterError `invalid-argument` when the sealed part was lost */
export function transientOf(secret: JsonObject | undefined, phase: Phase): Record<string, Uint8Array> {
  const map = secret?.transient;
  if (typeof map !== 'object' || map === null || Array.isArray(map)) {
    throw adapterError(
      'invalid-argument',
      phase,
      'The transient data of this operation are not there any more.',
    );
  }
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, Buffer.from(String(value), 'base64')]),
  );
}
