import { GloError, type GloIssue } from '../errors.ts';
import type { Json, JsonObject } from '../json/json-values.ts';
import { kindOf } from '../problems.ts';
import { isQuantity, quantityDetail, quantityToText } from '../quantity.ts';
import { isObject } from '../read-member.ts';
import { anyJson, isUsableName, isWellFormed, numberDetail, wellFormedDetail } from './any-json.ts';
import { textFormats } from './content-formats.ts';
import { contentLimits } from './content-limits.ts';
import { type Reading, type Run, run } from './content-run.ts';
import type { Pattern, ReadPattern } from './pattern.ts';

/**
 * A JSON Schema (2020-12) of the subset that is read here; see "Schemas" in the README. Plain JSON, so
 * that a plugin of any kind can hand it in.
 */
export type JsonSchema = JsonObject;

/** A schema that was read, and is ready to check values. */
export interface ContentSchema {
  /** Checks a value and normalises it: quantities become decimal text. Never throws, and never quotes a value. */
  read(value: unknown, pointer?: string): Reading;
  /**
   * A value that obeys the schema, without what is `writeOnly`: members are left out; of a map whose values are
   * `writeOnly` the names stay, with empty texts. The value itself when there is nothing of the kind in it.
   */
  withoutSecrets<Value extends Json>(value: Value): Value;
  /**
   * A value that obeys the schema, with other texts for those that are `x-wallet`. The value itself when there are none.
   *
   * @param replace called for each, with its place in the value
   */
  replaceWallets<Value extends Json>(value: Value, replace: ReplaceWallet): Value;
}

/** The text for one that names a wallet. */
export type ReplaceWallet = (named: string, pointer: string) => string;

/** Checks a value at the run's place and gives its normal form. */
type Check = (value: unknown, at: Run) => unknown;
/** Leaves out what is `writeOnly`. */
type Redact = (value: Json) => Json;
/** Replaces what is `x-wallet`. */
type Rename = (value: Json, pointer: string, replace: ReplaceWallet) => Json;

const anyValue: Check = (value, at) => anyJson(value, at);

interface Part {
  check: Check;
  /** Absent where nothing is `writeOnly`. */
  redact?: Redact;
  /** Absent where nothing is `x-wallet`. */
  rename?: Rename;
}

interface Node extends Part {
  writeOnly: boolean;
  /** Takes texts and nothing else. */
  isText: boolean;
}

/**
 * Reads a schema.
 *
 * @param readPattern how its patterns are read: by an engine that takes linear time where a stranger wrote them.
 * @throws {GloError} with an issue for each keyword that is not known or has no usable value, and for a schema that is
 * larger than the limits.
 */
export function compileSchema(schema: unknown, readPattern: ReadPattern): ContentSchema {
  const size = sizeProblem(schema);
  if (size !== undefined) throw new GloError('invalid-glo', [size]);
  const reader = new SchemaReader(readPattern);
  const node = reader.node(schema, '', 0);
  // There would be nothing left of which it could be left out.
  if (node.writeOnly) reader.refuse('/writeOnly', 'cannot be said of the whole; say it of members');
  if (reader.issues.length > 0) throw new GloError('invalid-glo', reader.issues);
  return {
    read: (value, pointer = '') => run(node.check, value, pointer),
    // A redacted value has the form of the value.
    withoutSecrets: (value) => (node.redact === undefined ? value : (node.redact(value) as typeof value)),
    // Texts take the place of texts.
    replaceWallets: (value, replace) =>
      node.rename === undefined ? value : (node.rename(value, '', replace) as typeof value),
  };
}

