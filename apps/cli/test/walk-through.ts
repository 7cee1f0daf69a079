import { spawn } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { childEnvironment, sourceArguments } from '../../../testing/children.ts';

/** The lines that docs/cli.md says to type, below one of its headings: each block is a terminal of its own, or a later time. */
export async function blocksBelow(heading: string): Promise<string[]> {
  const page = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const blocks = [...(section.split('\n## ')[0] ?? '').matchAll(/```sh\n(.*?)```/gs)];
  if (blocks.length === 0) throw new Error(`docs/cli.md has nothing to type below ${heading}.`);
  return blocks.map(([, lines = '']) => lines);
}

/** Makes a program `ledger-ops` of the sources in a folder, which is to stand in PATH. */
export async function makeProgram(folder: string): Promise<void> {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const file = `${folder}/ledger-ops`;
  const words = [process.execPath, ...sourceArguments, main].map((word) => `'${word}'`);
  await writeFile(file, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  await chmod(file, 0o755);
}

/** Types lines in a shell with this program, which stops at the first that fails. */
export function type(
  lines: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
): { end: Promise<{ code: number | null; told: string }>; stop(): void } {
  const { PATH, ...rest } = childEnvironment();
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', lines], {
    cwd: folder,
    env: { ...rest, PATH: `${folder}:${PATH}`, HOME: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that all that it started ends with it.
    detached: true,
  });
  let told = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk) => {
      told += chunk;
    });
  return {
    end: new Promise((resolve) => shell.once('close', (code) => resolve({ code, told }))),
    stop: () => {
      if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGTERM');
    },
  };
}
