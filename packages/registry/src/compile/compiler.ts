import { Worker } from 'node:worker_threads';
import { Problem } from '@ledger-ops/base';
import { defaultTiming, type Timing } from '../timing.ts';
import type { CompileRequest, CompileResult, CompilerMessage, WorkerReport, WorkerTask } from './types.ts';

/** Limits of the compiler. */
export interface CompilerOptions {
  /** Times other than the usual ones. */
  timing?: Partial<Timing>;
  /** Bytes that one compilation may use, of WebAssembly and of JavaScript each; default 512 MiB. */
  memoryLimit?: number;
  /** Compilations that may wait; default 16. */
  maxWaiting?: number;
  /** Compilations at once; default {@link compilationsAtOnce}. */
  atOnce?: number;
}

/** One that is heavy leaves room for another. */
export const compilationsAtOnce = 2;

/** Compiles Solidity, each compilation in a thread of its own. The compiler is loaded there and then. */
export interface Compiler {
  /**
   * Sources that are wrong, or take too long or too much memory, give a result that is not `ok`.
   * @throws Problem `too-many-requests` when too many wait, `unavailable` after `close`
   */
  compile(request: CompileRequest): Promise<CompileResult>;
  /** Ends what is under way: it is refused as `unavailable`. */
  close(): Promise<void>;
}

interface Waiting {
  request: CompileRequest;
  resolve: (result: CompileResult) => void;
  reject: (error: unknown) => void;
}

/** Makes the compiler. Loads nothing, and starts nothing before the first compilation. */
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
      // Nothing of the server's environment.
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(memoryLimit / 1_048_576) },
    });
    workers.add(worker);
    const memory = failure(
      `The compiler needs more than ${Math.floor(memoryLimit / 1_048_576)} MiB of memory.`,
    );
    try {
      return await new Promise<CompileResult>((resolve, reject) => {
        const timer = setTimeout(
          () => resolve(failure(`The compiler took longer than ${timeLimit / 1_000} s.`)),
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
              : failure(`The compiler broke off: ${message.slice(0, 500)}`),
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
          `${maxWaiting} compilations are waiting already; try again later.`,
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
  return new Problem('unavailable', 'The compiler is closed.');
}
