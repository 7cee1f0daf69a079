import { CliError } from './errors.ts';
import { readFileOption, type Terminal } from './terminal.ts';

/**
 * Parses `name=value`.
 * @param option for the error: `--set must be name=value`
 * @throws CliError
 */
export function pairOf(option: string, text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new CliError('usage', `${option}, not ${text}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Reads `--set-file name=file`: file contents by name. @throws CliError */
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
