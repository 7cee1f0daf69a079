import type { GloTechnology } from './technologies/technology.ts';
import type { NativeContent, Operation, OperationType } from './types.ts';

/**
 * Writes an effective operation as one deterministic text, for hashing and for telling two operations apart:
 * JSON with sorted members, without spaces, bigint as decimal text, absent members left out.
 */
export function operationKey(operation: Operation): string {
  return canonical(operation);
}

/**
 * The operation without what may be neither stored in the clear nor logged: what the technology's schema says is
 * `writeOnly`. The operation itself when there is nothing of the kind in it.
 */
export function withoutSecrets<Of extends { type: OperationType; native: NativeContent }>(
  operation: Of,
  technology: GloTechnology,
): Of {
  const { type, native } = operation;
  const content = technology.contentOf(type).withoutSecrets(native.content);
  return content === native.content ? operation : { ...operation, native: { ...native, content } };
}

function canonical(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // Any object has members by name.
  const record = value as Record<string, unknown>;
  let members = '';
  // Sorted by UTF-16 code units, as RFC 8785 does.
  for (const key of Object.keys(record).sort()) {
    const member = record[key];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonical(member)}`;
  }
  return `{${members}}`;
}
