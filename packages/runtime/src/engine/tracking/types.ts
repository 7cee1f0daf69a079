import type { Cursor, PendingTransaction, Submission } from '@ledger-ops/adapter';
import type { OpenLedger } from '../../open-ledger.ts';
import type { PendingCode } from '../../pending-codes.ts';
import type { Attempt, LiveAction } from '../../rows/model.ts';
import type { Moment } from '../replacing/patience.ts';

/** One ledger's traffic: sends signed bytes, follows the blocks, has outcomes written. */
export interface Tracker {
  readonly open: OpenLedger;
  readonly chain: string;
  /** Plugins that are no more, whose signed actions it follows beside its own. */
  readonly adopted: Set<string>;
  /** Its plugin or ledger is not as it was opened: it follows what is signed, and signs nothing. */
  retired: boolean;
  /** A node shows another chain, and not all can be asked: nothing is signed or sent until it is known which one it is. */
  inDoubt: boolean;
  /** Signed and not settled, by action. */
  readonly live: ReadonlyMap<string, LiveAction>;
  actionOf(txId: string): { action: LiveAction; attempt: Attempt } | undefined;
  /** Replacements are signed when they are needed. */
  readonly replaces: boolean;
  /** The ledger's newest block, as far as it is known. */
  height(): number | null;
  /** Takes signed actions over. `fresh`: never sent; else their blocks may have passed already. */
  add(actions: readonly LiveAction[], fresh: boolean): void;
  /** A live action has another transaction, which is durable: it is sent. */
  extend(action: LiveAction, attempt: Attempt, signed: Moment): void;
  /** Sends the next attempts of an action that were signed beforehand. */
  release(action: LiveAction): void;
  /** The ledger has told its own id of a transaction, and that is durable. */
  noted(action: LiveAction, attempt: Attempt, note: string): void;
  /** Whether what was asked for of actions can be done has changed; durable once it resolves. */
  hinder(actions: readonly LiveAction[]): Promise<void>;
  remove(actionIds: readonly string[]): void;
  /** Sends bytes again that belong to no live action. */
  resend(submissions: readonly Submission[]): void;
  /** Asks for outcomes of ended actions, too, wherever in the chain they are; and no more. */
  follow(transactions: ReadonlyMap<string, PendingTransaction>): void;
  unfollow(txIds: readonly string[]): void;
  /** Ended actions of these shards are to be held against the ledger. */
  doubtHistory(shards: readonly number[]): void;
  forgetHistory(shards: readonly number[]): void;
  start(mark: Cursor | null): void;
  /** Resolves when nothing is being sent or read any more. */
  stop(): Promise<void>;
  /** Why the ledger cannot be followed, or null. */
  trouble(): string | null;
  /** Faults of single nodes while it is served. */
  warnings(): readonly string[];
}

/** A new reason why an action has no outcome; null: none any more. */
export type PendingReasonChange = readonly [
  action: LiveAction,
  detail: string | null,
  code: PendingCode | null,
];
