// Setup of unit tests: fails a file that starts a process or opens a socket.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { afterAll } from 'vitest';

/** Stored in the process, because files share it and must not replace a function twice. */
const shared = globalThis as { notedByUnitTests?: string[] };
const noted = shared.notedByUnitTests ?? replace();
shared.notedByUnitTests = noted;
noted.length = 0;

afterAll(() => {
  const [first] = noted;
  if (first !== undefined)
    throw new Error(
      `A unit test called ${first}, but unit tests must not start processes or open sockets. Move this call to a helper that testing/find-tests.ts recognizes: then the file is not a unit test.`,
    );
});

/** Replaces the functions that start processes or open sockets. Returns an array to which each call adds its name. */
function replace(): string[] {
  const calls: string[] = [];
  const note = (holder: object, name: string) => {
    const own: unknown = Reflect.get(holder, name);
    if (typeof own !== 'function') throw new TypeError(`${name} is not a function.`);
    Reflect.set(holder, name, function (this: unknown, ...args: unknown[]) {
      calls.push(name);
      return Reflect.apply(own, this, args);
    });
  };
  note(childProcess.ChildProcess.prototype, 'spawn');
  note(childProcess, 'spawnSync');
  note(childProcess, 'execFileSync');
  note(net.Server.prototype, 'listen');
  note(net.Socket.prototype, 'connect');
  syncBuiltinESMExports();
  return calls;
}
