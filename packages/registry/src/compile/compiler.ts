import { Worker } from 'node:worker_threads';
import { Problem } from '@ledger-ops/base';
import { defaultTiming, type Timing } from '../timing.ts';
import type { CompileRequest, CompileResult, CompilerMessage, WorkerReport, WorkerTask } from './types.ts';

/** Limits of the compiler. */
export interface CompilerOptions {
  /** Overrides of the default timing. */
  timing?: Partial<Timing>;
  /** Maximum memory of one compilation in bytes, for WebAssembly and JavaScript separately; default 512 MiB. */
  memoryLimit?: number;
  /** Maximum number of waiting compilations; default 16. */
  maxWaiting?: number;
  /** Maximum number of concurrent compilations; default {@link compilationsAtOnce}. */
  atOnce?: number;
}

/**
 * Maximum number of concurrent compilations. It is more than one, so that an expensive compilation does not
 * block others.
 */
export const compilationsAtOnce = 2;

/** Compiles Solidity. Each compilation runs in its own thread, which loads the compiler. */
export interface Compiler {
  /**
   * Invalid sources, a timeout and excessive memory use return a result that is not `ok`.
   * @throws Problem `too-many-requests` when too many compilations wait, `unavailable` after `close`
   */
  compile(request: CompileRequest): Promise<CompileResult>;
  /** Stops running compilations, which reject with `unavailable`. */
  close(): Promise<void>;
}

interface Waiting {
  request: CompileRequest;
  resolve: (result: CompileResult) => void;
  reject: (error: unknown) => void;
}

/** Creates the compiler. Nothing is loaded or started before the first compilation. */
export function createCompiler(options: CompilerOptions = {}): Compiler {
  const { compilation: timeLimit } = { ...defaultTiming, ...options.timing };
  const { memoryLimit = 536_870_912, maxWaiting = 16, atOnce = compilationsAtOnce } = options;
  const waiting: Waiting[] = [];
  const running = new Set<Promise<void>>();
  const workers = new Set<Worker>();
  let closed = false;

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { request, resolve, reject } = next;
      await run(request).then(resolve, reject);
    }
  }

  async function run(request: CompileRequest): Promise<CompileResult> {
    if (closed) throw over();
    const task: WorkerTask = { ...request, memoryLimit };
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`./worker.${extension}`, import.meta.url), {
      workerData: task,
      // Hides the server's environment variables.
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(memoryLimit / 1_048_576) },
    });
    workers.add(worker);
    const memory = failure(
      `The compiler needs more than ${Math.floor(memoryLimit / 1_048_576)} MiB of memory. Make the sources smaller.`,
    );
    try {
      return await new Promise<CompileResult>((resolve, reject) => {
        const timer = setTimeout(
          () =>
            resolve(
              failure(`The compiler took longer than ${timeLimit / 1_000} s. Make the sources smaller.`),
            ),
          timeLimit,
        );
        worker.once('message', (report: WorkerReport) =>
          resolve(report.kind === 'result' ? report.result : memory),
        );
        worker.once('error', (error: unknown) => {
          const code = error instanceof Error && 'code' in error ? error.code : undefined;
          const message = error instanceof Error ? error.message : 'unknown';
          resolve(
            code === 'ERR_WORKER_OUT_OF_MEMORY'
              ? memory
              : failure(`The compiler failed: ${message.slice(0, 500)}`),
          );
        });
        worker.once('exit', () => {
          clearTimeout(timer);
          reject(over());
        });
      });
    } finally {
      await worker.terminate();
      workers.delete(worker);
    }
  }

  return {
    async compile(request) {
      if (closed) throw over();
      if (waiting.length >= maxWaiting) {
        throw new Problem(
          'too-many-requests',
          `${maxWaiting} compilations are already waiting. Try again later.`,
          {
            retryAfter: Math.ceil(timeLimit / 1_000),
          },
        );
      }
      return await new Promise<CompileResult>((resolve, reject) => {
        waiting.push({ request, resolve, reject });
        if (running.size >= atOnce) return;
        const its = work().finally(() => running.delete(its));
        running.add(its);
      });
    },
    async close() {
      closed = true;
      await Promise.all([...workers].map((worker) => worker.terminate()));
      await Promise.all(running);
    },
  };
}

function failure(message: string): CompileResult {
  const line: CompilerMessage = { severity: 'error', file: null, line: null, column: null, message };
  return { ok: false, compilerVersion: null, messages: [line] };
}

function over(): Problem {
  return new Problem('unavailable', 'The compiler has been closed.');
}
