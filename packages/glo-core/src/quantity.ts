import { gloLimits } from './limits.ts';
import { invalid, toError } from './problems.ts';

const digits = gloLimits.quantityDigits;

/** Text of a quantity: decimal digits, or `0x` and hexadecimal digits. */
export const quantityText: RegExp = /*@__PURE__*/ new RegExp(
  `^(?:[0-9]{1,${digits}}|0x[0-9a-fA-F]{1,${digits}})$`,
);

/** The detail of an issue about a quantity. */
export const quantityDetail: string =
  'must be a non-negative integer: decimal or 0x text of up to ' +
  `${digits} digits, or a JSON number up to ${Number.MAX_SAFE_INTEGER}`;

/** Whether a quantity may be written as this JSON value. Negative zero is refused because of its sign. */
export function isQuantity(value: unknown): value is string | number {
  if (typeof value === 'string') return quantityText.test(value);
  return Number.isSafeInteger(value) && !Object.is(value, -0) && (value as number) >= 0;
}

const canonicalText = /^(?:0|[1-9][0-9]*)$/;

/** Returns the canonical form of a quantity: decimal text. */
export function quantityToText(value: string | number): string {
  return typeof value === 'string' && canonicalText.test(value) ? value : BigInt(value).toString();
}

/**
 * Reads a quantity in the ledger's smallest unit: decimal or `0x` text of at most 100 digits (a uint256 has 78), or a
 * JSON number that is a safe non-negative integer.
 *
 * @param pointer JSON Pointer of the value, for the issue.
 * @throws {GloError} for a fraction, a sign, an exponent, white space, an empty text or another type.
 */
export function parseQuantityAt(value: unknown, pointer: string): bigint {
  if (!isQuantity(value)) throw toError([invalid(pointer, quantityDetail)]);
  return BigInt(value);
}

/** Reads a quantity like {@link parseQuantityAt}, with the empty pointer. */
export function parseQuantity(value: unknown): bigint {
  return parseQuantityAt(value, '');
}
