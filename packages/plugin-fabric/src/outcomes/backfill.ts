import type { PendingTransaction } from '@ledger-ops/adapter';
import QuickLRU from 'quick-lru';
import type { Timing } from '../timing.ts';
import type { TransactionCache } from './transaction-cache.ts';

/** A transaction, and a channel in which it may stand. */
export interface Place {
  txId: string;
  channel: string;
}

/** Transactions that may stand in a block that no stream brings, so that they have to be asked for. */
export interface Backfill {
  /**
   * Those to ask for now, in the order in which they wait.
   * @param channels where a transaction of which nothing is known may be
   * @param again also what was asked for a moment ago
   */
  due(pending: ReadonlyMap<string, PendingTransaction>, channels: readonly string[], again: boolean): Place[];
  /** A peer did not know it: from here on the stream brings it. @param again milliseconds after which it is due again */
  notFound(place: Place, again?: number): void;
  /** No stream brings what the channel has of these, even where they were sent while it ran. */
  missed(txIds: Iterable<string>, channel: string): void;
}

/** Queries for those that the stream should have brought, for one call at most: where nothing is ordered, they are many. */
const overdueAtOnce = 16;

export function createBackfill(
  transactions: TransactionCache,
  now: () => number,
  timing: Timing['backfill'],
): Backfill {
  /** When a peer is asked, or asked again. */
  const dueAt = new QuickLRU<string, number>({ maxSize: 100_000 });

  return {
    due(pending, channels, again) {
      const open: Place[] = [];
      let overdue = 0;
      for (const txId of pending.keys()) {
        const known = transactions.get(txId);
        if (known?.installed === true) continue;
        for (const channel of known === undefined ? channels : [known.channel]) {
          const place = { txId, channel };
          const due = dueAt.get(keyOf(place));
          if (known?.first !== true) {
            if (again || due === undefined || now() >= due) open.push(place);
          } else if (due === undefined) dueAt.set(keyOf(place), now() + timing.trustStream);
          else if (now() >= due && overdue < overdueAtOnce) {
            overdue += 1;
            open.push(place);
          }
        }
      }
      return open;
    },
    notFound(place, after = timing.again) {
      dueAt.set(keyOf(place), now() + after);
    },
    missed(txIds, channel) {
      for (const txId of txIds) {
        dueAt.delete(keyOf({ txId, channel }));
        if (transactions.get(txId)?.channel === channel) transactions.know(txId, { channel, first: false });
      }
    },
  };
}

const keyOf = ({ txId, channel }: Place) => `${txId} ${channel}`;
