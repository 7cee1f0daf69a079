import type {
  Head,
  JsonObject,
  LedgerConfig,
  LedgerSession,
  PendingTransaction,
  RequestResult,
} from '@ledger-ops/adapter';
import type { Failure } from '../failure.ts';

/** The calls of a session that are answered. */
export type SessionCall = Exclude<keyof LedgerSession, 'onHead' | 'close'>;

/**
 * The host's messages to the child. `id` numbers calls that are answered, `session` the sessions of one child;
 * `now` is the host's clock, in milliseconds since the epoch. `counted`: requests to nodes are to be told. `trace`: W3C
 * trace context of what is asked, where it has one.
 */
export type ToChild =
  | { t: 'open'; id: number; session: number; ledger: LedgerConfig; now: number; counted: boolean }
  | {
      t: 'call';
      id: number;
      session: number;
      method: SessionCall;
      args: unknown[];
      now: number;
      trace?: string;
    }
  | { t: 'confirm'; id: number; session: number; cursor: unknown; pending: PendingDelta; now: number }
  | { t: 'interface'; id: number; text: string }
  | { t: 'heads'; session: number; on: boolean }
  | { t: 'close'; session: number }
  | { t: 'ping'; id: number };

/** The changes of the pending transactions since the session's last `confirm`. */
export interface PendingDelta {
  /** Forget what was told before. */
  reset: boolean;
  /** For this call only: nothing is pending, whatever was told. */
  none: boolean;
  added: [txId: string, transaction: PendingTransaction][];
  removed: string[];
}

/** Why a module cannot be used, in the host's words: those of the child are not repeated. */
export const brokenReasons = {
  import: 'importing it failed',
  'no-default':
    'it has no default export that is an object: it ends with export default defineAdapter({ … })',
  'no-open': 'its default export has no function open(): make it with defineAdapter()',
  'no-read-interface':
    'its default export is as an author writes it, without readInterface(): make it with defineAdapter()',
  'not-plain': 'its default export holds members that are not plain data',
} as const;
export type BrokenReason = keyof typeof brokenReasons;

/** Levels of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The child's messages. Each is checked before it is believed. */
export type FromChild =
  /** The module is loaded; `definition` holds the plain members of its default export. */
  | { t: 'ready'; definition: unknown }
  /** The module cannot be used: the import threw, or what it gave is no definition. */
  | { t: 'broken'; reason: BrokenReason; failure?: Failure }
  | { t: 'answer'; id: number; value: unknown }
  | { t: 'refusal'; id: number; problem: unknown }
  | { t: 'thrown'; id: number; failure: Failure }
  | { t: 'head'; session: number; head: Head }
  | { t: 'log'; session: number; level: LogLevel; event: string; fields: JsonObject }
  /** Requests to nodes that have ended since the last of these, at most {@link requestsTogether}. */
  | { t: 'requests'; session: number; requests: EndedRequest[] }
  | { t: 'pong'; id: number; rss: number };

/** Milliseconds at the end. */
export type EndedRequest = [method: string, result: RequestResult, milliseconds: number];

/** Requests that are told in one message. */
export const requestsTogether = 1_000;
