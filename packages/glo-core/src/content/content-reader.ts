import type { Json } from '../json/json-values.ts';
import { kindOf } from '../problems.ts';
import { isObject } from '../read-member.ts';
import { anyJson, isUsableName } from './any-json.ts';
import { contentLimits } from './content-limits.ts';
import {
  annotations,
  isCount,
  isDetail,
  isOfKind,
  isTexts,
  keywords,
  keywordsOf,
  kinds,
  longestDetail,
  short,
} from './keywords.ts';
import {
  anyValue,
  below,
  both,
  type Check,
  countingSecrets,
  eitherOf,
  hasUsableName,
  type Node,
  type Part,
  type Rename,
  redactMembers,
  renameMembers,
  renameText,
} from './parts.ts';
import { ScalarReader } from './scalar-reader.ts';

/** Compiles schemas to checks and collects their faults. */
export class SchemaReader extends ScalarReader {
  /**
   * Number of `anyOf` alternatives with secrets so far. Redaction searches all of them, regardless of which
   * one the value matches.
   */
  private secretForms = 0;

  node(schema: unknown, pointer: string, depth: number): Node {
    const nothing: Node = { check: anyValue, writeOnly: false, isText: false };
    if (depth > contentLimits.schemaDepth) {
      this.refuse(pointer, `is nested deeper than ${contentLimits.schemaDepth} levels`);
      return nothing;
    }
    if (!isObject(schema)) {
      this.refuse(pointer, `must be a schema object, not ${kindOf(schema)}`);
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
    this.secretForms += options.filter(({ redact }) => redact !== undefined).length;
    if (this.secretForms > contentLimits.secretForms) {
      this.refuse(
        `${pointer}/anyOf`,
        `has more than ${contentLimits.secretForms} anyOf alternatives with writeOnly members`,
      );
    }
    if (options.some((option) => option.writeOnly)) {
      this.refuse(`${pointer}/anyOf`, 'cannot contain writeOnly alternatives; put writeOnly next to anyOf');
    }
    if (options.some(({ rename }) => rename !== undefined)) {
      this.refuse(`${pointer}/anyOf`, 'cannot name wallets (x-wallet) in only some of its alternatives');
    }
    const rename = this.renaming(schema, own, pointer);
    if (writeOnly && rename !== undefined) {
      this.refuse(`${pointer}/writeOnly`, 'cannot be combined with x-wallet');
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

  private renaming(
    schema: Record<string, unknown>,
    { isText, rename }: Part & { isText: boolean },
    pointer: string,
  ): Rename | undefined {
    if (schema['x-wallet'] !== true) return rename;
    if (isText && schema.format !== 'quantity' && !Object.hasOwn(schema, 'anyOf')) return renameText;
    this.refuse(`${pointer}/x-wallet`, 'is only allowed for text');
    return undefined;
  }

  private knownOnly(schema: Record<string, unknown>, pointer: string, depth: number): void {
    for (const [keyword, value] of Object.entries(schema)) {
      if (keywords.has(keyword) || (keyword === '$schema' && depth === 0)) continue;
      const at = below(pointer, keyword);
      const isValid = Object.hasOwn(annotations, keyword) ? annotations[keyword] : undefined;
      if (isValid === undefined) this.refuse(at, 'is not a supported schema keyword');
      else if (!isValid(value)) this.refuse(at, 'has an invalid value');
    }
  }

  private options(value: unknown, pointer: string, depth: number): Node[] {
    if (!Array.isArray(value) || value.length === 0) {
      this.refuse(pointer, 'must be an array of schemas');
      return [];
    }
    return value.map((option, index) => this.node(option, `${pointer}/${index}`, depth + 1));
  }

  /** Returns the check of all keywords except `anyOf`. */
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

  private items(schema: Record<string, unknown>, pointer: string, depth: number): Part {
    const fewest = this.member(schema, 'minItems', isCount, pointer, 'a count') ?? 0;
    const most = this.member(schema, 'maxItems', isCount, pointer, 'a count') ?? contentLimits.values;
    const item = Object.hasOwn(schema, 'items')
      ? this.node(schema.items, `${pointer}/items`, depth + 1)
      : undefined;
    if (item?.writeOnly === true) {
      this.refuse(`${pointer}/items/writeOnly`, 'is not allowed on items; set it on the array');
    }
    const checkItem = item?.check ?? anyValue;
    const redactItem = item?.redact;
    const check: Check = (value, at) => {
      // Safe cast: this check is called only for arrays.
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
    const required = this.member(schema, 'required', isTexts, pointer, 'an array of names') ?? [];
    const most = this.member(schema, 'maxProperties', isCount, pointer, 'a count') ?? contentLimits.values;
    const beside = this.beside(schema, pointer);
    const members = this.properties(schema, pointer, depth);
    const naming = Object.hasOwn(schema, 'propertyNames')
      ? this.node(schema.propertyNames, `${pointer}/propertyNames`, depth + 1)
      : undefined;
    if (naming?.writeOnly === true) {
      this.refuse(`${pointer}/propertyNames/writeOnly`, 'is not allowed on names; set it on the object');
    }
    if (naming?.rename !== undefined) {
      this.refuse(`${pointer}/propertyNames/x-wallet`, 'is not allowed on names');
    }
    const names = naming?.check;
    const rest = this.additional(schema, pointer, depth);
    const looks = 1 + required.length + beside.reduce((sum, [, others]) => sum + 1 + others.length, 0);

    const check: Check = (value, at) => {
      // Safe cast: this check is called only for objects.
      const object = value as Record<string, unknown>;
      at.spend(0, looks);
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
          if (!Object.hasOwn(object, other)) at.report(short(`is required when ${name} is given`), [other]);
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
      if (name === '__proto__') this.refuse(at, 'is a reserved name; choose another one');
      else if (name.length > contentLimits.nameLength)
        this.refuse(pointer, `has a member whose name exceeds ${contentLimits.nameLength} characters`);
      else members.set(name, this.node(member, at, depth + 1));
    }
    return members;
  }

  /** The schema of members that `properties` does not name; null if they are not allowed. */
  private additional(schema: Record<string, unknown>, pointer: string, depth: number): Node | null {
    const at = `${pointer}/additionalProperties`;
    const given = Object.hasOwn(schema, 'additionalProperties') ? schema.additionalProperties : true;
    if (given === false) return null;
    const node = this.node(given === true ? {} : given, at, depth + 1);
    if (node.writeOnly && !node.isText) {
      this.refuse(
        `${at}/writeOnly`,
        'is only allowed for text values of additionalProperties; set it on the object',
      );
    }
    return node;
  }

  private beside(schema: Record<string, unknown>, pointer: string): [string, string[]][] {
    const given = this.member(schema, 'dependentRequired', isObject, pointer, 'an object') ?? {};
    return Object.entries(given).flatMap(([name, others]): [string, string[]][] => {
      if (isTexts(others)) return [[name, others]];
      this.refuse(below(`${pointer}/dependentRequired`, name), 'must be an array of names');
      return [];
    });
  }
}
