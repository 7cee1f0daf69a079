import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, type Run } from '../../../testing/children.ts';
import { openShell, type Shell } from './shell.ts';

/** A deployment as created by `init` and `serve`, and a shell whose default profile is its administrator. */
export interface Stage {
  readonly shell: Shell;
  /** Returns a path in the deployment's folder. */
  at(...names: string[]): string;
  /** Path of its settings file with absolute paths, for commands in another folder. */
  readonly settings: string;
  readonly baseUrl: string;
  /** Everything that the server has logged. */
  log(): string;
  close(): Promise<void>;
}

/** @param environment settings of the server in addition to the folder's */
export async function openStage(environment: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const shell = await openShell();
  const folder = join(shell.home, 'till');
  const at = (...names: string[]) => join(folder, ...names);
  let server: Run | undefined;
  const close = async () => {
    server?.child.kill('SIGTERM');
    await server?.code;
    await shell.close();
  };
  try {
    await shell.json('init', folder, '--port', String(await freePort()));
    // Settings name files relative to the folder in which the server starts.
    const given = JSON.parse(await readFile(at('ledger-ops.json'), 'utf8'));
    const settings = at('absolute.json');
    const absolute = { ...given, DATA_DIR: at('data'), MASTER_KEY_FILE: at('master.key') };
    await writeFile(settings, JSON.stringify(absolute));
    const more = { OUTBOUND_OPEN: '127.0.0.1', LOG_LEVEL: 'warn', ...environment };
    server = shell.start({ CONFIG_FILE: settings, ...more }, 'serve');
    const login = async () => (await shell.run('login', '--file', at('data/administrator.json'))).code === 0;
    await whenUp(server, login);
    const { baseUrl } = JSON.parse(await readFile(at('data/administrator.json'), 'utf8'));
    const serving = server;
    return { shell, at, settings, baseUrl, log: () => serving.out(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Polls until `isUp`. @throws Error with the program's output if it exits first */
export async function whenUp(program: Run, isUp: () => boolean | Promise<boolean>): Promise<void> {
  let hasEnded = false;
  void program.code.then(() => {
    hasEnded = true;
  });
  while (!(await isUp())) {
    if (hasEnded) throw new Error(`It has ended: ${program.out()}${program.err()}`);
    await delay(50);
  }
}
