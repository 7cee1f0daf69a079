import type { GloIssue } from '../errors.ts';
import { isQuantity, quantityDetail, quantityToText } from '../quantity.ts';
import { isWellFormed, numberDetail, wellFormedDetail } from './any-json.ts';
import { textFormats } from './content-formats.ts';
import { contentLimits } from './content-limits.ts';
import type { Run } from './content-run.ts';
import {
  isCount,
  isKind,
  isNumber,
  isPrimitive,
  isPrimitives,
  isText,
  type Kind,
  keywordsOf,
  kinds,
  type Primitive,
  short,
} from './keywords.ts';
import { below, type Check } from './parts.ts';
import type { Pattern, ReadPattern } from './pattern.ts';
import { patternWeight, tooHeavy } from './pattern-weight.ts';

/** Compiles checks of strings, numbers and quantities, and collects faults of their keywords. */
export class ScalarReader {
  readonly issues: GloIssue[] = [];
  private readonly readPattern: ReadPattern;
  /** Total weight so far. Patterns are weighed before any of them is compiled. */
  private patternWeight = 0;

  constructor(readPattern: ReadPattern) {
    this.readPattern = readPattern;
  }

  refuse(pointer: string, detail: string): void {
    this.issues.push({ pointer, detail });
  }

  /** The keyword's value, if present and valid. */
  protected member<Value>(
    schema: Record<string, unknown>,
    keyword: string,
    isValid: (value: unknown) => value is Value,
    pointer: string,
    what: string,
  ): Value | undefined {
    if (!Object.hasOwn(schema, keyword)) return undefined;
    const value = schema[keyword];
    if (isValid(value)) return value;
    this.refuse(below(pointer, keyword), `must be ${what}`);
    return undefined;
  }

  protected types(schema: Record<string, unknown>, pointer: string): Kind[] | undefined {
    if (!Object.hasOwn(schema, 'type')) return undefined;
    const types: unknown[] = [schema.type].flat();
    if (types.length > 0 && types.every(isKind)) return [...new Set(types)];
    this.refuse(`${pointer}/type`, `must be one or more of ${Object.keys(kinds).join(', ')}`);
    return undefined;
  }

  /** Whether `enum` and `const` allow a value; reports if they do not. */
  protected allowedValues(
    schema: Record<string, unknown>,
    pointer: string,
    detail: string | undefined,
  ): ((value: unknown, at: Run) => boolean) | undefined {
    const many = this.member(
      schema,
      'enum',
      isPrimitives,
      pointer,
      'an array of strings, numbers, Booleans or null',
    );
    const one = this.member(schema, 'const', isPrimitive, pointer, 'text, a number, true, false or null');
    if (many === undefined && one === undefined) return undefined;
    const values = new Set(many ?? [one]);
    if (many !== undefined && one !== undefined)
      this.refuse(`${pointer}/const`, 'cannot be combined with enum');
    const said = detail ?? short(`must be ${[...values].map((value) => JSON.stringify(value)).join(' or ')}`);
    return (value, at) => {
      // A set of primitives cannot contain other values.
      if (values.has(value as Primitive)) return true;
      at.spend(0);
      at.report(said);
      return false;
    };
  }

  protected quantity(schema: Record<string, unknown>, pointer: string): Check {
    for (const keyword of ['pattern', 'minLength', 'maxLength', ...keywordsOf.array, ...keywordsOf.object]) {
      if (Object.hasOwn(schema, keyword))
        this.refuse(`${pointer}/${keyword}`, 'cannot be combined with format quantity');
    }
    if (Object.hasOwn(schema, 'type')) {
      const types = this.types(schema, pointer) ?? [];
      if (!types.every((type) => type === 'string' || type === 'integer' || type === 'number')) {
        this.refuse(`${pointer}/type`, 'must be text or integer if format is quantity');
      }
    }
    const range = this.range(schema, pointer);
    return (value, at) => {
      if (value === undefined || !isQuantity(value)) {
        at.spend(0);
        at.report(value === undefined ? 'is required' : quantityDetail);
        return undefined;
      }
      at.spend(typeof value === 'string' ? value.length : 0);
      const text = quantityToText(value);
      if (range !== undefined) {
        const wrong = range(BigInt(text));
        if (wrong !== undefined) at.report(wrong);
      }
      return text;
    };
  }

