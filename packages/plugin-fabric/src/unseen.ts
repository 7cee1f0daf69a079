import type { PendingTransaction } from '@ledger-ops/adapter';
import { createLru } from './lru.ts';
import type { Transactions } from './transactions.ts';

/** A transaction, and a channel in which it may stand. */
export interface Place {
  txId: string;
  channel: string;
}

/** Which transactions may stand in a block that no stream brings, so that they have to be asked for. */
export interface Unseen {
  /**
   * Those to ask for now, in the order in which they wait.
   * @param channels where a transaction of which nothing is known may be
   * @param again also what was asked for a moment ago
   */
  among(
    pending: ReadonlyMap<string, PendingTransaction>,
    channels: readonly string[],
    again: boolean,
  ): Place[];
  /** A peer did not know it: from here on the stream says it. */
  notThere(place: Place): void;
  /** No stream brings what the channel has of these, even where they were sent while it ran. */
  lost(txIds: Iterable<string>, channel: string): void;
}

/** Milliseconds after which is asked again: the peer that did not know a transaction may have been behind the stream. */
const askAgainAfter = 30_000;

export function createUnseen(transactions: Transactions, now: () => number): Unseen {
  /** When somebody was asked last. */
  const asked = createLru<string, number>(100_000);

  return {
    among(pending, channels, again) {
      const open: Place[] = [];
      for (const txId of pending.keys()) {
        const known = transactions.get(txId);
        if (known?.first === true || known?.installed === true) continue;
        for (const channel of known === undefined ? channels : [known.channel]) {
          const askedAt = asked.get(`${txId} ${channel}`) ?? Number.NEGATIVE_INFINITY;
          if (again || now() - askedAt >= askAgainAfter) open.push({ txId, channel });
        }
      }
      return open;
    },
    notThere({ txId, channel }) {
      asked.set(`${txId} ${channel}`, now());
    },
    lost(txIds, channel) {
      for (const txId of txIds) {
        asked.delete(`${txId} ${channel}`);
        if (transactions.get(txId)?.channel === channel) transactions.know(txId, { channel, first: false });
      }
    },
  };
}
