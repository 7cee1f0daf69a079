import type { LedgerSession } from '@ledger-ops/adapter';
import type { Queries } from '@ledger-ops/store';
import { readFirstKept, readLastTaken } from '../../rows/attempts/kept.ts';
import type { Timing } from '../../timing.ts';

/**
 * Sequences that the ledger wants of an account before all that is signed, and that nobody here can send: another
 * transaction had them, or what had them is kept no more, and their blocks were taken back.
 */
export interface Gap {
  from: number;
  /** The first that is not free. */
  to: number;
  /** From when on its sequences are given to other actions, if it is still there. */
  lastingFrom: number;
}

/** One that is seen now. */
export type SeenGap = Pick<Gap, 'from' | 'to'>;

/** The gap at what the ledger counts of an account, if there is one. `next`: the account's next sequence here. */
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
  // Where a later one stands on the ledger, who counts so few is behind.
  const last = await readLastTaken(read, chain, address, count);
  const found = last === null ? null : await session.lookup(last);
  if (found !== null && found.status !== 'PENDING') return null;
  return { from: count, to };
}

/** The same gap as before keeps its age. */
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

/** Whether it is there for so long that its sequences are given to other actions. */
export function isLasting({ lastingFrom }: Gap, now: number): boolean {
  return now >= lastingFrom;
}

/** Why an action waits while a gap may still close by itself. */
export function gapWords(address: string, { from }: Gap): string {
  return `The ledger wants nonce ${from} of the wallet ${address}, which it had been given before. It is given to this action if the ledger still wants it in a moment.`;
}
