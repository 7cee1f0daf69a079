import { fileSetting, namesOf, secretNames } from './read-settings.ts';
import type { SettingsTable } from './setting.ts';

/** An environment variable that is not a setting, and the setting that was probably meant. */
export interface MisspelledSetting {
  readonly name: string;
  readonly meant: string;
}

/** Prefixes that people add to names. Kubernetes adds them to hosts and ports of services. */
const prefixes = ['LEDGER_OPS_', 'LEDGEROPS_'];
const ofServices = /_(HOST|PORT)$/;

/**
 * Finds variables that are probably meant to be settings: names of settings with typing errors, other case or
 * separators, or a prefix, and `…_FILE` for a setting that cannot be in a file. Settings that are given are
 * not suggested.
 * @param given names of the given settings
 */
export function misspelledSettings(
  table: SettingsTable,
  environment: Readonly<Record<string, string | undefined>>,
  given: ReadonlySet<string>,
): MisspelledSetting[] {
  const known = namesOf(table);
  const isUnset = (name: string) => {
    const base = name.replace(/_FILE$/, '');
    return ![name, base, fileSetting(base)].some((one) => given.has(one));
  };
  const candidates = known.filter(isUnset);
  return Object.keys(environment)
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = candidates.find((candidate) => isClose(name, candidate)) ?? withoutFile(table, name);
      return meant === undefined || !isUnset(meant) ? [] : [{ name, meant }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns one line for logs and error messages. */
export function misspelledText(misspelled: readonly MisspelledSetting[]): string {
  return misspelled.map(({ name, meant }) => `${name} is not a setting; did you mean ${meant}?`).join(' ');
}

/** Returns the setting of a `…_FILE` variable if that setting cannot be in a file. */
function withoutFile(table: SettingsTable, name: string): string | undefined {
  const base = Object.keys(table).find((setting) => fileSetting(setting) === name);
  return base === undefined || secretNames(table).includes(base) ? undefined : base;
}

function isClose(name: string, setting: string): boolean {
  if (normal(name) === normal(setting)) return true;
  if (prefixes.some((prefix) => name === `${prefix}${setting}`) && !ofServices.test(name)) return true;
  // Short names resemble other short names, such as HOST and POST.
  const most = setting.length >= 12 ? 2 : setting.length >= 7 ? 1 : 0;
  return most > 0 && Math.abs(name.length - setting.length) <= most && editDistance(name, setting) <= most;
}

const normal = (name: string) => name.toUpperCase().replace(/[^A-Z0-9]/g, '');

/**
 * Returns the number of insertions, deletions, substitutions and swaps of neighbors between two strings
 * (optimal string alignment).
 */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
