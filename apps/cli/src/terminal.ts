import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { isCancel, password } from '@clack/prompts';
import { CliError, whyNot } from './errors.ts';

/** Where a command reads and writes. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Whether what takes time may draw over its line. */
  readonly drawsProgress: boolean;
  /** Of a line that is drawn, as wide as it is now. */
  columns(): number;
  out(text: string): void;
  err(text: string): void;
  /** Everything that stands on standard input. */
  input(): Promise<string>;
  /** Asks a person for a secret, without showing it. */
  askSecret(question: string): Promise<string>;
  /** Shows an address in the person's browser; false where there is none. */
  openBrowser(address: string): Promise<boolean>;
  /** Aborted when the program is to end. */
  readonly signal: AbortSignal;
}

export function processTerminal(signal: AbortSignal): Terminal {
  const { stdin, stdout, stderr, env } = process;
  return {
    environment: env,
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    drawsProgress: stderr.isTTY === true && env.TERM !== 'dumb',
    columns: () => stderr.columns ?? 80,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    input: async () => await readAll(stdin),
    async askSecret(message) {
      const answer = await password({ message, output: stderr });
      if (isCancel(answer)) throw new CliError('failed', 'Nothing was done.');
      return answer;
    },
    openBrowser: async (address) => env.SSH_CONNECTION === undefined && (await startBrowser(address, env)),
    signal,
  };
}

/** By the program of the system that opens addresses; it is told nothing secret. */
async function startBrowser(address: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { platform } = process;
  if (platform === 'linux' && env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined) return false;
  const [program, ...args] =
    platform === 'darwin'
      ? ['open']
      : platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open'];
  const child = spawn(program ?? '', [...args, address], { stdio: 'ignore', detached: true });
  child.unref();
  return await new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
}

/** Where a secret comes from: never from an argument, which every process of the machine can read. */
export interface SecretSource {
  /** For people: `Password of alice`. */
  readonly name: string;
  readonly variable: string;
  /** The option that names a file, and its value. */
  readonly option: string;
  readonly file: string | undefined;
  /** Whether it is one that a person chooses: asked for twice, since nobody can say it again. */
  readonly isNew?: boolean;
}

/** The file, then the variable, then the person. @throws CliError where there is none of them */
export async function readSecret(
  terminal: Terminal,
  { name, variable, option, file, isNew = false }: SecretSource,
): Promise<string> {
  if (file !== undefined) return await readFileOption(terminal, file);
  const given = terminal.environment[variable];
  if (given !== undefined && given !== '') return given;
  if (terminal.isInteractive) {
    const answer = await terminal.askSecret(name);
    if (isNew && (await terminal.askSecret(`${name}, again`)) !== answer)
      throw new CliError('usage', 'The two are not the same. Nothing was done.', 'the same again');
    return answer;
  }
  throw new CliError(
    'usage',
    `${name}: there is no terminal to ask on.`,
    `set ${variable}, or ${option} <file> (- is standard input)`,
  );
}

/** Of a file, or of standard input for `-`, without the end of its last line. @throws CliError */
export async function readFileOption(terminal: Terminal, file: string): Promise<string> {
  return (file === '-' ? await terminal.input() : await readText(file)).replace(/\r?\n$/, '');
}

/** @throws CliError */
export async function readText(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError('usage', `${file} cannot be read: ${whyNot(error)}.`);
  });
}
