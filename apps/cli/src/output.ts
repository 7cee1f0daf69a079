import { stripVTControlCharacters } from 'node:util';
import measure from 'fast-string-truncated-width';
import type { Terminal } from './terminal.ts';

/** A column of a table: its head, and its cell. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => unknown>>;

/** Answers of a command: tables and sentences for people, JSON for programs. */
export interface Output {
  /** Whether a program reads it. */
  readonly isJson: boolean;
  table<Row>(rows: readonly Row[], columns: Columns<Row>, empty: string): void;
  /** One record, a member a line. */
  record(record: Readonly<Record<string, unknown>>, members?: readonly string[]): void;
  /** A sentence for people, and what programs get in its place. */
  said(sentence: string, data: unknown): void;
  /** A line of JSON for programs, while a command goes on; a sentence for people. */
  line(sentence: string, data: unknown): void;
}

export function createOutput({ out }: Pick<Terminal, 'out'>, isJson: boolean): Output {
  const json = (data: unknown) => out(`${JSON.stringify(data, undefined, 2)}\n`);
  return {
    isJson,
    table(rows, columns, empty) {
      if (isJson) return json(rows);
      if (rows.length === 0) return out(`${empty}\n`);
      const heads = Object.keys(columns).map((head) => head.toUpperCase());
      out(aligned([heads, ...rows.map((row) => Object.values(columns).map((cell) => cellText(cell(row))))]));
    },
    record(record, members = Object.keys(record)) {
      if (isJson) return json(record);
      const shown = members.flatMap((name) => {
        const value = record[name];
        return value === undefined || value === null ? [] : [[name, cellText(value)]];
      });
      out(aligned(shown));
    },
    said: (sentence, data) => (isJson ? json(data) : out(`${printableLines(sentence)}\n`)),
    line: (sentence, data) => out(isJson ? `${JSON.stringify(data)}\n` : `${printable(sentence)}\n`),
  };
}

/** Columns as wide as they need to be. */
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

/** As much of a line as stands in so many columns of a terminal. */
export function cutTo(line: string, columns: number): string {
  const { index } = measure(line, { limit: Math.max(0, columns), ellipsis: '…' });
  return index < line.length ? `${line.slice(0, index)}…` : line;
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Names and texts are others': none of them moves the cursor, or begins a line of its own. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ');
}

/** The same of a text that has lines and tabs. */
export function printableLines(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\t\n]+|\p{Cf}+/gu, ' ');
}
