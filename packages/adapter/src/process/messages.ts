import type { Head, JsonObject, LedgerConfig, LedgerSession, PendingTransaction } from '../types.ts';

/** The calls of a session that are answered. */
export type SessionCall = Exclude<keyof LedgerSession, 'onHead' | 'close'>;

/**
 * What the host says to the child. `id` numbers calls that are answered, `session` the sessions of one child;
 * `now` is the host's clock, in milliseconds since the epoch.
 */
export type ToChild =
  | { t: 'open'; id: number; session: number; ledger: LedgerConfig; now: number }
  | { t: 'call'; id: number; session: number; method: SessionCall; args: unknown[]; now: number }
  | { t: 'confirm'; id: number; session: number; cursor: unknown; pending: PendingDelta; now: number }
  | { t: 'interface'; id: number; text: string }
  | { t: 'heads'; session: number; on: boolean }
  | { t: 'close'; session: number }
  | { t: 'ping'; id: number };

/** What changed among the pending transactions since the session's last `confirm`. */
export interface PendingDelta {
  /** Forget what was told before. */
  reset: boolean;
  /** For this call only: nothing is pending, whatever was told. */
  none: boolean;
  added: [txId: string, transaction: PendingTransaction][];
  removed: string[];
}

/** Levels of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What the child says. All of it is checked before it is believed. */
export type FromChild =
  /** The module is loaded; `definition` holds the plain members of its default export. */
  | { t: 'ready'; definition: unknown }
  /** The module cannot be used. */
  | { t: 'broken'; detail: string }
  | { t: 'answer'; id: number; value: unknown }
  | { t: 'refusal'; id: number; problem: unknown }
  | { t: 'thrown'; id: number; name: string; message: string }
  | { t: 'head'; session: number; head: Head }
  | { t: 'log'; session: number; level: LogLevel; event: string; fields: JsonObject }
  | { t: 'pong'; id: number; rss: number };
