import { link, open, rm, stat } from 'node:fs/promises';
import type { Context } from '../command.ts';
import { CliError, whyNot } from '../errors.ts';

export const outFile = {
  outFile: { value: 'file', form: 'required', about: 'New file for the secret, which only you can read.' },
} as const;

/**
 * Calls `issue` only if the file can be created, because the service shows the secret only once. The file is
 * created completely or not at all, so an interrupted command can be repeated.
 * @throws CliError
 */
export async function keepSecret<T>(
  file: string,
  issue: () => Promise<T>,
  secretOf: (issued: T) => string,
): Promise<T> {
  const next = 'name a file that does not exist';
  const draft = `${file}.${process.pid}`;
  const place = await open(draft, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CliError('usage', `${file} cannot be written: ${whyNot(error)}.`, next);
  });
  let isKept = false;
  try {
    if (await stat(file).then(Boolean, () => false))
      throw new CliError('usage', `${file} already exists.`, next);
    const issued = await issue();
    await place.writeFile(`${secretOf(issued)}\n`);
    await place.sync();
    isKept = true;
    // Unlike `rename`, `link` does not replace an existing file.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      throw new CliError(
        'failed',
        `The secret is in ${draft}, because ${file} cannot be created: ${whyNot(error)}.`,
      );
    });
    await rm(draft);
    return issued;
  } finally {
    await place.close();
    if (!isKept) await rm(draft, { force: true });
  }
}

/**
 * Reports where a secret was stored.
 *
 * @param secret name of the secret: `The API token of till`
 */
export function reportKept(
  { output }: Context,
  secret: string,
  file: string,
  record: Readonly<Record<string, string>>,
): void {
  output.said(`${secret} is in ${file}. It is not shown again.`, { ...record, file });
}
