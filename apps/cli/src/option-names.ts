import { type Command, kebab } from './command.ts';
import type { FailureReport } from './errors.ts';

/** Options and arguments by the JSON pointer of a value in a request, if their names differ; the first one applies. */
const placesOf: readonly (readonly [pointer: RegExp, names: readonly string[]])[] = [
  [/^[/]glo[/]options[/]amount$/, ['amount']],
  [/^[/]glo[/]options[/]recipient(?:[/]|$)/, ['to']],
  [/^[/]glo[/]options[/]contract_instance(?:[/]|$)/, ['contract']],
  [/^[/]glo[/]options[/]contract_source(?:[/]|$)/, ['template']],
  [/^[/]glo[/]options[/]method_name$/, ['method']],
  [/^[/]glo[/]options[/]args$/, ['args']],
  [/^[/]glo[/]meta(?:[/]|$)/, ['meta']],
  [/^[/]glo(?:[/]|$)/, ['glo']],
  [/^[/]walletId$/, ['from', 'walletId', 'wallet']],
  [/^(?:[/]pluginParameters)?[/]walletPassword$/, ['passwordFile']],
  [/^[/]newPassword$/, ['nextPasswordFile']],
  [/^[/]dependencies(?:[/]|$)/, ['after']],
  [/^[/]wallets(?:[/]|$)/, ['with', 'wallet']],
  [/^[/]types(?:[/]|$)/, ['type']],
  [/^[/]resourceType$/, ['type']],
  [/^[/]ledgers(?:[/]|$)/, ['ledger']],
  [/^[/]roles(?:[/]|$)/, ['role']],
  [/^[/]tags(?:[/]|$)/, ['tag']],
  [/^[/]code(?:[/]|$)/, ['file']],
  [/^[/]organizationId$/, ['org']],
  [/^(?:[/]nodes[/]\d+|[/]uri)(?:[/]|$)/, ['url', 'node']],
  [/^[/]ledgerReference[/]ledgerId$/, ['ledger']],
  [/^[/]ledgerReference[/]nativeReference$/, ['address']],
  [/^Idempotency-Key$/i, ['key']],
];

/** A value of an argument of a contract's method or constructor. */
const argument = /^[/]glo[/]options[/]args[/](\d+)((?:[/][^/]+)*)$/;

/** A property or parameter that is given with `--set` or `--set-file`. */
const setMember = /^[/](?:properties|pluginParameters)[/]([^/]+)/;

/** Replaces JSON pointers of invalid values in an error with the options and arguments of the command. */
export function withOptionNames(report: FailureReport, command: Command): FailureReport {
  const pointers = pointersOf(report.data?.errors).toSorted((a, b) => b.length - a.length);
  const name = (line: string) =>
    pointers.reduce((text, pointer) => {
      const option = optionOf(pointer, command);
      return option === undefined ? text : replacePointer(text, pointer, option);
    }, line);
  return { ...report, lines: report.lines.map(name) };
}

function pointersOf(errors: unknown): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((one: unknown) => {
    const isIssue = typeof one === 'object' && one !== null && 'pointer' in one;
    return isIssue && typeof one.pointer === 'string' && one.pointer.length > 1 ? [one.pointer] : [];
  });
}

/** Replaces the pointer, unless it is the beginning of a longer pointer. */
function replacePointer(text: string, pointer: string, option: string): string {
  return text
    .split(pointer)
    .reduce((before, after) => (/^[\w/~-]/.test(after) ? before + pointer : before + option) + after);
}

function optionOf(pointer: string, { arguments: given, options }: Command): string | undefined {
  const shown = (name: string): string | undefined => {
    if (Object.hasOwn(options, name)) return `--${kebab(name)}`;
    return Object.hasOwn(given, name) ? `<${name}>` : undefined;
  };
  const [, place, within = ''] = argument.exec(pointer) ?? [];
  if (place !== undefined) return argumentText(Number(place), within);
  const [, member] = setMember.exec(pointer) ?? [];
  if (member !== undefined && !placesOf.some(([place]) => place.test(pointer)))
    return Object.hasOwn(options, 'set') ? `--set ${member}` : undefined;
  const known = placesOf.find(([place]) => place.test(pointer))?.[1] ?? [];
  const last = pointer.split('/').at(-1) ?? '';
  return [...known, last, last.replace(/Id$/, '')].map(shown).find((name) => name !== undefined);
}

/** `argument 2`, `argument 2, item 1`. Positions count from 1. */
function argumentText(index: number, within: string): string {
  const parts = within.split('/').slice(1);
  const names = parts.map((part) => (/^\d+$/.test(part) ? `item ${Number(part) + 1}` : part));
  return [`argument ${index + 1}`, ...names].join(', ');
}
