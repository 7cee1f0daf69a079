// Runs in its own thread: compiles once, then exits.
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { compileSource, type Solc } from './compile-source.ts';
import { findImport } from './find-import.ts';
import type { WorkerReport, WorkerTask } from './types.ts';

// Set by compiler.ts, which is the only module that starts this worker.
const task = workerData as WorkerTask;
const report = (said: WorkerReport) => parentPort?.postMessage(said);

limitMemory(task.memoryLimit, () => report({ kind: 'memory' }));
// solc has no suitable types; `Solc` describes the part that is used.
const solc = createRequire(import.meta.url)('solc') as Solc;
report({ kind: 'result', result: compileSource(solc, task, findImport) });

/** Thread resource limits do not cover WebAssembly memory, so its growth is limited here. */
function limitMemory(limit: number, exceeded: () => void): void {
  // Node's types include WebAssembly's types, but not its values.
  const { Memory } = Reflect.get(globalThis, 'WebAssembly') as { Memory: { prototype: WasmMemory } };
  const { grow } = Memory.prototype;
  Memory.prototype.grow = function (this: WasmMemory, pages) {
    if (this.buffer.byteLength + pages * 65_536 <= limit) return grow.call(this, pages);
    exceeded();
    throw new RangeError('The compiler needs more memory than it is allowed to use.');
  };
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
