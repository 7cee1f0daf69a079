import { randomInt } from 'node:crypto';

/** The size of an object without its members, in numbers. */
const ofContainer = 4;
/** The same of what is made one by one: bytes, dates, patterns, errors, maps. */
const ofOther = 16;
/** A member that no object before had at this place after the same names: V8 makes a form of objects for it. */
const ofNewForm = 20;
/** Members of one object up to which it has a form. */
const mostInForm = 1_000;
/** Bytes of a name up to which it is known again. */
const longestName = 128;
/** Names are told apart by a polynomial in a number that no child knows, so that none can make many look like one. */
const prime = 2 ** 31 - 1;
const secret = randomInt(2 ** 20, 2 ** 21);
/** Nesting that no message of an adapter has. */
const deepest = 500;

/**
 * How many values a message of `v8.serialize` has once it is read and walked through, with everything that stands in it
 * several times counted as often. Reading small bytes can take long (an object is three of them), and walking through
 * references longer still; counting is quick, and ends at the limit.
 * @returns undefined when there are more than `most`
 * @throws RangeError, TypeError: it is no such message, or holds what no adapter sends
 */
export function weighMessage(bytes: Uint8Array, most: number): number | undefined {
  let at = 0;
  let depth = 0;
  /** Weights of objects by their number; 0 while they are not complete. */
  const weights: number[] = [];

  const byte = (): number => {
    const value = bytes[at];
    if (value === undefined) throw new RangeError('The message is cut off.');
    at += 1;
    return value;
  };
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const part = byte();
      value += (part % 128) * factor;
      if (part < 128) return value;
      if (factor > 2 ** 42) throw new RangeError('A number is too long.');
    }
  };
  const skip = (length: number): 1 => {
    at += length;
    return 1;
  };
  const tag = (): string => {
    for (;;) {
      const value = byte();
      if (value !== 0) return String.fromCharCode(value);
    }
  };

  /** Values up to a closing tag, which `numbers` varints follow. */
  const until = (end: string, numbers: number): number => {
    let weight = 1;
    for (let next = tag(); next !== end; next = tag()) weight += value(next);
    for (let number = 0; number < numbers; number += 1) varint();
    return weight;
  };
  const container = (read: () => number, own = ofContainer): number => {
    const number = weights.push(0) - 1;
    depth += 1;
    if (depth > deepest) throw new RangeError('It is nested too deeply.');
    walked += own;
    const weight = read() + own;
    depth -= 1;
    weights[number] = weight;
    return weight;
  };
  /** Forms of objects: what their names, in this order, hash to. */
  const forms = new Set<number>();
  /** Names and values up to a closing tag. */
  const members = (end: string, numbers: number): number => {
    let weight = 1;
    let form = 0;
    let count = 0;
    for (let next = tag(); next !== end; next = tag()) {
      const start = at;
      weight += value(next);
      const isLong = at - start > longestName;
      for (let index = start; index < at && !isLong; index += 1)
        form = (form * secret + (bytes[index] ?? 0) + 1) % prime;
      count += 1;
      if (count > mostInForm || isLong || !forms.has(form)) {
        forms.add(form);
        walked += ofNewForm;
        weight += ofNewForm;
      }
      weight += value(tag());
    }
    for (let number = 0; number < numbers; number += 1) varint();
    return weight;
  };
  const errorParts = (): number => {
    let weight = 1;
    for (let part = tag(); part !== '.'; part = tag()) if (/[msc]/.test(part)) weight += value(tag());
    return weight;
  };

  class TooMuch extends Error {}
  let walked = 0;
  let reserved = 0;
  const value = (kind: string): number => {
    walked += 1;
    if (walked > most) throw new TooMuch();
    const weight = weightOf(kind);
    if (weight > most) throw new TooMuch();
    return weight;
  };
  const weightOf = (kind: string): number => {
    switch (kind) {
      case '_':
      case '0':
      case 'T':
      case 'F':
      case '-':
        return 1;
      case 'I':
      case 'U':
        return skip(varint() * 0);
      case 'N':
        return skip(8);
      case 'Z':
        // Its length stands above a bit for the sign.
        return skip(Math.floor(varint() / 2));
      // UTF-8 ('S') takes long to read, and `serialize` writes none.
      case '"':
      case 'c':
        return skip(varint());
      case 'o':
        return container(() => members('{', 1));
      case 'A':
        return container(() => {
          // V8 gives it memory before it reads a member: of arrays within arrays, again and again.
          reserved += varint();
          if (reserved > most) throw new TooMuch();
          return until('$', 2);
        });
      case 'a':
        // Its length, which is walked through, may be more than it has.
        return container(() => varint() + until('@', 2));
      case ';':
        return container(() => until(':', 1), ofOther);
      case "'":
        return container(() => until(',', 1), ofOther);
      case '^':
        return weights[varint()] ?? 1;
      case '\\':
        return container(() => {
          varint();
          return skip(varint());
        }, ofOther);
      case 'B':
        return container(() => skip(varint()), ofOther);
      case 'D':
      case 'n':
        return container(() => skip(8), ofOther);
      case 'x':
      case 'y':
        return container(() => 1);
      case 'z':
        return container(() => skip(Math.floor(varint() / 2)), ofOther);
      case 's':
        return container(() => value(tag()));
      case 'R':
        return container(() => value(tag()) + skip(varint() * 0), ofOther);
      case 'r':
        return container(errorParts, ofOther);
      default:
        throw new TypeError('It holds what no adapter sends.');
    }
  };

  if (byte() !== 255) throw new TypeError('It has no header.');
  varint();
  try {
    return value(tag());
  } catch (error) {
    if (error instanceof TooMuch) return undefined;
    throw error;
  }
}
