import type { NativeContent, Operation } from './types.ts';

/**
 * Writes an effective operation as one deterministic text, for hashing and for telling two operations apart:
 * JSON with sorted members, without spaces, bigint as decimal text, absent members left out.
 */
export function operationKey(operation: Operation): string {
  return canonical(operation);
}

/**
 * The operation without what may be neither stored in the clear nor logged: of transient data only the names are left,
 * with empty values.
 */
export function withoutSecrets<Of extends { native: NativeContent }>(operation: Of): Of {
  const { native } = operation;
  if (native.technology !== 'hyperledger-fabric' || native.transient === undefined) return operation;
  const names = Object.keys(native.transient).map((name) => [name, '']);
  return { ...operation, native: { ...native, transient: Object.fromEntries(names) } };
}

function canonical(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const record: Record<string, unknown> = { ...value };
  let members = '';
  // Sorted by UTF-16 code units, as RFC 8785 does.
  for (const key of Object.keys(record).sort()) {
    const member = record[key];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonical(member)}`;
  }
  return `{${members}}`;
}
