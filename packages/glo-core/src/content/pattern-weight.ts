import { contentLimits } from './content-limits.ts';

/**
 * Weight of reading a Unicode property class, which has about a hundred ranges, and of each instruction that contains
 * one.
 */
const ofProperty = 32;
const ofPropertyInstruction = 3;
/** Properties with few ranges. */
const smallProperty = /^\\[pP](?:Z|\{\^?(?:Cc|Z|Zs|Zl|Zp)\})/;
/** Weight of a case-insensitive range, which RE2 expands character by character. */
const ofFoldedRange = 4_096;
/** Weight of a case-insensitive range between two ASCII letters or digits. */
const ofFoldedAsciiRange = 8;

/**
 * Upper limit of the cost of compiling a pattern, computed without compiling it: about the number of its
 * instructions, each of which takes two microseconds. Repetitions multiply the weight of the repeated atom,
 * as RE2 expands them.
 */
export function patternWeight(source: string): number {
  // A longer pattern is refused because of its length.
  return new Scan(source.slice(0, contentLimits.patternLength)).weigh();
}

/**
 * Returns the total weight of all patterns in a description: those of its schemas and of its `version`.
 * Counting stops soon after `most`, because a pattern weighs at least about as much as its number of
 * characters.
 */
export function patternsWeight(document: unknown, most: number): number {
  if (typeof document !== 'object' || document === null) return 0;
  let weight = 0;
  for (const [name, member] of Object.entries(document)) {
    const isPattern = typeof member === 'string' && (name === 'pattern' || name === 'version');
    weight += isPattern ? patternWeight(member) : patternsWeight(member, most - weight);
    if (weight > most) return weight;
  }
  return weight;
}

/** Returns the detail for a pattern that exceeds the limit of the total weight. */
export function tooHeavy(weight: number, most: number): string {
  return `takes too long to compile: its repetitions and character classes have a cost of ${weight}, but at most ${most} is allowed; use fewer repetitions or fewer patterns`;
}

/** One pass over a pattern. RE2 finds syntax errors; anything unreadable counts as letters. */
class Scan {
  readonly #source: string;
  #at = 0;
  /** Weights of the open groups, the outermost first. */
  readonly #groups = [0];
  /** The weight of the atom that a following repetition would repeat. */
  #atom = 0;
  /** Weight that repetitions do not multiply, because each class is read once. */
  #once = 0;
  #ignoresCase = false;

  constructor(source: string) {
    this.#source = source;
  }

  weigh(): number {
    while (this.#at < this.#source.length) this.#next();
    return this.#groups.reduce((sum, weight) => sum + weight, 1 + this.#once);
  }

  #next(): void {
    const rest = this.#source.slice(this.#at, this.#at + 64);
    const quoted = /^\\Q/.test(rest);
    const repetition = /^\{(\d{1,9})(?:,(\d{0,9}))?\}/.exec(rest);
    if (quoted) this.#quoted();
    else if (repetition !== null) this.#repeat(repetition);
    else if (rest.startsWith('[')) this.#class();
    else if (rest.startsWith('(')) this.#open(rest);
    else if (rest.startsWith(')')) this.#close();
    else if (/^[*+?|]/.test(rest)) this.#grow(1, 1);
    else if (rest.startsWith('\\')) this.#escape(rest);
    else this.#add(this.#ignoresCase ? 2 : 1, 1);
  }

  /** Adds an atom of `length` characters of the pattern. */
  #add(weight: number, length: number): void {
    this.#atom = 0;
    this.#grow(weight, length);
  }

  /** Adds to the weight of the previous atom. */
  #grow(weight: number, length: number): void {
    this.#atom += weight;
    this.#groups.push((this.#groups.pop() ?? 0) + weight);
    this.#at += length;
  }

  #quoted(): void {
    const end = this.#source.indexOf('\\E', this.#at);
    const length = (end === -1 ? this.#source.length : end + 2) - this.#at;
    this.#add(2 * length, length);
  }

  #repeat([whole, least, most]: RegExpExecArray): void {
    // `{3,}` expands to three copies and a star.
    const times = Math.max(1, Number(least) + 1, Number(most ?? 0));
    this.#grow(this.#atom * (times - 1) + times, whole.length);
  }

  #open(rest: string): void {
    const flags = /^\(\?([a-zA-Z]*)-?[a-zA-Z]*[:)]/.exec(rest);
    if (flags?.[1]?.includes('i') === true) this.#ignoresCase = true;
    this.#at += 1;
    if (flags?.[0].endsWith(')') === true) this.#at += flags[0].length - 1;
    else this.#groups.push(3);
  }

  #close(): void {
    // A group that was not opened is a syntax error.
    const inside = this.#groups.length > 1 ? (this.#groups.pop() ?? 0) : 0;
    this.#add(inside, 1);
  }

  #escape(rest: string): void {
    const property = /^\\[pP](?:\{[^}]*\}|.)?/su.exec(rest);
    if (property !== null) {
      this.#once += propertyWeight(property[0], ofProperty);
      this.#add(1 + propertyWeight(property[0], ofPropertyInstruction), property[0].length);
    } else this.#add(2, /^\\x\{/.test(rest) ? 3 : 2);
  }

  #class(): void {
    // The first bracket in a class, also after ^, is a literal.
    const inside =
      /^\[\^?\]?(?:\[:\^?\w*:\]|\\.|[^\]\\])*\]?/su.exec(this.#source.slice(this.#at))?.[0] ?? '[';
    const properties = inside.match(/\\[pP](?:\{[^}]*\}|.)?/gsu) ?? [];
    const sum = (of: number) => properties.reduce((weight, one) => weight + propertyWeight(one, of), 0);
    this.#once += Math.ceil(inside.length / 4) + sum(ofProperty) + this.#folded(inside);
    this.#add(1 + Math.floor(inside.length / 64) + sum(ofPropertyInstruction), inside.length);
  }

  /** Weight added to a class by ignoring case. */
  #folded(inside: string): number {
    if (!this.#ignoresCase) return 0;
    const all = inside.slice(1, -1).match(/-/g)?.length ?? 0;
    const ascii = inside.match(/[0-9a-zA-Z]-[0-9a-zA-Z]/g)?.length ?? 0;
    return ascii * ofFoldedAsciiRange + Math.max(0, all - ascii) * ofFoldedRange;
  }
}

function propertyWeight(property: string, of: number): number {
  return smallProperty.test(property) ? 0 : of;
}
