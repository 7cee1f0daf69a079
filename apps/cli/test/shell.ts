import { openFolder } from '../../../testing/children.ts';
import { runCli } from '../src/cli.ts';
import type { Terminal } from '../src/terminal.ts';

/** End and texts of a command line. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A shell with a home of its own, in this process. */
export interface Shell {
  readonly home: string;
  /** Answers what a person types in the place of secrets; without it there is no terminal. */
  typed: readonly string[] | undefined;
  environment: Record<string, string>;
  /** Everything on standard input. */
  input: string;
  run(...args: string[]): Promise<Ran>;
  /** @throws Error unless it ends with 0 */
  json<Data = Record<string, string>>(...args: string[]): Promise<Data>;
  close(): Promise<void>;
}

export async function openShell(): Promise<Shell> {
  const folder = await openFolder();
  const shell: Shell = {
    ...{ home: folder.path, typed: undefined, environment: {}, input: '' },
    async run(...args) {
      let out = '';
      let err = '';
      const answers = [...(shell.typed ?? [])];
      const terminal: Terminal = {
        environment: { HOME: folder.path, ...shell.environment },
        ...{
          isInteractive: shell.typed !== undefined,
          drawsProgress: false,
          signal: new AbortController().signal,
        },
        out: (text) => {
          out += text;
        },
        err: (text) => {
          err += text;
        },
        input: async () => shell.input,
        askSecret: async () => answers.shift() ?? '',
      };
      const code = await runCli(args, terminal);
      return { code, out, err };
    },
    async json<Data>(...args: string[]) {
      const { code, out, err } = await shell.run(...args, '--json');
      if (code !== 0) throw new Error(`ledger-ops ${args.join(' ')} ended with ${code}: ${err}`);
      // Tests say of which form it is.
      return JSON.parse(out) as Data;
    },
    close: () => folder.remove(),
  };
  return shell;
}
