import { spawn } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { childEnvironment, sourceArguments } from './children.ts';

const repository = new URL('../', import.meta.url);

/** A shell that runs one script. */
interface Terminal {
  /** Exit code and output, once the shell and all programs that it started have exited. */
  readonly end: Promise<{ code: number | null; output: string }>;
  /** Terminates the shell and all programs that it started. */
  stop(): void;
}

/** A fenced block of a page. */
interface Block {
  readonly language: string;
  readonly text: string;
}

/** All fenced blocks of a page. @param heading only those below this heading of the second level */
async function blocksOf(page: string, heading?: string): Promise<Block[]> {
  const text = await readFile(new URL(page, repository), 'utf8');
  const section = heading === undefined ? text : text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0];
  const blocks = [...(section ?? '').matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  if (blocks.length === 0) throw new Error(`${page} has no blocks${heading ? ` below ${heading}` : ''}.`);
  return blocks.map(([, language = '', lines = '']) => ({ language, text: lines }));
}

/** The shell blocks of a page. @param heading only those below this heading of the second level */
export async function shellBlocks(page: string, heading?: string): Promise<string[]> {
  return (await blocksOf(page, heading)).filter(({ language }) => language === 'sh').map(({ text }) => text);
}

/** Creates a program `ledger-ops` in the folder, which runs the sources. */
export async function makeProgram(folder: string): Promise<void> {
  const main = fileURLToPath(new URL('apps/cli/src/main.ts', repository));
  const file = `${folder}/ledger-ops`;
  const words = [process.execPath, ...sourceArguments, main].map((word) => `'${word}'`);
  await writeFile(file, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  await chmod(file, 0o755);
}

/**
 * Runs lines in bash, with the folder as HOME and first on PATH; stops at the first failure. Programs that still
 * run in the background after the last line are terminated.
 */
export function type(lines: string, folder: string, environment: Readonly<Record<string, string>>): Terminal {
  const { PATH, ...rest } = childEnvironment();
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', lines], {
    cwd: folder,
    env: { ...rest, PATH: `${folder}:${PATH}`, HOME: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group, so that the shell's child processes can be terminated with it.
    detached: true,
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const stop = () => {
    try {
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGTERM');
    } catch {
      // All processes of the group have exited.
    }
  };
  shell.once('exit', stop);
  return { end: new Promise((resolve) => shell.once('close', (code) => resolve({ code, output }))), stop };
}

/** Options of `followPage`. */
interface Follow {
  /** Folder of the reader, with a program `ledger-ops`. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** For each block that keeps running, in order: a string that its program prints once it is ready. */
  readonly ready?: readonly string[];
  /** Strings of the page, such as addresses with a port, and their replacements. */
  readonly replace?: Readonly<Record<string, string>>;
  /** Beginnings of blocks to skip, because the test has already done their steps. */
  readonly skip?: readonly string[];
}

/** The first line of a block that the reader saves: a comment with only a file's name. */
const fileName = /^(?:[/]{2}|#) ([\w.-]+\.\w+)\n/;
const keepsRunning = /# keeps running\n$/;

/** Milliseconds after which the commands of a page are stopped. Long, because the machine may be busy. */
const limitMs = 240_000;

/**
 * Follows a page as its reader does. Pastes the shell blocks into one terminal, in order; a block that ends with
 * `# keeps running` gets its own terminal. Saves each block whose first line names a file.
 *
 * @returns output of all terminals
 *
 * @throws Error with that output if a command fails
 */
export async function followPage(page: string, given: Follow): Promise<string> {
  const { folder, environment, ready = [], skip = [], replace = {} } = given;
  let terminals = 0;
  const lines = (await blocksOf(page)).map(({ language, text: written }) => {
    const text = Object.entries(replace).reduce((all, [from, to]) => all.replaceAll(from, to), written);
    const [, name] = fileName.exec(text) ?? [];
    if (name !== undefined) return `cat > ${name} <<'End of the file'\n${text}End of the file\n`;
    // Blocks in other languages are illustrations.
    if (language !== 'sh' || skip.some((start) => text.startsWith(start))) return '';
    if (keepsRunning.test(text)) {
      const readyOutput = ready[terminals];
      if (readyOutput === undefined)
        throw new Error(
          `${page}: the option "ready" has no entry for this block, which keeps running:\n${text}`,
        );
      terminals += 1;
      return inOwnTerminal(text, `${folder}/terminal-${terminals}.log`, readyOutput);
    }
    // The folder already has the packages that the page installs.
    return text.replaceAll(/^npm install .*$/gm, ':');
  });
  const showTerminals = `trap 'cat ${folder}/terminal-*.log 2>&- || true' EXIT\n`;
  const terminal = type(showTerminals + lines.join(''), folder, environment);
  const limit = setTimeout(terminal.stop, limitMs);
  const { code, output } = await terminal.end;
  clearTimeout(limit);
  if (code === null)
    throw new Error(`The commands of ${page} did not finish within ${limitMs} ms:\n${output}`);
  if (code !== 0) throw new Error(`A command of ${page} exited with ${code}:\n${output}`);
  return output;
}

/** Starts a program in the background, and waits until it prints a string. Fails if the program exits first. */
function inOwnTerminal(block: string, log: string, readyOutput: string): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const start = `(cd ~; exec bash -euo pipefail -c ${quote(block)}) > ${log} 2>&1 &`;
  return `${start}\nuntil grep -qF ${quote(readyOutput)} ${log}; do kill -0 $!; sleep 0.1; done\n`;
}
