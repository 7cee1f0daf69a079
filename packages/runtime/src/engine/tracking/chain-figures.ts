import type { Confirmed } from '@ledger-ops/adapter';

/** Figures about a ledger for display, as its nodes last reported them. Times are in milliseconds. */
export interface ChainFigures {
  /** Height of the newest block; null if the plugin does not report blocks. */
  readonly height: number | null;
  /** When this server first saw the newest block. */
  readonly newestBlockAt: number | null;
  /** Height of the last block that has the ledger's confirmation depth. */
  readonly finalHeight: number | null;
  /** Mean time between recent blocks; null until two blocks have been seen. */
  readonly blockTimeMs: number | null;
  /** Mean duration of recent slots; null on ledgers without slots, and until two slots have been seen. */
  readonly slotTimeMs: number | null;
  /** Price of a unit of gas in the smallest unit of the ledger's currency; null on ledgers without gas. */
  readonly gasPrice: bigint | null;
}

/** Number of blocks over which the block time is averaged. */
const mostSeen = 64;
const longestMs = 10 * 60_000;

/**
 * Derives the figures of a ledger from data that its poller reads anyway.
 *
 * Stores recent heights, each with the time when it was first seen. Clears them if the chain gets shorter.
 */
export class ChainFigureCounter {
  readonly #hasBlocks: boolean;
  readonly #seen: { height: number; slot: number | undefined; at: number }[] = [];
  #last: Pick<Confirmed, 'cursor' | 'gasPrice'> | undefined;

  /** @param hasBlocks whether the plugin reports blocks */
  constructor(hasBlocks: boolean) {
    this.#hasBlocks = hasBlocks;
  }

  note(confirmed: Pick<Confirmed, 'head' | 'cursor' | 'gasPrice' | 'slot'>, now: number): void {
    const {
      head: { height },
      slot,
    } = confirmed;
    const newest = this.#seen.at(-1);
    if (newest !== undefined && height < newest.height) this.#seen.length = 0;
    if (this.#seen.at(-1)?.height !== height) this.#seen.push({ height, slot, at: now });
    const isOld = ({ at }: { at: number }) => at < now - longestMs;
    while (this.#seen.length > mostSeen || (this.#seen.length > 2 && this.#seen[0] && isOld(this.#seen[0])))
      this.#seen.shift();
    this.#last = confirmed;
  }

  /** Returns the figures; null if the ledger was not read yet. */
  get(): ChainFigures | null {
    const [oldest, newest] = [this.#seen[0], this.#seen.at(-1)];
    if (oldest === undefined || newest === undefined || this.#last === undefined) return null;
    const meanOver = (parts: number) => (parts > 0 ? Math.round((newest.at - oldest.at) / parts) : null);
    const blocks = {
      height: newest.height,
      newestBlockAt: newest.at,
      finalHeight: this.#last.cursor.height,
    };
    return {
      ...(this.#hasBlocks ? blocks : { height: null, newestBlockAt: null, finalHeight: null }),
      blockTimeMs: meanOver(newest.height - oldest.height),
      slotTimeMs: meanOver((newest.slot ?? 0) - (oldest.slot ?? 0)),
      gasPrice: this.#last.gasPrice ?? null,
    };
  }
}
