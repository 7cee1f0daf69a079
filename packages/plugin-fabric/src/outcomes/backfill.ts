import type { PendingTransaction } from '@ledger-ops/adapter';
import QuickLRU from 'quick-lru';
import type { Timing } from '../timing.ts';
import type { TransactionCache } from './transaction-cache.ts';

/** A transaction and a channel that may contain it. */
export interface Place {
  txId: string;
  channel: string;
}

/** Transactions that may be in a block that no stream delivers, so they must be queried. */
export interface Backfill {
  /**
   * Returns the transactions to query now, the longest waiting first.
   * @param channels channels that may contain an unknown transaction
   * @param again includes transactions that were just queried
   */
  due(pending: ReadonlyMap<string, PendingTransaction>, channels: readonly string[], again: boolean): Place[];
  /**
   * Records that a peer does not know the transaction; the stream will deliver it.
   * @param again milliseconds after which it is queried again
   */
  notFound(place: Place, again?: number): void;
  /** Records that the channel's stream may have skipped these transactions, so they must be queried. */
  missed(txIds: Iterable<string>, channel: string): void;
}

/**
 * Maximum number of overdue transactions queried per call. A transaction is overdue if the block stream
 * should have delivered it. If the orderer is down, all are overdue.
 */
const overdueAtOnce = 16;

export function createBackfill(
  transactions: TransactionCache,
  now: () => number,
  timing: Timing['backfill'],
): Backfill {
  /** When each transaction is queried next. */
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
