// Runs in a thread of its own: one compilation, then it is over.
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { compileSource, type Solc } from './compile-source.ts';
import { findImport } from './find-import.ts';
import type { WorkerReport, WorkerTask } from './types.ts';

// Given by compiler.ts, which is the only one that starts this.
const task = workerData as WorkerTask;
const report = (said: WorkerReport) => parentPort?.postMessage(said);

limitMemory(task.memoryLimit, () => report({ kind: 'memory' }));
// A package without types that suit; `Solc` says what is used of it.
const solc = createRequire(import.meta.url)('solc') as Solc;
report({ kind: 'result', result: compileSource(solc, task, findImport) });

/** The memory of WebAssembly lies outside of the limits that threads have: it is held where it grows. */
function limitMemory(limit: number, exceeded: () => void): void {
  // Node's types know WebAssembly's types, but not its values.
  const { Memory } = Reflect.get(globalThis, 'WebAssembly') as { Memory: { prototype: WasmMemory } };
  const { grow } = Memory.prototype;
  Memory.prototype.grow = function (this: WasmMemory, pages) {
    if (this.buffer.byteLength + pages * 65_536 <= limit) return grow.call(this, pages);
    exceeded();
    throw new RangeError('The compiler needs more memory than it may have.');
  };
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
