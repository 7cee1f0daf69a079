import { randomInt } from 'node:crypto';

/** Weight of an object without its members. */
const ofContainer = 4;
/** Weight of values that are constructed individually: bytes, dates, patterns, errors, maps. */
const ofOther = 16;
/**
 * Extra weight of a member for which V8 creates a hidden class: no earlier object had this member after the
 * same names.
 */
const ofNewForm = 20;
/** Maximum number of members of an object with a hidden class. */
const mostInForm = 1_000;
/** Maximum number of bytes of a name that is cached. */
const longestName = 128;
/** Names are hashed by a polynomial at a random point, so that a child cannot create collisions. */
const prime = 2 ** 31 - 1;
const secret = randomInt(2 ** 20, 2 ** 21);
/** Maximum nesting. Messages of adapters are never deeper. */
const deepest = 500;

/**
 * Weighs a message of `v8.serialize`: how many values it has once deserialized, counting shared values each time.
 * Deserializing a few bytes can take long (an object has three bytes), and following references even longer.
 * Weighing is fast and stops at the limit.
 * @returns undefined if there are more than `most` values
 * @throws RangeError, TypeError if it is not such a message, or contains types that adapters do not send
 */
export function weighMessage(bytes: Uint8Array, most: number): number | undefined {
  return new MessageWeigher(bytes, most).weigh();
}

/** The message has too many values. */
class TooMuch extends Error {}

/** Reads one message from the start. Stores the position, the depth and the weights so far. */
class MessageWeigher {
  readonly #bytes: Uint8Array;
  readonly #most: number;
  #at = 0;
  #depth = 0;
  /** Weights of objects by their index; 0 while incomplete. */
  readonly #weights: number[] = [];
  /** Hashes of the hidden classes seen so far. A hidden class is the list of an object's member names, in order. */
  readonly #forms = new Set<number>();
  #walked = 0;
  #reserved = 0;

  constructor(bytes: Uint8Array, most: number) {
    this.#bytes = bytes;
    this.#most = most;
  }

  weigh(): number | undefined {
    if (this.#byte() !== 255) throw new TypeError('The message has no header.');
    this.#varint();
    try {
      return this.#value(this.#tag());
    } catch (error) {
      if (error instanceof TooMuch) return undefined;
      throw error;
    }
  }

  #byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new RangeError('The message is truncated.');
    this.#at += 1;
    return value;
  }

  #varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const part = this.#byte();
      value += (part % 128) * factor;
      if (part < 128) return value;
      if (factor > 2 ** 42) throw new RangeError('A number is too long.');
    }
  }

  #skip(length: number): 1 {
    this.#at += length;
    return 1;
  }

  #tag(): string {
    for (;;) {
      const value = this.#byte();
      if (value !== 0) return String.fromCharCode(value);
    }
  }

  /** Weighs values up to a closing tag. The tag is followed by `numbers` varints. */
  #until(end: string, numbers: number): number {
    let weight = 1;
    for (let next = this.#tag(); next !== end; next = this.#tag()) weight += this.#value(next);
    for (let number = 0; number < numbers; number += 1) this.#varint();
    return weight;
  }

  #container(read: () => number, own = ofContainer): number {
    const number = this.#weights.push(0) - 1;
    this.#depth += 1;
    if (this.#depth > deepest) throw new RangeError('The message is nested too deeply.');
    this.#walked += own;
    const weight = read() + own;
    this.#depth -= 1;
    this.#weights[number] = weight;
    return weight;
  }

  /** Weighs names and values up to a closing tag. */
  #members(end: string, numbers: number): number {
    let weight = 1;
    let form = 0;
    let count = 0;
    for (let next = this.#tag(); next !== end; next = this.#tag()) {
      const start = this.#at;
      weight += this.#value(next);
      const isLong = this.#at - start > longestName;
      for (let index = start; index < this.#at && !isLong; index += 1)
        form = (form * secret + (this.#bytes[index] ?? 0) + 1) % prime;
      count += 1;
      if (count > mostInForm || isLong || !this.#forms.has(form)) {
        this.#forms.add(form);
        this.#walked += ofNewForm;
        weight += ofNewForm;
      }
      weight += this.#value(this.#tag());
    }
    for (let number = 0; number < numbers; number += 1) this.#varint();
    return weight;
  }

  #errorParts(): number {
    let weight = 1;
    for (let part = this.#tag(); part !== '.'; part = this.#tag())
      if (/[msc]/.test(part)) weight += this.#value(this.#tag());
    return weight;
  }

  #value(kind: string): number {
    this.#walked += 1;
    if (this.#walked > this.#most) throw new TooMuch();
    const weight = this.#weightOf(kind);
    if (weight > this.#most) throw new TooMuch();
    return weight;
  }

  #weightOf(kind: string): number {
    switch (kind) {
      case '_':
      case '0':
      case 'T':
      case 'F':
      case '-':
        return 1;
      case 'I':
      case 'U':
        return this.#skip(this.#varint() * 0);
      case 'N':
        return this.#skip(8);
      case 'Z':
        // The length is shifted by one bit because of the sign.
        return this.#skip(Math.floor(this.#varint() / 2));
      // UTF-8 ('S') is slow to read, and `serialize` does not write it.
      case '"':
      case 'c':
        return this.#skip(this.#varint());
      case 'o':
        return this.#container(() => this.#members('{', 1));
      case 'A':
        return this.#container(() => {
          // V8 allocates the memory of a dense array before it reads a member. The memory of nested arrays adds up.
          this.#reserved += this.#varint();
          if (this.#reserved > this.#most) throw new TooMuch();
          return this.#until('$', 2);
        });
      case 'a':
        // The declared length of an array may exceed the number of its members, and V8 iterates over the
        // declared length.
        return this.#container(() => this.#varint() + this.#until('@', 2));
      case ';':
        return this.#container(() => this.#until(':', 1), ofOther);
      case "'":
        return this.#container(() => this.#until(',', 1), ofOther);
      case '^':
        return this.#weights[this.#varint()] ?? 1;
      case '\\':
        return this.#container(() => {
          this.#varint();
          return this.#skip(this.#varint());
        }, ofOther);
      case 'B':
        return this.#container(() => this.#skip(this.#varint()), ofOther);
      case 'D':
      case 'n':
        return this.#container(() => this.#skip(8), ofOther);
      case 'x':
      case 'y':
        return this.#container(() => 1);
      case 'z':
        return this.#container(() => this.#skip(Math.floor(this.#varint() / 2)), ofOther);
      case 's':
        return this.#container(() => this.#value(this.#tag()));
      case 'R':
        return this.#container(() => this.#value(this.#tag()) + this.#skip(this.#varint() * 0), ofOther);
      case 'r':
        return this.#container(() => this.#errorParts(), ofOther);
      default:
        throw new TypeError('The message contains a type that adapters do not send.');
    }
  }
}
