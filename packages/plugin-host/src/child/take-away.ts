import { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import v8 from 'node:v8';

/** Functions that affect other processes or the whole process. Adapters do not need them. */
const ofProcess = [
  ...[
    'kill',
    '_kill',
    '_debugProcess',
    '_debugEnd',
    '_startProfilerIdleNotifier',
    '_stopProfilerIdleNotifier',
  ],
  ...['binding', '_linkedBinding', 'dlopen', 'execve', 'chdir', 'umask', 'initgroups'],
  ...['setuid', 'setgid', 'seteuid', 'setegid', 'setgroups', 'report'],
];

/**
 * Permanently removes functions that affect other processes and that Node's permission model does not cover:
 * signals and priorities. An isolated child sees no other processes. Without isolation, this is the only
 * protection.
 */
export function takeAway(): void {
  for (const name of ofProcess) remove(process, name);
  remove(os, 'setPriority');
  // Flags can name files that V8 writes, which bypasses the permission model.
  remove(v8, 'setFlagsFromString');
  const handle: unknown = Reflect.get(new ChildProcess(), '_handle');
  const prototype = typeof handle === 'object' && handle !== null ? Object.getPrototypeOf(handle) : undefined;
  if (prototype !== undefined) for (const name of ['spawn', 'kill']) remove(prototype, name);
  syncBuiltinESMExports();
}

function remove(from: object, name: string): void {
  if (!(name in from)) return;
  Object.defineProperty(from, name, { value: undefined, configurable: false, writable: false });
}
