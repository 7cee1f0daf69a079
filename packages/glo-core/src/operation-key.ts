import type { GloTechnology } from './technologies/technology.ts';
import type { NativeContent, Operation, OperationType } from './types.ts';

/**
 * Writes an effective operation as one deterministic text, for hashing and comparing: JSON with sorted members, without
 * spaces, bigint as decimal text, undefined members omitted.
 */
export function operationKey(operation: Operation): string {
  return canonical(operation);
}

/**
 * Returns the operation without the content that its technology's schema marks as `writeOnly`, which must
 * neither be stored in plain text nor logged. Returns the operation itself if there is none.
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
  // Every object has this type.
  const record = value as Record<string, unknown>;
  let members = '';
  for (const key of sorted(Object.keys(record))) {
    const member = record[key];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonical(member)}`;
  }
  return `{${members}}`;
}

/** Sorts names in place by UTF-16 code units, as in RFC 8785. For few names, `sort` would allocate more than the names themselves. */
function sorted(names: string[]): string[] {
  if (names.length > 16) return names.sort();
  for (let end = 1; end < names.length; end += 1) {
    for (let at = end; at > 0; at -= 1) {
      const [before = '', name = ''] = [names[at - 1], names[at]];
      if (before <= name) break;
      names[at - 1] = name;
      names[at] = before;
    }
  }
  return names;
}
