// V8 and glibc read these settings only when a process starts; V8's figures are in
// docs/decisions/091-memory-of-the-server.md.

/**
 * The young generation has two semi-spaces of up to 8 MB instead of 32 MB. The old generation is collected at 96 MB,
 * and then again when it has grown by 40 %, not only when it has quadrupled. Compiled code is kept, because collections
 * are more frequent. `gc` lets the server collect unused buffers.
 */
const v8Flags = [
  '--max-semi-space-size=8',
  '--initial-old-space-size=96',
  '--heap-growing-percent=40',
  '--no-flush-bytecode',
  '--expose-gc',
];

/**
 * Settings of glibc's `malloc`; figures are in docs/decisions/162-memory-that-malloc-keeps.md.
 *
 * - Freed blocks of at least this many bytes are returned to the system. Without this setting, glibc raises this
 *   threshold from 128 kB to the size of the largest freed block, up to 32 MB, and keeps smaller blocks. Pages of
 *   SQLite (4 kB) are below the threshold.
 * - Threads share two heaps instead of up to eight per processor, each of which keeps what its threads freed.
 */
const mallocSettings = { MALLOC_MMAP_THRESHOLD_: '16384', MALLOC_ARENA_MAX: '2' };

/**
 * Replaces this process by the same program with bounded memory (`execve`), with the same process id, arguments and
 * streams. Does nothing in the new program, if the environment already contains `MALLOC_MMAP_THRESHOLD_`, in a child
 * process with an IPC channel, and on Windows.
 */
export function restartWithBoundedMemory(): void {
  const { argv, env, execArgv, execPath } = process;
  if (process.platform === 'win32' || env.MALLOC_MMAP_THRESHOLD_ !== undefined || process.connected) return;
  process.execve?.(execPath, [execPath, ...v8Flags, ...execArgv, ...argv.slice(1)], {
    ...mallocSettings,
    ...env,
  });
}
