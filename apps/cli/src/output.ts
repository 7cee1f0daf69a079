import { stripVTControlCharacters } from 'node:util';
import { csvOf } from '@ledger-ops/client/text';
import measure from 'fast-string-truncated-width';
import { select } from './select.ts';
import type { Terminal } from './terminal.ts';

/** Table columns by heading: the name of a row's member, or a function that returns the cell. */
export type Columns<Row> = Readonly<Record<string, (keyof Row & string) | ((row: Row) => unknown)>>;

/** Output of a command: tables and sentences, JSON with `--json`, or CSV with `--csv`. */
export interface Output {
  /** Whether `--json` was given. */
  readonly isJson: boolean;
  /** @param exported the columns of CSV, if they differ */
  table<Row>(rows: readonly Row[], columns: Columns<Row>, empty: string, exported?: Columns<Row>): void;
  /** Prints one record, one member per line. */
  record(record: Readonly<Record<string, unknown>>, members?: readonly string[]): void;
  /** Prints the sentence, or the data with `--json`. */
  said(sentence: string, data: unknown): void;
  /** Like `said`, but on one line, for commands that print several times. */
  line(sentence: string, data: unknown): void;
}

/** @param fields the members that JSON contains; all if empty */
export function createOutput(
  { out, timeZone }: Pick<Terminal, 'out' | 'timeZone'>,
  {
    isJson,
    isCsv,
    fields,
  }: { readonly isJson: boolean; readonly isCsv: boolean; readonly fields: readonly string[] },
): Output {
  const selected = (data: unknown) => (fields.length === 0 ? data : select(data, fields));
  const json = (data: unknown) => out(`${JSON.stringify(selected(data), undefined, 2)}\n`);
  const cellText = createCellText(timeZone);
  return {
    isJson,
    table(rows, columns, empty, exported = columns) {
      if (isJson) return json(rows);
      if (isCsv)
        return out(
          csvOf(
            Object.keys(exported),
            rows.map((row) => Object.values(exported).map((cell) => rawText(valueIn(row, cell)))),
          ),
        );
      if (rows.length === 0) return out(`${empty}\n`);
      const heads = Object.keys(columns).map((head) => head.toUpperCase());
      const cells = rows.map((row) => Object.values(columns).map((cell) => cellText(valueIn(row, cell))));
      out(aligned([heads, ...cells]));
    },
    record(record, members = Object.keys(record)) {
      if (isJson) return json(record);
      const shown = members.flatMap((name) => {
        const value = record[name];
        return value === undefined || value === null || value === '' ? [] : [[name, cellText(value)]];
      });
      out(aligned(shown));
    },
    said: (sentence, data) => (isJson ? json(data) : out(`${printableLines(sentence)}\n`)),
    line: (sentence, data) =>
      out(isJson ? `${JSON.stringify(selected(data))}\n` : `${printable(sentence)}\n`),
  };
}

function valueIn<Row>(row: Row, cell: Columns<Row>[string]): unknown {
  return typeof cell === 'string' ? row[cell] : cell(row);
}

/** Returns the content of a value in CSV. Line feeds and times are not changed. */
function rawText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(rawText).join(', ');
  return printableLines(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Aligns columns to their widest cell. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, index) => Math.max(most[index] ?? 0, measure(cell).width)),
    [],
  );
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - measure(cell).width))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Truncates a line to the width of the terminal. */
export function cutTo(line: string, columns: number): string {
  const { index } = measure(line, { limit: Math.max(0, columns), ellipsis: '…' });
  return index < line.length ? `${line.slice(0, index)}…` : line;
}

function createCellText(timeZone: string | undefined) {
  return function cellText(value: unknown): string {
    if (value === undefined || value === null) return '';
    if (Array.isArray(value)) return value.map(cellText).join(', ');
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return printable(withLocalTimes(text, timeZone));
  };
}

/** A time as the service writes it. */
const instant = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g;

/** Replaces the times in a text from the service with local times. */
export function withLocalTimes(text: string, timeZone: string | undefined): string {
  return text.replaceAll(instant, (at) => (Number.isNaN(Date.parse(at)) ? at : localTime(at, timeZone)));
}

/** Returns a time in a zone, by default that of the machine, with the zone: `2026-11-28 03:50:18 UTC+01:00`. */
export function localTime(at: string, timeZone: string | undefined): string {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
    ...{ timeZoneName: 'longOffset', timeZone },
  });
  const parts = new Map(format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]));
  const [year, month, day, hour, minute, second, zone] = (
    ['year', 'month', 'day', 'hour', 'minute', 'second', 'timeZoneName'] as const
  ).map((name) => parts.get(name) ?? '');
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${zone?.replace(/GMT(?:[+]00:00)?/, 'UTC')}`;
}

/**
 * Replaces control characters in strings of other users, so that they cannot move the cursor or start a line.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** Like {@link printable}, but keeps line feeds and tabs. */
export function printableLines(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\t\n]+|[\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}
