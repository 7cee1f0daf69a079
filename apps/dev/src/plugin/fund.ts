import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ConfigError } from '@ledger-ops/server';

/** Time limit of the command, in milliseconds. */
const fundTimeoutMs = 60_000;

/**
 * Runs the command of `--fund` in a shell, with the wallet's address in `WALLET_ADDRESS`. Its output goes to the
 * terminal. Kills the command and its child processes when it finishes, after the time limit, or at `stop`.
 * @throws ConfigError if it fails or takes too long
 */
export async function fundWallet(
  command: string,
  walletAddress: string,
  stop: Promise<unknown>,
  timeoutMs = fundTimeoutMs,
): Promise<void> {
  const child = spawn(command, {
    env: { ...process.env, WALLET_ADDRESS: walletAddress },
    shell: true,
    // A separate process group, so that the shell's child processes can be killed with it.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const end = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process group is empty, or the platform has no process groups.
      child.kill('SIGKILL');
    }
  };
  process.once('exit', end);
  const limit = Promise.withResolvers<string>();
  const timer = setTimeout(() => limit.resolve(`took longer than ${timeoutMs / 1_000} seconds`), timeoutMs);
  try {
    const finished = once(child, 'exit').then(
      ([code, signal]: unknown[]) => (code === 0 ? undefined : `ended with ${code ?? signal}`),
      (error: unknown) => `cannot be started: ${error instanceof Error ? error.message : 'failed'}`,
    );
    const failure = await Promise.race([finished, limit.promise, stop.then(() => 'was stopped')]);
    if (failure !== undefined) {
      throw new ConfigError(`The command of --fund ${failure}; the operation was not sent.`);
    }
  } finally {
    clearTimeout(timer);
    end();
    process.off('exit', end);
  }
}
