import { escapeLength, isDigit } from './json-characters.ts';
import { JsonError, type JsonErrorReason } from './json-error.ts';
import { keepsPrecision } from './json-number.ts';
import { toPointer } from './pointer.ts';

/** Maximum nesting of arrays and objects. */
export const maxJsonDepth = 32;

/** Limits on the content of a JSON text. A value costs its reader more than its characters suggest. */
export interface JsonLimits {
  /** Maximum number of values: members, items, and the root value. */
  values: number;
  /** Maximum number of members of one object. */
  members: number;
}

/** The default limits. A GLO's access list can have 16,384 keys by itself. */
export const jsonLimits: Readonly<JsonLimits> = { values: 50_000, members: 2_000 };

/** Object size up to which comparing names one by one is cheaper than a set. */
const smallObject = 8;
/** Number of digits up to which every integer is safe. */
const safeDigits = 15;
/** Number of digits of a 64-bit integer. Parsing a bigint of many more takes more than linear time. */
const wideDigits = 20;
/** Maximum number of consecutive digits; no number that fits a double needs more. */
const maxDigits = 1_000;
/** Maximum number of characters of a member name. */
const maxNameLength = 65_536;
/** Number of characters that are read without a pause, which takes a few milliseconds at most. */
const sliceLength = 65_536;
/** Maximum number of characters of a token that is read in one step: a number of three parts. */
const longestToken = 3 * maxDigits + 16;

/** An array or object being read. */
interface Frame {
  /** Names seen so far; `undefined` in an array. */
  keys: string[] | undefined;
  /** The names as a set, created when an object has many of them. */
  set: Set<string> | undefined;
  /** Name or index of the value being read. */
  key: string | number;
  /** The value being built, if any. */
  built: unknown[] | Record<string, unknown> | undefined;
}

/** The expected kind of the next token. Numbers, because the reader compares them at each step. */
const next = { value: 0, first: 1, name: 2, colon: 3, rest: 4, inText: 5, inName: 6 } as const;
type Next = (typeof next)[keyof typeof next];

/**
 * Validates a JSON text without building its value: the grammar of RFC 8259, and additional rules for reading
 * amounts safely. Refuses duplicate names in an object, a member `__proto__`, nesting deeper than 32, more
 * values or members than `limits` allows, and numbers that a double cannot hold (integers beyond 2^53 - 1,
 * too many digits, overflow and underflow), which can be given as text. Takes linear time and a bounded
 * stack.
 *
 * @param allowed faults to ignore; everything after them is still validated
 * @throws {JsonError} for the first fault.
 */
export function scanJson(
  text: string,
  limits: Partial<JsonLimits> = {},
  allowed: readonly ('imprecise-number' | 'duplicate-key')[] = [],
): void {
  const reader = new Reader(text, { limits: { ...jsonLimits, ...limits }, builds: false, allowed });
  reader.read(text.length + 1);
}

/**
 * Parses a JSON text after {@link scanJson} accepted it.
 *
 * @throws {JsonError} for the first fault; never a `SyntaxError`, whose message would quote the text.
 */
export function parseJson(text: string, limits: Partial<JsonLimits> = {}): unknown {
  scanJson(text, limits);
  return JSON.parse(text);
}

/**
 * Parses a JSON text like {@link parseJson}, in pieces, awaiting `pause` in between, so that a long text does not block
 * the event loop. For short texts `parseJson` is faster.
 *
 * @throws {JsonError} for the first fault.
 */
export async function parseJsonInSlices(
  text: string,
  pause: () => Promise<void>,
  limits: Partial<JsonLimits> = {},
): Promise<unknown> {
  return readInSlices(new Reader(text, { limits: { ...jsonLimits, ...limits }, builds: true }), pause);
}

/** Reads to the end, with pauses in between. */
async function readInSlices(reader: Reader, pause: () => Promise<void>): Promise<unknown> {
  for (let until = sliceLength; !reader.read(until); until += sliceLength) await pause();
  return reader.value;
}

