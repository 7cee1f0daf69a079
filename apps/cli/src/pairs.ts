import { CliError } from './errors.ts';
import { readFileOption, type Terminal } from './terminal.ts';

/** Of an option that takes `name=value`. @throws CliError */
export function pairOf(option: string, text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new CliError('usage', `${option}, and not ${text}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Of `--set-file name=file`: the contents of the files by their names. @throws CliError */
export async function readPairs(
  terminal: Terminal,
  option: string,
  given: readonly string[],
): Promise<[name: string, content: string][]> {
  const pairs = given.map((text) => pairOf(option, text));
  return await Promise.all(
    pairs.map(
      async ([name, file]): Promise<[string, string]> => [name, await readFileOption(terminal, file)],
    ),
  );
}