  protected numbers(schema: Record<string, unknown>, pointer: string): Check {
    const range = this.range(schema, pointer);
    return (value, at) => {
      at.spend(0);
      // Safe cast: this check is called only for numbers.
      const number = value as number;
      const wrong = numberDetail(number) ?? range?.(number);
      if (wrong !== undefined) at.report(wrong);
      return number === 0 ? 0 : number;
    };
  }

  /** Returns a function that describes why a number is out of range. Undefined if the schema sets no range. */
  private range(
    schema: Record<string, unknown>,
    pointer: string,
  ): ((value: number | bigint) => string | undefined) | undefined {
    const minimum = this.member(schema, 'minimum', isNumber, pointer, 'a number');
    const maximum = this.member(schema, 'maximum', isNumber, pointer, 'a number');
    const above = this.member(schema, 'exclusiveMinimum', isNumber, pointer, 'a number');
    if (minimum === undefined && maximum === undefined && above === undefined) return undefined;
    return (value) => {
      if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
      if (above !== undefined && value <= above) return `must be greater than ${above}`;
      if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
      return undefined;
    };
  }

  protected texts(schema: Record<string, unknown>, pointer: string, detail: string | undefined): Check {
    const shortest = this.member(schema, 'minLength', isCount, pointer, 'a count') ?? 0;
    const longest = this.member(schema, 'maxLength', isCount, pointer, 'a count') ?? contentLimits.text;
    const pattern = this.pattern(schema, pointer);
    const format = this.format(schema, pointer);
    const most = Math.min(longest, pattern?.longest ?? longest);
    const patternDetail = detail ?? `must match the pattern ${JSON.stringify(schema.pattern)}`;
    return (value, at) => {
      // Safe cast: this check is called only for strings.
      const text = value as string;
      if (text.length > most) {
        at.spend(0);
        // Longer strings are not examined further.
        at.report(`must have at most ${most} characters`);
        return undefined;
      }
      at.spend(text.length);
      if (text.length < shortest) {
        at.report(
          detail ?? (shortest === 1 ? 'must not be empty' : `must have at least ${shortest} characters`),
        );
      } else if (format !== undefined && !format.test(text)) {
        at.report(detail ?? format.detail);
      } else if (pattern !== undefined && !at.matches(pattern, text)) {
        at.report(patternDetail);
      } else if (format === undefined && !isWellFormed(text)) {
        at.report(wellFormedDetail);
      }
      return text;
    };
  }

  private pattern(schema: Record<string, unknown>, pointer: string): Pattern | undefined {
    const source = this.member(schema, 'pattern', isText, pointer, 'a regular expression');
    if (source === undefined) return undefined;
    const most = contentLimits.patternWeight;
    // The excess weight is reported once; further patterns are not weighed.
    if (this.patternWeight > most) return undefined;
    this.patternWeight += patternWeight(source);
    if (this.patternWeight > most) {
      this.refuse(`${pointer}/pattern`, tooHeavy(this.patternWeight, most));
      return undefined;
    }
    try {
      return this.readPattern(source);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.refuse(`${pointer}/pattern`, error.message);
      return undefined;
    }
  }

  private format(schema: Record<string, unknown>, pointer: string) {
    const name = this.member(schema, 'format', isText, pointer, 'text');
    if (name === undefined) return undefined;
    if (Object.hasOwn(textFormats, name)) return textFormats[name];
    this.refuse(`${pointer}/format`, `must be quantity, ${Object.keys(textFormats).join(', ')}`);
    return undefined;
  }
}
