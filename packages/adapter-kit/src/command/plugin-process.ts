import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { paths } from '@ledger-ops/adapter/cloud-wallet';
import { conformanceTiming } from '../cloud-wallet/timing.ts';
import type { RestartCommands } from './arguments.ts';

/** A remote plugin that the command can start and crash. */
export interface PluginProcess {
  /**
   * Starts the plugin if nothing responds. @throws Error if the plugin cannot be started or does not respond
   */
  begin(): Promise<void>;
  /** Kills the plugin as a crash would, and restarts it. */
  crash(): Promise<{ url: string }>;
  /** Stops all processes that this object started. */
  end(): Promise<void>;
}

/**
 * Runs a command in its own process group. Its output goes to standard error, so that it does not mix with the report.
 */
function run(command: string): ChildProcess {
  return spawn(command, { shell: true, detached: true, stdio: ['ignore', 2, 2] });
}

/** Returns the output of the `--state` command for an account. */
export async function readState(command: string, account: string): Promise<string> {
  const env = { ...process.env, ACCOUNT: account };
  const limits = { timeout: conformanceTiming.patience, maxBuffer: 65_536 };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], { env, ...limits }).catch(
    (error: unknown) => {
      throw new Error(`The command of --state failed: ${error instanceof Error ? error.message : error}`);
    },
  );
  return stdout;
}

async function runToEnd(option: string, command: string): Promise<void> {
  const [code] = await once(run(command), 'exit');
  if (code !== 0) throw new Error(`The command of ${option} exited with ${code ?? 'a signal'}.`);
}

export function createPluginProcess(
  url: string,
  commands: RestartCommands,
  patience: number = conformanceTiming.patience,
): PluginProcess {
  let started: ChildProcess | undefined;
  const answers = async () => {
    const address = url.replace(/\/+$/, '') + paths.plugin;
    const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(patience) }).catch(
      () => undefined,
    );
    await response?.body?.cancel();
    return response !== undefined;
  };
  const waitUntil = async (wanted: boolean, otherwise: string) => {
    const until = Date.now() + patience;
    while ((await answers()) !== wanted) {
      if (Date.now() > until) throw new Error(`${otherwise} after ${patience} ms.`);
      if (wanted && started !== undefined && (started.exitCode ?? 0) !== 0) {
        throw new Error(`The command of --start exited with ${started.exitCode}.`);
      }
      await delay(conformanceTiming.poll);
    }
  };
  const kill = async () => {
    const child = started;
    started = undefined;
    if (child?.pid === undefined) return;
    const running = child.exitCode === null && child.signalCode === null;
    const ended = running ? once(child, 'exit') : undefined;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // ESRCH: the process group no longer exists.
    }
    await ended;
  };
  const start = async (command: string) => {
    started = run(command);
    await waitUntil(true, 'Nothing responds at the URL');
  };

  return {
    async begin() {
      if ('restart' in commands) return;
      if (!(await answers())) await start(commands.start);
      else if (commands.stop === undefined) {
        throw new Error(
          'The process that responds at the URL was not started by --start. Stop it, or set --stop.',
        );
      }
    },
    async crash() {
      if ('restart' in commands) {
        await runToEnd('--restart', commands.restart);
        await waitUntil(true, 'Nothing responds at the URL');
        return { url };
      }
      if (commands.stop !== undefined) await runToEnd('--stop', commands.stop);
      await kill();
      await waitUntil(false, 'The plugin was stopped, but something still responds at its URL');
      await start(commands.start);
      return { url };
    },
    end: kill,
  };
}
