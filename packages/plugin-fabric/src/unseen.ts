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
  /** A peer did not know it: from here on the stream says it. Milliseconds after which is asked again all the same. */
  notThere(place: Place, again?: number): void;
  /** No stream brings what the channel has of these, even where they were sent while it ran. */
  lost(txIds: Iterable<string>, channel: string): void;
}

/** Milliseconds after which is asked again: the peer that did not know a transaction may have been behind the stream. */
const askAgainAfter = 30_000;
/** Milliseconds for which a stream that ran before a transaction was sent is trusted to bring it. */
const trustedFor = 60_000;
/** Questions about those that the stream should have brought, for one call at most: where nothing is ordered, they are many. */
const doubtedAtOnce = 16;

export function createUnseen(transactions: Transactions, now: () => number): Unseen {
  /** When somebody is asked, or asked again. */
  const dueAt = createLru<string, number>(100_000);

  return {
    among(pending, channels, again) {
      const open: Place[] = [];
      let doubted = 0;
      for (const txId of pending.keys()) {
        const known = transactions.get(txId);
        if (known?.installed === true) continue;
        for (const channel of known === undefined ? channels : [known.channel]) {
          const place = { txId, channel };
          const due = dueAt.get(keyOf(place));
          if (known?.first !== true) {
            if (again || due === undefined || now() >= due) open.push(place);
          } else if (due === undefined) dueAt.set(keyOf(place), now() + trustedFor);
          else if (now() >= due && doubted < doubtedAtOnce) {
            doubted += 1;
            open.push(place);
          }
        }
      }
      return open;
    },
    notThere(place, after = askAgainAfter) {
      dueAt.set(keyOf(place), now() + after);
    },
    lost(txIds, channel) {
      for (const txId of txIds) {
        dueAt.delete(keyOf({ txId, channel }));
        if (transactions.get(txId)?.channel === channel) transactions.know(txId, { channel, first: false });
      }
    },
  };
}

const keyOf = ({ txId, channel }: Place) => `${txId} ${channel}`;
