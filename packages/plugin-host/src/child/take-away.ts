import { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import v8 from 'node:v8';

/** Functions that affect other processes or this process as a whole; no adapter needs them. */
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
 * Permanently removes functions that Node offers against other processes and that its permission model does not cover:
 * signals, priorities. An isolated child sees no other processes; without isolation this is the only protection.
 */
export function takeAway(): void {
  for (const name of ofProcess) remove(process, name);
  remove(os, 'setPriority');
  // Flags name files that V8 writes, which bypass the permission model.
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
