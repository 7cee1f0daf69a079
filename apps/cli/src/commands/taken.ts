import { CliError } from '../errors.ts';

/** Of commands that list. */
export const limit = { limit: { value: 'number', about: 'How many at most; 20.' } } as const;

/** The first items of a list: 20, or as many as were asked for. @throws CliError */
export async function taken<T>(items: AsyncIterable<T>, limit: string | undefined): Promise<T[]> {
  if (limit !== undefined && !/^[1-9]\d{0,4}$/.test(limit)) {
    throw new CliError('usage', '--limit must be a whole number from 1 to 99999.');
  }
  const most = Number(limit ?? 20);
  const found: T[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length >= most) break;
  }
  return found;
}
