/** The size of an object without its members, in numbers. */
const ofContainer = 4;
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
  const container = (read: () => number): number => {
    const number = weights.push(0) - 1;
    depth += 1;
    if (depth > deepest) throw new RangeError('It is nested too deeply.');
    walked += ofContainer;
    const weight = read() + ofContainer;
    depth -= 1;
    weights[number] = weight;
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
      case '"':
      case 'S':
      case 'c':
        return skip(varint());
      case 'o':
        return container(() => until('{', 1));
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
        return container(() => until(':', 1));
      case "'":
        return container(() => until(',', 1));
      case '^':
        return weights[varint()] ?? 1;
      case '\\':
        return container(() => {
          varint();
          return skip(varint());
        });
      case 'B':
        return container(() => skip(varint()));
      case 'D':
      case 'n':
        return container(() => skip(8));
      case 'x':
      case 'y':
        return container(() => 1);
      case 'z':
        return container(() => skip(Math.floor(varint() / 2)));
      case 's':
        return container(() => value(tag()));
      case 'R':
        return container(() => value(tag()) + skip(varint() * 0));
      case 'r':
        return container(errorParts);
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
