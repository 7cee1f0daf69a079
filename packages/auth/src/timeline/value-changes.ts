import { isDeepStrictEqual } from 'node:util';

/** A value that an update changed, in readable form. */
export interface ValueChange {
  /** Name of the member or property: `name`, `confirmations` … */
  readonly name: string;
  /** The former value; null if there was none. `from` and `to` are absent if the value is not shown. */
  readonly from?: string | null;
  /** The new value; null if it was removed. */
  readonly to?: string | null;
}

/** Values of a record by name. Undefined and null mean that there is no value. */
export type RecordValues = Readonly<Record<string, unknown>>;

/** The values of a record before and after an update. */
export interface Update {
  readonly before: RecordValues;
  readonly after: RecordValues;
  /** Values that may be secret or are too long to read. Only the names of those that changed are recorded. */
  readonly hidden?: { readonly before: RecordValues; readonly after: RecordValues };
}

/** Maximum number of changes in one activity. */
const mostChanges = 40;
/** Maximum characters of a name and of a value. */
const longestName = 64;
const longestValue = 200;

/** Compares the values of a record before and after an update. The result is bounded in number and length. */
export function valueChanges({ before, after, hidden }: Update): ValueChange[] {
  const shown = changedNames(before, after).map((name) => ({
    name: shortened(name, longestName),
    from: textOf(before[name]),
    to: textOf(after[name]),
  }));
  const others = hidden === undefined ? [] : changedNames(hidden.before, hidden.after);
  return [...shown, ...others.map((name) => ({ name: shortened(name, longestName) }))].slice(0, mostChanges);
}

function changedNames(before: RecordValues, after: RecordValues): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null));
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string') return shortened(value, longestValue);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.length === 0 ? null : shortened(value.join(', '), longestValue);
  }
  return shortened(JSON.stringify(value), longestValue);
}

function shortened(text: string, longest: number): string {
  const characters = [...text];
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}