/** Says when a schema is no JSON or has more of anything than is looked at. */
function sizeProblem(schema: unknown): GloIssue | undefined {
  let values = 0;
  let text = 0;
  const look = (value: unknown, depth: number): string | undefined => {
    values += 1;
    if (values > contentLimits.schemaValues) return `has more than ${contentLimits.schemaValues} values`;
    if (typeof value === 'string') text += value.length;
    if (text > contentLimits.schemaText) return `has more than ${contentLimits.schemaText} characters`;
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth > 2 * contentLimits.schemaDepth) return `has more than ${contentLimits.schemaDepth} levels`;
    for (const [name, member] of Object.entries(value)) {
      text += name.length;
      const found = look(member, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const detail = look(schema, 0);
  return detail === undefined ? undefined : { pointer: '', detail };
}

/** Characters of a detail that a schema gives or that is made of its values. */
const longestDetail = 512;

function short(detail: string): string {
  return detail.length > longestDetail ? `${detail.slice(0, longestDetail)}…` : detail;
}

const kinds = {
  object: 'an object',
  array: 'an array',
  string: 'text',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  null: 'null',
} as const;
type Kind = keyof typeof kinds;

function isKind(value: unknown): value is Kind {
  return typeof value === 'string' && Object.hasOwn(kinds, value);
}

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === kind;
  }
}

type Primitive = string | number | boolean | null;

function isPrimitive(value: unknown): value is Primitive {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Keywords that say something to people or to the host, and nothing about which values are valid. */
const annotations: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: isText,
  description: isText,
  $comment: isText,
  'x-detail': isText,
  writeOnly: isFlag,
  'x-address': isFlag,
  'x-wallet': isFlag,
  default: () => true,
  examples: Array.isArray,
};

/** Keywords about valid values, by the kind of value that they are about. */
const keywordsOf = {
  any: ['type', 'enum', 'const', 'anyOf'],
  string: ['pattern', 'minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum'],
  array: ['items', 'minItems', 'maxItems'],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'propertyNames',
    'maxProperties',
    'dependentRequired',
  ],
} as const;
const keywords: ReadonlySet<string> = /*@__PURE__*/ new Set(Object.values(keywordsOf).flat());

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isDetail(value: unknown): value is string {
  return isText(value) && value.length <= longestDetail;
}

function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isPrimitives(value: unknown): value is Primitive[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPrimitive);
}

/** Makes checks of schemas, and collects what is wrong with them. */
class SchemaReader {
  readonly issues: GloIssue[] = [];
  private readonly readPattern: ReadPattern;

  constructor(readPattern: ReadPattern) {
    this.readPattern = readPattern;
  }

  node(schema: unknown, pointer: string, depth: number): Node {
    const nothing: Node = { check: anyValue, writeOnly: false, isText: false };
    if (depth > contentLimits.schemaDepth) {
      this.refuse(pointer, `is nested deeper than ${contentLimits.schemaDepth} levels`);
      return nothing;
    }
    if (!isObject(schema)) {
      this.refuse(pointer, `must be a schema, an object, not ${kindOf(schema)}`);
      return nothing;
    }
    this.knownOnly(schema, pointer, depth);
    const detail = this.member(
      schema,
      'x-detail',
      isDetail,
      pointer,
      `text of at most ${longestDetail} characters`,
    );
    const writeOnly = schema.writeOnly === true;
    const options = Object.hasOwn(schema, 'anyOf')
      ? this.options(schema.anyOf, `${pointer}/anyOf`, depth)
      : [];
    const own = this.ownCheck(schema, pointer, depth, detail);
    const check =
      options.length === 0 ? own.check : eitherOf(own.hasKeywords ? own.check : undefined, options, detail);
    const redacts = [own.redact, ...options.map(({ redact }) => redact)].filter((one) => one !== undefined);
    if (options.some((option) => option.writeOnly)) {
      this.refuse(`${pointer}/anyOf`, 'cannot have writeOnly forms; say writeOnly beside anyOf');
    }
    if (options.some(({ rename }) => rename !== undefined)) {
      this.refuse(`${pointer}/anyOf`, 'cannot name wallets (x-wallet) in some of its forms');
    }
    const rename = this.renaming(schema, own, pointer);
    if (writeOnly && rename !== undefined) {
      this.refuse(`${pointer}/writeOnly`, 'cannot be said of what names wallets (x-wallet)');
    }
    return {
      ...(rename === undefined ? {} : { rename }),
      check: writeOnly ? countingSecrets(check) : check,
      ...(redacts.length === 0
        ? {}
        : { redact: (value: Json) => redacts.reduce((left, redact) => redact(left), value) }),
      writeOnly,
      isText: own.isText,
    };
  }

