import { JsonError, type JsonErrorReason } from './json-error.ts';
import { keepsPrecision } from './json-number.ts';
import { toPointer } from './pointer.ts';

/** Deepest nesting of arrays and objects that is read. */
export const maxJsonDepth = 32;

/** Members of one object up to which comparing names one by one is cheaper than a set. */
const smallObject = 8;
/** Digits up to which every integer is a safe one. */
const safeDigits = 15;

/** An array or object that is being read. */
interface Frame {
  /** Names seen so far; `undefined` in an array. */
  keys: string[] | undefined;
  /** The same names, once there are many. */
  set: Set<string> | undefined;
  /** Name or index of the value that is being read. */
  key: string | number;
}

/**
 * Checks a JSON text without building its value: the grammar of RFC 8259, and beyond it what a reader of amounts
 * must not meet. Refused are a name that stands twice in one object, a member `__proto__`, nesting deeper than 32,
 * and numbers that would change when read as a double (integers beyond 2^53 - 1, more digits than a double has,
 * overflow and underflow); such numbers can be given as text. Takes linear time and a bounded stack.
 *
 * @throws {JsonError} for the first fault.
 */
export function scanJson(text: string): void {
  new Scanner(text).scan();
}

/**
 * Reads a JSON text after {@link scanJson} found nothing wrong with it.
 *
 * @throws {JsonError} for the first fault; never a `SyntaxError`, whose message would quote the text.
 */
export function parseJson(text: string): unknown {
  scanJson(text);
  return JSON.parse(text);
}

class Scanner {
  readonly #text: string;
  #at = 0;
  readonly #frames: Frame[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  scan(): void {
    this.#space();
    do this.#value();
    while (this.#next());
    if (this.#at < this.#text.length) this.#syntax('unexpected text after the value');
  }

  /** Reads one value; of an array or object with members, only the way to its first value. */
  #value(): void {
    const code = this.#text.charCodeAt(this.#at);
    switch (code) {
      case 0x22: // "
        this.#string();
        return;
      case 0x7b: // {
        this.#open([]);
        if (this.#text.charCodeAt(this.#at) === 0x7d) return;
        this.#key();
        this.#value();
        return;
      case 0x5b: // [
        this.#open(undefined);
        if (this.#text.charCodeAt(this.#at) === 0x5d) return;
        this.#value();
        return;
      case 0x74: // t
        this.#word('true');
        return;
      case 0x66: // f
        this.#word('false');
        return;
      case 0x6e: // n
        this.#word('null');
        return;
      default:
        this.#number();
    }
  }

  /** After a value: closes what ends here and goes on to the next value. False at the end of the text. */
  #next(): boolean {
    for (;;) {
      this.#space();
      const frame = this.#frames.at(-1);
      if (frame === undefined) return false;
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x2c) {
        this.#at += 1;
        this.#space();
        if (typeof frame.key === 'number') frame.key += 1;
        else this.#key();
        return true;
      }
      if (code !== (frame.keys === undefined ? 0x5d : 0x7d)) {
        this.#syntax(frame.keys === undefined ? 'expected "," or "]"' : 'expected "," or "}"');
      }
      this.#at += 1;
      this.#frames.pop();
    }
  }

  #open(keys: string[] | undefined): void {
    if (this.#frames.length === maxJsonDepth) {
      this.#fail('too-deep', `is nested deeper than ${maxJsonDepth} levels`);
    }
    this.#frames.push({ keys, set: undefined, key: keys === undefined ? 0 : '' });
    this.#at += 1;
    this.#space();
  }

  #key(): void {
    const frame = this.#frames.at(-1);
    if (frame?.keys === undefined) return;
    if (this.#text.charCodeAt(this.#at) !== 0x22) this.#syntax('expected a member name in double quotes');
    const start = this.#at;
    const escaped = this.#string();
    const key = escaped
      ? String(JSON.parse(this.#text.slice(start, this.#at)))
      : this.#text.slice(start + 1, this.#at - 1);
    frame.key = key;
    if (key === '__proto__') this.#fail('forbidden-key', 'is a member name that is not allowed');
    if (frame.set === undefined ? frame.keys.includes(key) : frame.set.has(key)) {
      this.#fail('duplicate-key', 'is given twice in the same object');
    }
    if (frame.set !== undefined) frame.set.add(key);
    else if (frame.keys.push(key) > smallObject) frame.set = new Set(frame.keys);
    this.#space();
    if (this.#text.charCodeAt(this.#at) !== 0x3a) this.#syntax('expected ":"');
    this.#at += 1;
    this.#space();
  }

  /** Reads a string; says whether it has escapes. */
  #string(): boolean {
    const text = this.#text;
    let at = this.#at + 1;
    let escaped = false;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        escaped = true;
        at += escapeLength(text, at);
      } else if (code >= 0x20) {
        at += 1;
      } else {
        // A control character, or NaN at the end of the text.
        this.#at = at;
        this.#syntax(at >= text.length ? 'expected """' : 'a control character must be escaped');
      }
      if (at < 0) this.#syntax('this string has a wrong escape');
    }
    this.#at = at + 1;
    return escaped;
  }

  #number(): void {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    if (text.charCodeAt(at) === 0x2d) at += 1;
    const integer = at;
    at = skipDigits(text, at);
    const digits = at - integer;
    if (digits === 0) this.#syntax('expected a value');
    if (digits > 1 && text.charCodeAt(integer) === 0x30) this.#syntax('a number cannot begin with 0');
    let plain = digits <= safeDigits;
    if (text.charCodeAt(at) === 0x2e) {
      plain = false;
      const fraction = at + 1;
      at = skipDigits(text, fraction);
      if (at === fraction) this.#syntax('this number has no digits after the point');
    }
    if ((text.charCodeAt(at) | 0x20) === 0x65) {
      plain = false;
      at += 1;
      const sign = text.charCodeAt(at);
      if (sign === 0x2b || sign === 0x2d) at += 1;
      const exponent = at;
      at = skipDigits(text, exponent);
      if (at === exponent) this.#syntax('this number has no digits in its exponent');
    }
    if (!plain && !keepsPrecision(text.slice(start, at))) {
      this.#fail('imprecise-number', 'is a number that loses precision; give it as text');
    }
    this.#at = at;
  }

  #word(word: string): void {
    if (!this.#text.startsWith(word, this.#at)) this.#syntax('expected a value');
    this.#at += word.length;
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }

  #syntax(what: string): never {
    const where = this.#at >= this.#text.length ? 'at the end of the text' : `at character ${this.#at + 1}`;
    this.#fail('syntax', `is not valid JSON ${where}: ${what}`);
  }

  #fail(reason: JsonErrorReason, detail: string): never {
    const path = this.#frames.map((frame) => frame.key);
    throw new JsonError(reason, toPointer('', path), detail);
  }
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function escapeLength(text: string, at: number): number {
  switch (text.charCodeAt(at + 1)) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return 2;
    case 0x75:
      for (let digit = at + 2; digit < at + 6; digit += 1) {
        if (!isHex(text.charCodeAt(digit))) return Number.NEGATIVE_INFINITY;
      }
      return 6;
    default:
      return Number.NEGATIVE_INFINITY;
  }
}

function isHex(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}