/** Reads a text that arrives in pieces, with pauses in between. The whole text is never in memory. */
export async function readPieces(
  reader: Reader,
  pieces: Iterable<string>,
  pause: () => Promise<void>,
): Promise<unknown> {
  let isFirst = true;
  for (const piece of pieces) {
    if (!isFirst) await pause();
    isFirst = false;
    reader.readBefore(piece);
  }
  reader.readRest();
  return reader.value;
}

export interface ReaderOptions {
  limits: JsonLimits;
  /** Whether the value is built; otherwise it is only validated. */
  builds: boolean;
  /** Faults to ignore. */
  allowed?: readonly JsonErrorReason[];
  /** Whether integers of up to 20 digits that a double cannot hold become bigints. */
  bigIntegers?: boolean;
}

/** Incremental JSON reader. */
export class Reader {
  /** The complete value at the end, if it is built. */
  value: unknown;
  #text: string;
  /** Characters before `#text` that were read and dropped. */
  #dropped = 0;
  readonly #limits: JsonLimits;
  readonly #builds: boolean;
  readonly #allowed: readonly JsonErrorReason[];
  readonly #bigIntegers: boolean;
  readonly #frames: Frame[] = [];
  #at = 0;
  #next: Next = next.value;
  #values = 0;
  /** State inside a text: the start of its undecoded part, and whether that has escapes. */
  #start = 0;
  #escaped = false;
  #decoded = '';

  constructor(text: string, { limits, builds, allowed = [], bigIntegers = false }: ReaderOptions) {
    this.#allowed = allowed;
    this.#bigIntegers = bigIntegers;
    this.#text = text;
    this.#limits = limits;
    this.#builds = builds;
  }

  /**
   * Appends a piece to the text, and reads the text except for the end of the piece, where a token may continue in the
   * next piece.
   */
  readBefore(piece: string): void {
    const from = this.#next >= next.inText ? Math.min(this.#start, this.#at) : this.#at;
    this.#text = this.#text.slice(from) + piece;
    this.#at -= from;
    this.#start -= from;
    this.#dropped += from;
    this.read(this.#text.length - longestToken);
  }

  /** Reads the rest of a text that is complete now. */
  readRest(): void {
    this.read(this.#text.length + 1);
  }

  /** Reads up to about the character `until`. Returns false if there is more. */
  read(until: number): boolean {
    for (;;) {
      if (this.#next >= next.inText) {
        if (!this.#string(until)) return false;
        continue;
      }
      if (!this.#space(until)) return false;
      const code = this.#text.charCodeAt(this.#at);
      switch (this.#next) {
        case next.value:
          this.#value(code);
          break;
        case next.first:
          this.#first(code);
          break;
        case next.name:
          if (code !== 0x22) this.#syntax('expected a member name in double quotes');
          this.#open(next.inName);
          break;
        case next.colon:
          if (code !== 0x3a) this.#syntax('expected ":"');
          this.#at += 1;
          this.#next = next.value;
          break;
        case next.rest:
          if (this.#frames.length === 0) {
            if (this.#at < this.#text.length) this.#syntax('unexpected text after the value');
            return true;
          }
          this.#rest(code);
      }
    }
  }

  #value(code: number): void {
    this.#values += 1;
    if (this.#values > this.#limits.values) {
      this.#fail('too-many', `has too many values: at most ${this.#limits.values} are allowed`);
    }
    switch (code) {
      case 0x22: // "
        this.#open(next.inText);
        return;
      case 0x7b: // {
        this.#push([]);
        return;
      case 0x5b: // [
        this.#push(undefined);
        return;
      case 0x74: // t
        this.#word('true', true);
        return;
      case 0x66: // f
        this.#word('false', false);
        return;
      case 0x6e: // n
        this.#word('null', null);
        return;
      default:
        this.#number();
    }
  }

  /** Reads the token after the start of an array or object: its end, or the start of its first value or name. */
  #first(code: number): void {
    const keys = this.#frames.at(-1)?.keys;
    if (code === (keys === undefined ? 0x5d : 0x7d)) this.#close();
    else this.#next = keys === undefined ? next.value : next.name;
  }

  /** Reads the token after a value: a comma, or the end of its container. */
  #rest(code: number): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    if (code === 0x2c) {
      this.#at += 1;
      if (typeof frame.key === 'number') frame.key += 1;
      this.#next = frame.keys === undefined ? next.value : next.name;
      return;
    }
    if (code !== (frame.keys === undefined ? 0x5d : 0x7d)) {
      this.#syntax(frame.keys === undefined ? 'expected "," or "]"' : 'expected "," or "}"');
    }
    this.#close();
  }

  #push(keys: string[] | undefined): void {
    if (this.#frames.length === maxJsonDepth) {
      this.#fail('too-deep', `is nested deeper than ${maxJsonDepth} levels`);
    }
    let built: Frame['built'];
    if (this.#builds) {
      built = keys === undefined ? [] : {};
      this.#put(built);
    }
    this.#frames.push({ keys, set: undefined, key: keys === undefined ? 0 : '', built });
    this.#at += 1;
    this.#next = next.first;
  }

