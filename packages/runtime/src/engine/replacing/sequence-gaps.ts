import type { LedgerSession } from '@ledger-ops/adapter';
import type { Queries } from '@ledger-ops/store';
import { readFirstKept, readLastTaken } from '../../rows/attempts/kept.ts';
import type { Timing } from '../../timing.ts';

/**
 * Sequences of an account that the ledger expects before all signed ones, but for which no transaction is known. A
 * reorg removed their transactions from the chain; these were sent by other programs, or their bytes were already
 * deleted.
 */
export interface Gap {
  from: number;
  /** End of the range, exclusive. */
  to: number;
  /** When the gap's sequences may be assigned to other actions, if the gap still exists at that time. */
  lastingFrom: number;
}

/** A gap as observed now; its age is unknown. */
export type SeenGap = Pick<Gap, 'from' | 'to'>;

/**
 * Returns the gap that starts at `count`, the account's transaction count on the ledger; null if there is
 * none. `next` is the account's next sequence according to the database.
 */
export async function readGap(
  read: Queries,
  session: Pick<LedgerSession, 'lookup'>,
  { chain, address }: { chain: string; address: string },
  count: number,
  next: number,
): Promise<SeenGap | null> {
  if (count >= next) return null;
  const first = await readFirstKept(read, chain, address, count);
  const to = Math.min(first ?? next, next);
  if (to <= count) return null;
  // If the ledger contains a later transaction, the transaction count is low only because its node is behind.
  const last = await readLastTaken(read, chain, address, count);
  const found = last === null ? null : await session.lookup(last);
  if (found !== null && found.status !== 'PENDING') return null;
  return { from: count, to };
}

/** Returns the gap with its age: a gap that was seen before keeps its time, a new one starts now. */
export function agedGap(
  before: Gap | null,
  seen: SeenGap | null,
  now: number,
  { gapPatience }: Pick<Timing, 'gapPatience'>,
): Gap | null {
  if (seen === null) return null;
  const fresh = now + gapPatience;
  return { ...seen, lastingFrom: before?.from === seen.from ? Math.min(before.lastingFrom, fresh) : fresh };
}

/** Whether the gap has existed long enough to assign its sequences to other actions. */
export function isLasting({ lastingFrom }: Gap, now: number): boolean {
  return now >= lastingFrom;
}

/**
 * Returns the reason, for users, why an action waits: the ledger expects a lower nonce, but that may still change by
 * itself.
 */
export function gapReason(address: string, { from }: Gap): string {
  return `The ledger expects nonce ${from} of the wallet ${address}, although a transaction with that nonce was confirmed before. If the ledger still expects that nonce in a moment, this action uses it.`;
}