  refuse(pointer: string, detail: string): void {
    this.issues.push({ pointer, detail });
  }

  private renaming(
    schema: Record<string, unknown>,
    { isText, rename }: Part & { isText: boolean },
    pointer: string,
  ): Rename | undefined {
    if (schema['x-wallet'] !== true) return rename;
    if (isText && schema.format !== 'quantity' && !Object.hasOwn(schema, 'anyOf')) return renameText;
    this.refuse(`${pointer}/x-wallet`, 'can be said of texts only');
    return undefined;
  }

  private knownOnly(schema: Record<string, unknown>, pointer: string, depth: number): void {
    for (const [keyword, value] of Object.entries(schema)) {
      if (keywords.has(keyword) || (keyword === '$schema' && depth === 0)) continue;
      const at = below(pointer, keyword);
      const isValid = Object.hasOwn(annotations, keyword) ? annotations[keyword] : undefined;
      if (isValid === undefined) this.refuse(at, 'is not a keyword that is read here');
      else if (!isValid(value)) this.refuse(at, 'has no usable value');
    }
  }

  /** The keyword's value, where it is given and usable. */
  private member<Value>(
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

  private options(value: unknown, pointer: string, depth: number): Node[] {
    if (!Array.isArray(value) || value.length === 0) {
      this.refuse(pointer, 'must be a list of schemas');
      return [];
    }
    return value.map((option, index) => this.node(option, `${pointer}/${index}`, depth + 1));
  }

  /** The check of everything but `anyOf`. */
  private ownCheck(
    schema: Record<string, unknown>,
    pointer: string,
    depth: number,
    detail: string | undefined,
  ): Part & { isText: boolean; hasKeywords: boolean } {
    const has = (list: readonly string[]) => list.some((keyword) => Object.hasOwn(schema, keyword));
    const hasKeywords = [...keywords].some(
      (keyword) => keyword !== 'anyOf' && Object.hasOwn(schema, keyword),
    );
    const allowed = this.allowedValues(schema, pointer, detail);
    if (schema.format === 'quantity') {
      const check = this.quantity(schema, pointer);
      return { check: allowed === undefined ? check : both(check, allowed), isText: true, hasKeywords };
    }
    const types = this.types(schema, pointer);
    const strings = has(keywordsOf.string) ? this.texts(schema, pointer, detail) : anyValue;
    const numbers = has(keywordsOf.number) ? this.numbers(schema, pointer) : anyValue;
    const arrays: Part = has(keywordsOf.array) ? this.items(schema, pointer, depth) : { check: anyValue };
    const objects: Part = has(keywordsOf.object) ? this.members(schema, pointer, depth) : { check: anyValue };
    const check: Check = (value, at) => {
      if (types !== undefined && !types.some((type) => isOfKind(value, type))) {
        at.spend(0);
        at.report(
          value === undefined
            ? 'is required'
            : `must be ${types.map((type) => kinds[type]).join(' or ')}, not ${kindOf(value)}`,
        );
        return undefined;
      }
      if (allowed !== undefined && !allowed(value, at)) return undefined;
      if (typeof value === 'string') return strings(value, at);
      if (typeof value === 'number') return numbers(value, at);
      if (Array.isArray(value)) return arrays.check(value, at);
      if (isObject(value)) return objects.check(value, at);
      return anyJson(value, at);
    };
    const redacts = [arrays.redact, objects.redact].filter((one) => one !== undefined);
    const renames = [arrays.rename, objects.rename].filter((one) => one !== undefined);
    const rename: Rename = (value, at, replace) =>
      renames.reduce((left, renameIn) => renameIn(left, at, replace), value);
    return {
      check,
      ...(renames.length === 0 ? {} : { rename }),
      ...(redacts.length === 0
        ? {}
        : { redact: (value: Json) => redacts.reduce((left, redact) => redact(left), value) }),
      isText: types?.length === 1 && types[0] === 'string',
      hasKeywords,
    };
  }

  private types(schema: Record<string, unknown>, pointer: string): Kind[] | undefined {
    if (!Object.hasOwn(schema, 'type')) return undefined;
    const types: unknown[] = [schema.type].flat();
    if (types.length > 0 && types.every(isKind)) return types;
    this.refuse(`${pointer}/type`, `must be one or several of ${Object.keys(kinds).join(', ')}`);
    return undefined;
  }

  /** Whether a value is among those that `enum` and `const` name; reports when it is not. */
  private allowedValues(
    schema: Record<string, unknown>,
    pointer: string,
    detail: string | undefined,
  ): ((value: unknown, at: Run) => boolean) | undefined {
    const many = this.member(
      schema,
      'enum',
      isPrimitives,
      pointer,
      'a list of texts, numbers, true, false or null',
    );
    const one = this.member(schema, 'const', isPrimitive, pointer, 'text, a number, true, false or null');
    if (many === undefined && one === undefined) return undefined;
    const values = new Set(many ?? [one]);
    if (many !== undefined && one !== undefined) this.refuse(`${pointer}/const`, 'cannot stand beside enum');
    const said = detail ?? short(`must be ${[...values].map((value) => JSON.stringify(value)).join(' or ')}`);
    return (value, at) => {
      // Values of other kinds are in no set of primitives.
      if (values.has(value as Primitive)) return true;
      at.spend(0);
      at.report(said);
      return false;
    };
  }

  private quantity(schema: Record<string, unknown>, pointer: string): Check {
    for (const keyword of ['pattern', 'minLength', 'maxLength', ...keywordsOf.array, ...keywordsOf.object]) {
      if (Object.hasOwn(schema, keyword))
        this.refuse(`${pointer}/${keyword}`, 'cannot stand beside format quantity');
    }
    if (Object.hasOwn(schema, 'type')) {
      const types = this.types(schema, pointer) ?? [];
      if (!types.every((type) => type === 'string' || type === 'integer' || type === 'number')) {
        this.refuse(`${pointer}/type`, 'must be text or integer beside format quantity');
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

  private numbers(schema: Record<string, unknown>, pointer: string): Check {
    const range = this.range(schema, pointer);
    return (value, at) => {
      at.spend(0);
      // Called for numbers alone.
      const number = value as number;
      const wrong = numberDetail(number) ?? range?.(number);
      if (wrong !== undefined) at.report(wrong);
      return number === 0 ? 0 : number;
    };
  }

  /** The detail of a number out of bounds. */
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
      if (above !== undefined && value <= above) return `must be more than ${above}`;
      if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
      return undefined;
    };
  }

  private texts(schema: Record<string, unknown>, pointer: string, detail: string | undefined): Check {
    const shortest = this.member(schema, 'minLength', isCount, pointer, 'a count') ?? 0;
    const longest = this.member(schema, 'maxLength', isCount, pointer, 'a count') ?? contentLimits.text;
    const pattern = this.pattern(schema, pointer);
    const format = this.format(schema, pointer);
    const most = Math.min(longest, pattern?.longest ?? longest);
    const patternDetail = detail ?? `must have the form ${JSON.stringify(schema.pattern)}`;
    return (value, at) => {
      // Called for texts alone.
      const text = value as string;
      if (text.length > most) {
        at.spend(0);
        // Beyond this it is not looked at further.
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
      } else if (pattern !== undefined && !pattern.test(text)) {
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

  private items(schema: Record<string, unknown>, pointer: string, depth: number): Part {
    const fewest = this.member(schema, 'minItems', isCount, pointer, 'a count') ?? 0;
    const most = this.member(schema, 'maxItems', isCount, pointer, 'a count') ?? contentLimits.values;
    const item = Object.hasOwn(schema, 'items')
      ? this.node(schema.items, `${pointer}/items`, depth + 1)
      : undefined;
    if (item?.writeOnly === true) {
      this.refuse(`${pointer}/items/writeOnly`, 'cannot be said of items; say it of the list');
    }
    const checkItem = item?.check ?? anyValue;
    const redactItem = item?.redact;
    const check: Check = (value, at) => {
      // Called for arrays alone.
      const items = value as unknown[];
      at.spend(0);
      if (items.length > most) {
        at.reportAlone(`must have at most ${most} items`);
        return undefined;
      }
      if (items.length < fewest) at.report(`must have at least ${fewest} item${fewest === 1 ? '' : 's'}`);
      const read: unknown[] = [];
      for (let index = 0; index < items.length; index += 1) {
        at.path.push(index);
        read.push(checkItem(items[index], at));
        at.path.pop();
      }
      return read;
    };
    const renameItem = item?.rename;
    const changed = (value: Json, change: (one: Json, index: number) => Json): Json => {
      if (!Array.isArray(value)) return value;
      const left = value.map(change);
      return left.some((one, index) => one !== value[index]) ? left : value;
    };
    return {
      check,
      ...(redactItem === undefined ? {} : { redact: (value) => changed(value, redactItem) }),
      ...(renameItem === undefined
        ? {}
        : {
            rename: (value, at, replace) =>
              changed(value, (one, index) => renameItem(one, `${at}/${index}`, replace)),
          }),
    };
  }

  private members(schema: Record<string, unknown>, pointer: string, depth: number): Part {
    const required = this.member(schema, 'required', isTexts, pointer, 'a list of names') ?? [];
    const most = this.member(schema, 'maxProperties', isCount, pointer, 'a count') ?? contentLimits.values;
    const beside = this.beside(schema, pointer);
    const members = this.properties(schema, pointer, depth);
    const naming = Object.hasOwn(schema, 'propertyNames')
      ? this.node(schema.propertyNames, `${pointer}/propertyNames`, depth + 1)
      : undefined;
    if (naming?.writeOnly === true) {
      this.refuse(`${pointer}/propertyNames/writeOnly`, 'cannot be said of names; say it of the map');
    }
    if (naming?.rename !== undefined) {
      this.refuse(`${pointer}/propertyNames/x-wallet`, 'cannot be said of names');
    }
    const names = naming?.check;
    const rest = this.additional(schema, pointer, depth);

    const check: Check = (value, at) => {
      // Called for objects alone.
      const object = value as Record<string, unknown>;
      at.spend(0);
      const read: Record<string, unknown> = {};
      const given = Object.keys(object);
      if (given.length > most) {
        at.reportAlone(`must have at most ${most} items`);
        return undefined;
      }
      for (const name of given) {
        const member = object[name];
        if (member === undefined) continue;
        const known = members.get(name);
        if (known === undefined && rest === null) {
          at.spend(0);
          at.reportUnknown(name);
          continue;
        }
        at.path.push(name);
        const isUsable =
          (known !== undefined || isUsableName(name, at)) &&
          (names === undefined || hasUsableName(names, name, at));
        if (isUsable) read[name] = (known ?? rest)?.check(member, at);
        at.path.pop();
      }
      for (const name of required) {
        if (!Object.hasOwn(object, name) || object[name] === undefined) at.report('is required', [name]);
      }
      for (const [name, others] of beside) {
        if (!Object.hasOwn(object, name) || object[name] === undefined) continue;
        for (const other of others) {
          if (!Object.hasOwn(object, other)) at.report(short(`is required beside ${name}`), [other]);
        }
      }
      return read;
    };
    const redact = redactMembers(members, rest);
    const rename = renameMembers(members, rest);
    return {
      check,
      ...(redact === undefined ? {} : { redact }),
      ...(rename === undefined ? {} : { rename }),
    };
  }

  private properties(schema: Record<string, unknown>, pointer: string, depth: number): Map<string, Node> {
    const members = new Map<string, Node>();
    for (const [name, member] of Object.entries(
      this.member(schema, 'properties', isObject, pointer, 'an object') ?? {},
    )) {
      const at = below(`${pointer}/properties`, name);
      if (name === '__proto__') this.refuse(at, 'is not a usable name');
      else members.set(name, this.node(member, at, depth + 1));
    }
    return members;
  }

  /** The schema of members that `properties` does not name; null where there may be none. */
  private additional(schema: Record<string, unknown>, pointer: string, depth: number): Node | null {
    const at = `${pointer}/additionalProperties`;
    const given = Object.hasOwn(schema, 'additionalProperties') ? schema.additionalProperties : true;
    if (given === false) return null;
    const node = this.node(given === true ? {} : given, at, depth + 1);
    if (node.writeOnly && !node.isText) {
      this.refuse(`${at}/writeOnly`, 'can be said of the texts of a map only; say it of the map');
    }
    return node;
  }

  private beside(schema: Record<string, unknown>, pointer: string): [string, string[]][] {
    const given = this.member(schema, 'dependentRequired', isObject, pointer, 'an object') ?? {};
    return Object.entries(given).flatMap(([name, others]): [string, string[]][] => {
      if (isTexts(others)) return [[name, others]];
      this.refuse(below(`${pointer}/dependentRequired`, name), 'must be a list of names');
      return [];
    });
  }
}

function both(check: Check, allowed: (value: unknown, at: Run) => boolean): Check {
  return (value, at) => {
    const read = check(value, at);
    return read === undefined || !allowed(read, at) ? undefined : read;
  };
}

/** Holds a name to the schema of names; what is wrong with it stands at the name's place. */
function hasUsableName(names: Check, name: string, at: Run): boolean {
  const before = at.issues.length;
  names(name, at);
  for (const issue of at.issues.slice(before)) issue.detail = `has an unusable name: ${issue.detail}`;
  return at.issues.length === before;
}

/** The first form that a value has. Where it is clear which one was meant, what is wrong is told of that one. */
function eitherOf(own: Check | undefined, options: readonly Node[], detail: string | undefined): Check {
  return (value, at) => {
    const before = at.issues;
    const count = before.length;
    const ownValue = own?.(value, at);
    if (before.length > count) return undefined;
    const tried: (typeof at.issues)[] = [];
    for (const option of options) {
      at.issues = [];
      const read = option.check(value, at);
      const found = at.issues;
      at.issues = before;
      if (found.length === 0) return own === undefined ? read : ownValue;
      tried.push(found);
    }
    const here = at.pointer();
    const meant = tried.filter((issues) => issues.every(({ pointer }) => pointer !== here));
    const [only] = meant;
    const alone = tried.flat().find((issue) => issue.alone === true);
    if (alone !== undefined) at.issues.push(alone);
    else if (detail === undefined && only !== undefined && meant.length === 1) at.issues.push(...only);
    else at.report(detail ?? 'has none of the forms that it may have');
    return undefined;
  };
}

/** Counts the characters of a value that may not be stored in the clear. */
function countingSecrets(check: Check): Check {
  return (value, at) => {
    const before = at.characters;
    const read = check(value, at);
    at.secretLength += at.characters - before;
    return read;
  };
}

function redactMembers(members: ReadonlyMap<string, Node>, rest: Node | null): Redact | undefined {
  const hasSecrets = ({ writeOnly, redact }: Node) => writeOnly || redact !== undefined;
  if (![...members.values()].some(hasSecrets) && (rest === null || !hasSecrets(rest))) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    let changed = false;
    const left: JsonObject = {};
    for (const [name, member] of Object.entries(value)) {
      const known = members.get(name);
      const node = known ?? rest;
      if (known?.writeOnly === true) {
        changed = true;
        continue;
      }
      const shown = node?.writeOnly === true ? '' : (node?.redact?.(member) ?? member);
      if (shown !== member) changed = true;
      left[name] = shown;
    }
    return changed ? left : value;
  };
}

function renameText(value: Json, pointer: string, replace: ReplaceWallet): Json {
  return typeof value === 'string' ? replace(value, pointer) : value;
}

function renameMembers(members: ReadonlyMap<string, Node>, rest: Node | null): Rename | undefined {
  if ([...members.values(), rest].every((node) => node?.rename === undefined)) return undefined;
  return (value, at, replace) => {
    if (!isObject(value)) return value;
    let changed = false;
    const left: JsonObject = {};
    for (const [name, member] of Object.entries(value)) {
      const { rename } = members.get(name) ?? rest ?? {};
      left[name] = rename?.(member, below(at, name), replace) ?? member;
      changed ||= left[name] !== member;
    }
    return changed ? left : value;
  };
}

function below(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