  #close(): void {
    this.#at += 1;
    this.#frames.pop();
    this.#next = next.rest;
  }

  /** Adds a value to its container. */
  #put(value: unknown): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) this.value = value;
    else if (Array.isArray(frame.built)) frame.built.push(value);
    else if (frame.built !== undefined) frame.built[frame.key] = value;
  }

  #open(part: Next): void {
    this.#at += 1;
    this.#start = this.#at;
    this.#escaped = false;
    this.#decoded = '';
    this.#next = part;
  }

  /** Continues a string; false if it does not end before `until`. */
  #string(until: number): boolean {
    const text = this.#text;
    let at = this.#at;
    let code = 0;
    for (;;) {
      while (at < until) {
        code = text.charCodeAt(at);
        // The comparison is also false for NaN, which is the code at the end of the text.
        if (!(code >= 0x20) || code === 0x22 || code === 0x5c) break;
        at += 1;
      }
      if (at >= until) {
        this.#at = at;
        if (this.#builds || this.#next === next.inName) this.#decode();
        if (this.#next === next.inName) this.#checkName();
        return false;
      }
      if (code === 0x22) break;
      const length = code === 0x5c ? escapeLength(text, at) : 0;
      if (length === 0) this.#wrongCharacter(at);
      this.#escaped = true;
      at += length;
    }
    this.#at = at;
    if (this.#next === next.inName) {
      this.#decode();
      this.#checkName();
      this.#name(this.#decoded);
      // The colon usually follows immediately.
      if (text.charCodeAt(at + 1) === 0x3a) {
        this.#at += 1;
        this.#next = next.value;
      }
    } else {
      if (this.#builds) {
        this.#decode();
        this.#put(this.#decoded);
      }
      this.#next = next.rest;
    }
    this.#at += 1;
    return true;
  }

  #checkName(): void {
    if (this.#decoded.length > maxNameLength) {
      this.#fail('too-long', `has a member whose name exceeds ${maxNameLength} characters`);
    }
  }

  #wrongCharacter(at: number): never {
    this.#at = at;
    if (at >= this.#text.length) this.#syntax('expected """');
    const isEscape = this.#text.charCodeAt(at) === 0x5c;
    this.#syntax(
      isEscape ? 'this string has an invalid escape sequence' : 'a control character must be escaped',
    );
  }

  /** Decodes the text read so far. Copies it, because a slice would keep the whole document in memory. */
  #decode(): void {
    const part = this.#text.slice(this.#start, this.#at);
    const copies = this.#escaped || this.#next === next.inText;
    const decoded = copies ? String(JSON.parse(`"${part}"`)) : part;
    this.#decoded = this.#decoded === '' ? decoded : this.#decoded + decoded;
    this.#start = this.#at;
    this.#escaped = false;
  }

  #name(name: string): void {
    const frame = this.#frames.at(-1);
    if (frame?.keys === undefined) return;
    frame.key = name;
    if (name === '__proto__') this.#fail('forbidden-key', 'is a reserved member name; choose another one');
    if (frame.set === undefined ? frame.keys.includes(name) : frame.set.has(name)) {
      this.#failUnlessAllowed('duplicate-key', 'appears twice in the same object');
    }
    if ((frame.set?.size ?? frame.keys.length) === this.#limits.members) {
      this.#fail('too-many', `has too many members: an object can have at most ${this.#limits.members}`);
    }
    if (frame.set !== undefined) frame.set.add(name);
    else if (frame.keys.push(name) > smallObject) frame.set = new Set(frame.keys);
    this.#next = next.colon;
  }

  #number(): void {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    if (text.charCodeAt(at) === 0x2d) at += 1;
    const integer = at;
    at = this.#digits(at);
    const digits = at - integer;
    if (digits === 0) this.#syntax('expected a value');
    if (digits > 1 && text.charCodeAt(integer) === 0x30) this.#syntax('a number cannot start with 0');
    let plain = digits <= safeDigits;
    let isInteger = true;
    if (text.charCodeAt(at) === 0x2e) {
      plain = false;
      isInteger = false;
      const fraction = at + 1;
      at = this.#digits(fraction);
      if (at === fraction) this.#syntax('this number has no digits after the decimal point');
    }
    if ((text.charCodeAt(at) | 0x20) === 0x65) {
      plain = false;
      isInteger = false;
      at += 1;
      const sign = text.charCodeAt(at);
      if (sign === 0x2b || sign === 0x2d) at += 1;
      const exponent = at;
      at = this.#digits(exponent);
      if (at === exponent) this.#syntax('this number has no digits in its exponent');
    }
    const isWide = this.#bigIntegers && isInteger && !plain && digits <= wideDigits;
    const mayLose = isWide || this.#allowed.includes('imprecise-number');
    if (!plain && !mayLose && !keepsPrecision(text.slice(start, at))) this.#imprecise();
    this.#at = at;
    if (this.#builds) this.#put(isWide ? wholeNumber(text.slice(start, at)) : Number(text.slice(start, at)));
    this.#next = next.rest;
  }

  #digits(from: number): number {
    let at = from;
    while (isDigit(this.#text.charCodeAt(at))) {
      at += 1;
      if (at - from <= maxDigits) continue;
      this.#imprecise();
      if (this.#builds) this.#fail('too-long', `has a number with more than ${maxDigits} digits`);
    }
    return at;
  }

  #word(word: string, value: boolean | null): void {
    if (!this.#text.startsWith(word, this.#at)) this.#syntax('expected a value');
    this.#at += word.length;
    if (this.#builds) this.#put(value);
    this.#next = next.rest;
  }

  /** Skips white space; false if there may be more after `until`. */
  #space(until: number): boolean {
    for (;;) {
      if (this.#at >= until) return false;
      const code = this.#text.charCodeAt(this.#at);
      if (code > 0x20 || (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09)) return true;
      this.#at += 1;
    }
  }

  #imprecise(): void {
    this.#failUnlessAllowed('imprecise-number', 'is a number that would lose precision; write it as text');
  }

  #failUnlessAllowed(reason: JsonErrorReason, detail: string): void {
    if (!this.#allowed.includes(reason)) this.#fail(reason, detail);
  }

  #syntax(what: string): never {
    const where =
      this.#at >= this.#text.length
        ? 'at the end of the text'
        : `at character ${this.#dropped + this.#at + 1}`;
    this.#fail('syntax', `is not valid JSON ${where}: ${what}`);
  }

  #fail(reason: JsonErrorReason, detail: string): never {
    const path = this.#frames.map((frame) => frame.key);
    throw new JsonError(reason, toPointer('', path), detail);
  }
}

/** Returns an integer as a double if that is exact, otherwise as a bigint. */
function wholeNumber(literal: string): number | bigint {
  const value = Number(literal);
  return Number.isSafeInteger(value) ? value : BigInt(literal);
}
