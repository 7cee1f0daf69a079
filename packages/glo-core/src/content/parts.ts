import type { Json, JsonObject } from '../json/json-values.ts';
import { isObject } from '../read-member.ts';
import { anyJson } from './any-json.ts';
import type { Run } from './content-run.ts';

/** Returns the replacement for a text that names a wallet. */
export type ReplaceWallet = (named: string, pointer: string) => string;

/** Validates a value at the run's position and returns its normalized form. */
export type Check = (value: unknown, at: Run) => unknown;
/** Omits `writeOnly` parts. */
export type Redact = (value: Json) => Json;
/** Replaces `x-wallet` strings. */
export type Rename = (value: Json, pointer: string, replace: ReplaceWallet) => Json;

export const anyValue: Check = (value, at) => anyJson(value, at);

export interface Part {
  check: Check;
  /** Undefined if there are no `writeOnly` parts. */
  redact?: Redact;
  /** Undefined if there are no `x-wallet` strings. */
  rename?: Rename;
}

export interface Node extends Part {
  writeOnly: boolean;
  /** Whether it accepts only strings. */
  isText: boolean;
}

export function both(check: Check, allowed: (value: unknown, at: Run) => boolean): Check {
  return (value, at) => {
    const read = check(value, at);
    return read === undefined || !allowed(read, at) ? undefined : read;
  };
}

/** Validates a name against the schema of names; reports at the name's pointer. */
export function hasUsableName(names: Check, name: string, at: Run): boolean {
  const before = at.issues.length;
  names(name, at);
  for (const issue of at.issues.slice(before)) issue.detail = `has an invalid name: ${issue.detail}`;
  return at.issues.length === before;
}

/**
 * Reads the first `anyOf` alternative that the value matches. If it is clear which one was meant, only its
 * issues are reported.
 */
export function eitherOf(
  own: Check | undefined,
  options: readonly Node[],
  detail: string | undefined,
): Check {
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
    else at.report(detail ?? 'does not match any of the allowed forms');
    return undefined;
  };
}

/** Counts the characters of a value that must not be stored in plain text. */
export function countingSecrets(check: Check): Check {
  return (value, at) => {
    const before = at.characters;
    const read = check(value, at);
    at.secretLength += at.characters - before;
    return read;
  };
}

export function redactMembers(members: ReadonlyMap<string, Node>, rest: Node | null): Redact | undefined {
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

export function renameText(value: Json, pointer: string, replace: ReplaceWallet): Json {
  return typeof value === 'string' ? replace(value, pointer) : value;
}

export function renameMembers(members: ReadonlyMap<string, Node>, rest: Node | null): Rename | undefined {
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

export function below(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
