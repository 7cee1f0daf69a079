import type {
  Head,
  JsonObject,
  LedgerConfig,
  PendingTransaction,
  RequestResult,
  SessionCall,
} from '@ledger-ops/adapter';
import type { Failure } from '../failure.ts';

/**
 * The host's messages to the child. `id` identifies a call and `session` a session of the child. `now` is the host's clock in
 * milliseconds since the epoch. `counted`: the child reports requests to nodes. `optional`: the session may lack the
 * method. `trace`: W3C trace context of the call, if it has one.
 */
export type ToChild =
  | { t: 'open'; id: number; session: number; ledger: LedgerConfig; now: number; counted: boolean }
  | {
      t: 'call';
      id: number;
      session: number;
      method: SessionCall;
      args: unknown[];
      optional: boolean;
      now: number;
      trace?: string;
    }
  | { t: 'confirm'; id: number; session: number; cursor: unknown; pending: PendingDelta; now: number }
  | { t: 'interface'; id: number; text: string }
  | { t: 'heads'; session: number; on: boolean }
  | { t: 'close'; session: number }
  | { t: 'ping'; id: number };

/** Changes of the pending transactions since the session's last `confirm`. */
export interface PendingDelta {
  /** Whether the map is emptied first. */
  reset: boolean;
  /** Whether this call has no pending transactions. Does not change the map. */
  none: boolean;
  added: [txId: string, transaction: PendingTransaction][];
  removed: string[];
}

/** Why a module cannot be used. The host shows these messages instead of the child's. */
export const brokenReasons = {
  import: 'importing it failed',
  'no-default':
    'its default export is not an object: the module must end with export default defineAdapter({ … })',
  'no-open': 'its default export has no function open(): create it with defineAdapter()',
  'no-read-interface':
    'its default export is not wrapped and lacks readInterface(): create it with defineAdapter()',
  'not-plain': 'its default export has members that are not plain data',
} as const;
export type BrokenReason = keyof typeof brokenReasons;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The child's messages. The host checks each of them. */
export type FromChild =
  /** The module is loaded; `definition` contains the plain members of its default export. */
  | { t: 'ready'; definition: unknown }
  /** The module cannot be used: the import threw, or its export is not a definition. */
  | { t: 'broken'; reason: BrokenReason; failure?: Failure }
  | { t: 'answer'; id: number; value: unknown }
  | { t: 'refusal'; id: number; problem: unknown }
  | { t: 'thrown'; id: number; failure: Failure }
  | { t: 'head'; session: number; head: Head }
  | { t: 'log'; session: number; level: LogLevel; event: string; fields: JsonObject }
  /** Completed requests to nodes since the last message of this type, at most {@link requestsTogether}. */
  | { t: 'requests'; session: number; requests: EndedRequest[] }
  | { t: 'pong'; id: number; rss: number };

/** The last member is the duration in milliseconds. */
export type EndedRequest = [method: string, result: RequestResult, milliseconds: number];

/** Maximum number of requests per message. */
export const requestsTogether = 1_000;
