/** Languages of our compiler. */
export const compilerLanguage = 'Solidity';

/** Input of our compiler. */
export interface CompileRequest {
  /** Standard JSON, checked by `readSource`. */
  source: string;
  /** Which contract: `Name` or `File.sol:Name`; null: the only one that can be deployed. */
  target: string | null;
}

/** One line of what the compiler said. */
export interface CompilerMessage {
  severity: 'error' | 'warning' | 'info';
  /** Null where it is about no place. */
  file: string | null;
  /** From 1. */
  line: number | null;
  column: number | null;
  message: string;
}

/** Result of a compilation. */
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

/** Data that the worker is started with. */
export interface WorkerTask extends CompileRequest {
  /** Bytes that the compiler's own memory may grow to. */
  memoryLimit: number;
}

/** The one message of the worker. */
export type WorkerReport = { kind: 'result'; result: CompileResult } | { kind: 'memory' };
