import type { LedgerClient } from '@ledger-ops/client';
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import type { Columns } from '../output.ts';

/** Option of commands that list records. */
export const limit = {
  limit: { value: 'number', about: 'Maximum number of records. Default: 20.' },
} as const;
export const ofProject = {
  project: { value: 'project', about: 'Id of the project. Default: the application’s project.' },
} as const;
/** Option of commands that create records. */
export const displayName = { name: { value: 'text', about: 'Display name. Default: the id.' } } as const;

/** Prints the first records of a list: 20, or the number of `--limit`. @throws CliError */
export async function printList<Row>(
  { client, output, terminal }: Context,
  most: string | undefined,
  list: (ledger: LedgerClient, signal: AbortSignal) => AsyncIterable<Row>,
  columns: Columns<Row>,
  empty: string,
  exported?: Columns<Row>,
): Promise<void> {
  output.table(await firstOf(list(await client(), terminal.signal), most), columns, empty, exported);
}

/** @throws CliError */
export async function firstOf<T>(items: AsyncIterable<T>, limit = '20'): Promise<T[]> {
  if (!/^[1-9]\d{0,4}$/.test(limit)) {
    throw new CliError('usage', '--limit must be a whole number from 1 to 99999.');
  }
  const found: T[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length >= Number(limit)) break;
  }
  return found;
}
