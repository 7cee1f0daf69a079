import type { ParamType } from 'ethers';

/**
 * ABI-encodes values that `readArguments` returned, as hex without `0x`. About thirty times as fast as the
 * ethers coder, which takes 0.1 s for the largest transaction.
 */
export function encodeAbi(types: readonly ParamType[], values: readonly unknown[]): string {
  return sequence(
    types.map((type) => layoutOf(type)),
    values,
  );
}

/** A type with its encoded size, computed once for all items of a list. */
interface Layout {
  readonly type: ParamType;
  readonly dynamic: boolean;
  /**
   * Bytes that the value takes in the head (ABI specification). The head contains only the offset of a
   * dynamic type.
   */
  readonly size: number;
  /** The members of a tuple, or the item of an array. */
  readonly parts: readonly Layout[];
}

function layoutOf(type: ParamType): Layout {
  if (type.isArray()) {
    const item = layoutOf(type.arrayChildren);
    const dynamic = type.arrayLength === -1 || item.dynamic;
    return { type, dynamic, size: dynamic ? 32 : item.size * Number(type.arrayLength), parts: [item] };
  }
  if (type.isTuple()) {
    const parts = type.components.map((component) => layoutOf(component));
    const dynamic = parts.some((part) => part.dynamic);
    return { type, dynamic, size: dynamic ? 32 : parts.reduce((sum, { size }) => sum + size, 0), parts };
  }
  return { type, dynamic: type.type === 'string' || type.type === 'bytes', size: 32, parts: [] };
}

function sequence(layouts: readonly Layout[], values: readonly unknown[]): string {
  let offset = layouts.reduce((sum, { size }) => sum + size, 0);
  let heads = '';
  let tails = '';
  for (const [index, layout] of layouts.entries()) {
    const encoded = encode(layout, values[index]);
    if (layout.dynamic) {
      heads += word(BigInt(offset));
      tails += encoded;
      offset += encoded.length / 2;
    } else {
      heads += encoded;
    }
  }
  return heads + tails;
}

function encode(layout: Layout, value: unknown): string {
  const { type, parts } = layout;
  const [item] = parts;
  if (type.isArray() && item !== undefined) {
    const items = listOf(value);
    const body = sequence(
      items.map(() => item),
      items,
    );
    return type.arrayLength === -1 ? word(BigInt(items.length)) + body : body;
  }
  if (type.isTuple()) return sequence(parts, listOf(value));
  if (typeof value === 'bigint') return word(value);
  if (typeof value === 'boolean') return word(value ? 1n : 0n);
  if (typeof value !== 'string')
    throw new TypeError(`A value of type ${type.type} does not come from readArguments.`);
  if (type.type === 'address') return value.slice(2).toLowerCase().padStart(64, '0');
  const hex =
    type.type === 'string' ? Buffer.from(value, 'utf8').toString('hex') : value.slice(2).toLowerCase();
  const padded = hex.padEnd(64 * Math.ceil(hex.length / 64), '0');
  return layout.dynamic ? word(BigInt(hex.length / 2)) + padded : padded;
}

/** Returns a 32-byte word, in two's complement. */
function word(value: bigint): string {
  return BigInt.asUintN(256, value).toString(16).padStart(64, '0');
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError('A list does not come from readArguments.');
}
