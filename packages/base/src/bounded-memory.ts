// V8 and glibc read these settings only when a process starts; figures are in docs/decisions/091-memory-of-the-server.md.

/**
 * The young generation has two semi-spaces of up to 8 MB instead of 32 MB. The old generation is collected at
 * 96 MB, and then whenever it has grown by 40 % instead of fourfold. Compiled code is kept, because
 * collections are more frequent. `gc` lets the server collect unused buffers.
 */
const v8Flags = [
  '--max-semi-space-size=8',
  '--initial-old-space-size=96',
  '--heap-growing-percent=40',
  '--no-flush-bytecode',
  '--expose-gc',
];

/**
 * Freed blocks of at least this size are returned to the system. Without this setting, glibc raises its limit
 * from 128 kB to the size of the largest freed block, up to 32 MB, and keeps smaller blocks in the heap of
 * each thread. Blocks of V8's compiler have 32 kB, which is below the limit.
 */
const variable = 'MALLOC_MMAP_THRESHOLD_';
const blockSize = 36_864;

/**
 * Replaces this process by the same program with bounded memory (`execve`), with the same process id,
 * arguments and streams. Returns without effect in the new program, if the environment already contains the
 * variable, in a child process with an IPC channel, and on Windows.
 */
export function restartWithBoundedMemory(): void {
  const { argv, env, execArgv, execPath } = process;
  if (process.platform === 'win32' || env[variable] !== undefined || process.connected) return;
  process.execve?.(execPath, [execPath, ...v8Flags, ...execArgv, ...argv.slice(1)], {
    ...env,
    [variable]: String(blockSize),
  });
}
