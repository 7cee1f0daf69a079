/** Language that the built-in compiler supports. */
export const compilerLanguage = 'Solidity';

/** Sources to compile, and the contract to select. */
export interface CompileRequest {
  /** Standard JSON, checked by `readSource`. */
  source: string;
  /** Contract to compile: `Name` or `File.sol:Name`; null selects the only deployable contract. */
  target: string | null;
}

/** An error, warning or note of solc. */
export interface CompilerMessage {
  severity: 'error' | 'warning' | 'info';
  /** Null if the message has no source location. */
  file: string | null;
  /** Starts at 1. */
  line: number | null;
  column: number | null;
  message: string;
}

export type CompileResult =
  | {
      ok: true;
      /** `File.sol:Name`. */
      contract: string;
      /** JSON text. */
      abi: string;
      /** Creation code, `0x` hex, all libraries linked. */
      bytecode: string;
      compilerVersion: string;
      messages: CompilerMessage[];
    }
  | { ok: false; compilerVersion: string | null; messages: CompilerMessage[] };

/** Input of the worker thread. */
export interface WorkerTask extends CompileRequest {
  /** Maximum size in bytes of the compiler's WebAssembly memory. */
  memoryLimit: number;
}

/** The worker sends exactly one message: the result, or `memory` if the compilation exceeded its memory limit. */
export type WorkerReport = { kind: 'result'; result: CompileResult } | { kind: 'memory' };
