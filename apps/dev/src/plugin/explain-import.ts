import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** Milliseconds that a module may take to be imported. */
const patience = 10_000;

/**
 * Imports a module as Node does, in a process that may write nothing and start nothing, for the words and the stack of what it
 * throws: the server keeps these to itself, since they may hold what the module has read. Empty: it can be imported.
 */
export async function explainImport({ folder, file }: { folder: string; file: string }): Promise<string> {
  const statement = `await import(${JSON.stringify(pathToFileURL(file).href)}); process.exit();`;
  const args = ['--permission', '--allow-fs-read=*', '--input-type=module', '--eval', statement];
  const options = { cwd: folder, env: {}, timeout: patience };
  try {
    await promisify(execFile)(process.execPath, args, options);
    return '';
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    return stderr.trim();
  }
}
