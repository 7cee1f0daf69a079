import { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import v8 from 'node:v8';

/** Functions that reach beyond this process, or change what it is; no adapter needs them. */
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
 * Takes from this process, for good, what Node offers against others and its permission model lets pass: signals,
 * priorities. Where a child is isolated there are no others; elsewhere this is what there is.
 */
export function takeAway(): void {
  for (const name of ofProcess) remove(process, name);
  remove(os, 'setPriority');
  // Flags name files that V8 writes, which the permission model is not asked about.
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
