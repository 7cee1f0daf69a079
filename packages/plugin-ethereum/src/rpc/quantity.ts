import { NodeError } from '@ledger-ops/outbound';

/** `0x` hex as JSON-RPC wants it: no leading zeros. */
export function toHex(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

/** Of 32 bytes at most: to write a number of a million digits takes seconds. @throws NodeError when it is none */
export function readQuantity(value: unknown, what: string): bigint {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
  throw malformed(what);
}

/** A height or an index, small enough for a number. */
export function readNumber(value: unknown, what: string): number {
  const number = Number(readQuantity(value, what));
  if (Number.isSafeInteger(number)) return number;
  throw malformed(what);
}

/** @throws NodeError when it is no 32-byte hash. */
export function readHash(value: unknown, what: string): string {
  if (typeof value === 'string' && value.length === 66 && /^0x[0-9a-f]+$/i.test(value))
    return value.toLowerCase();
  throw malformed(what);
}

/** The members of an object of a node's answer. */
export function readObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw malformed(what);
}

/** The error for an answer of a node that has not the form it must have. */
export function malformed(what: string): NodeError {
  return new NodeError('unavailable', `A node's answer is malformed: ${what}.`);
}
