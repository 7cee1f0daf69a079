import { link, open, rm, stat } from 'node:fs/promises';
import type { Context } from '../command.ts';
import { CliError, whyNot } from '../errors.ts';

export const outFile = {
  outFile: { value: 'file', form: 'required', about: 'New file for it, which its owner alone can read.' },
} as const;

/**
 * Runs `issue` only when its secret has a place: it is shown once. The file is there with the secret in it, or not at all,
 * so that whoever was killed can do the same again.
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
      throw new CliError('usage', `${file} is there already.`, next);
    const issued = await issue();
    await place.writeFile(`${secretOf(issued)}\n`);
    await place.sync();
    isKept = true;
    // Unlike a renaming it replaces nothing.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      throw new CliError('failed', `It stands in ${draft}, since ${file} cannot be made: ${whyNot(error)}.`);
    });
    await rm(draft);
    return issued;
  } finally {
    await place.close();
    if (!isKept) await rm(draft, { force: true });
  }
}

/** Ends a command that kept a secret. `record` names that to which it belongs. */
export function tellKept({ output }: Context, file: string, record: Readonly<Record<string, string>>): void {
  const names = Object.values(record).map((id) => `${id}: `);
  output.said(`${names.join('')}its secret stands in ${file}, and is shown nowhere else.`, {
    ...record,
    file,
  });
}
