import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { isCancel, password } from '@clack/prompts';
import { CliError, whyNot } from './errors.ts';

/** Input and output of a command. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the user can be prompted. */
  readonly isInteractive: boolean;
  /** Whether progress may be drawn over the current line. */
  readonly drawsProgress: boolean;
  /** Time zone of printed times. If undefined, that of the machine. */
  readonly timeZone?: string | undefined;
  /** Current width of the terminal. */
  columns(): number;
  out(text: string): void;
  err(text: string): void;
  /** Returns all of standard input. */
  input(): Promise<string>;
  /** Prompts for a secret without showing it. */
  askSecret(question: string): Promise<string>;
  /** Opens a URL in the user's browser; false if no browser can be opened. */
  openBrowser(address: string): Promise<boolean>;
  /** Aborted when the program should exit. */
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
      if (isCancel(answer)) throw new CliError('failed', 'Canceled. Nothing was done.');
      return answer;
    },
    openBrowser: async (address) => env.SSH_CONNECTION === undefined && (await startBrowser(address, env)),
    signal,
  };
}

/** Starts the system's URL opener; the URL contains no secrets. */
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

/** Sources of a secret. Arguments are not a source, because every process on the machine can read them. */
export interface SecretSource {
  /** Text of the prompt: `Password of alice`. */
  readonly name: string;
  readonly variable: string;
  /** The option that names a file, and its value. */
  readonly option: string;
  readonly file: string | undefined;
  /**
   * Whether the user chooses a new secret. If so, prompts twice, because a secret with a typing error could
   * not be used.
   */
  readonly isNew?: boolean;
}

/** Reads the file, otherwise the variable, otherwise prompts the user. @throws CliError if none is available */
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
      throw new CliError('usage', 'The two entries differ. Nothing was done.', 'run the same command again');
    return answer;
  }
  throw new CliError(
    'usage',
    `${name} is missing, and there is no terminal for a prompt.`,
    `set ${variable}, or ${option} <file> (- is standard input)`,
  );
}

/** Reads a file, or standard input for `-`, without a trailing line feed. @throws CliError */
export async function readFileOption(terminal: Terminal, file: string): Promise<string> {
  return (file === '-' ? await terminal.input() : await readText(file)).replace(/\r?\n$/, '');
}

/** @throws CliError */
export async function readText(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError('usage', `${file} cannot be read: ${whyNot(error)}.`);
  });
}
