import { NodeError } from '@ledger-ops/adapter/outbound';

/** `0x` hex as JSON-RPC requires it, without leading zeros. */
export function toHex(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

/** Whether this is `0x` hex of at most 32 bytes. */
export function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value);
}

/**
 * Reads a quantity of at most 32 bytes: converting a number of a million digits takes seconds.
 * @throws NodeError if this is not a quantity
 */
export function readQuantity(value: unknown, what: string): bigint {
  if (isQuantity(value)) return BigInt(value);
  throw malformed(what);
}

/** Reads a height or an index that fits a JavaScript number. */
export function readNumber(value: unknown, what: string): number {
  const number = Number(readQuantity(value, what));
  if (Number.isSafeInteger(number)) return number;
  throw malformed(what);
}

/** @throws NodeError if this is not a 32-byte hash */
export function readHash(value: unknown, what: string): string {
  if (isHash(value)) return value.toLowerCase();
  throw malformed(what);
}

/** Whether this is a 32-byte hash. */
export function isHash(value: unknown): value is string {
  return typeof value === 'string' && value.length === 66 && /^0x[0-9a-f]+$/i.test(value);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads an object in a node's answer. */
export function readObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return { ...value };
  throw malformed(what);
}

/** Returns the error for a malformed answer of a node. */
export function malformed(what: string): NodeError {
  return new NodeError('unavailable', `A node returned a malformed response: ${what}.`);
}
