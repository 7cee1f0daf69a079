import type { AdapterDefinition, Outcome } from '@ledger-ops/adapter';

/** A call to `confirm`: the number of lookups that began before it, and the result. */
interface ChainRead {
  readonly lookups: number;
  readonly cursor: number;
  readonly outcomes: readonly Outcome[];
}

/** Records the calls with which an engine reads transactions, in order. */
export class RecordedReads {
  readonly adapter: AdapterDefinition;
  readonly reads: ChainRead[] = [];
  /** Ids of the transactions that were looked up. */
  readonly lookups: string[] = [];

  constructor(recorded: AdapterDefinition) {
    this.adapter = {
      ...recorded,
      open: async (...given) => {
        const session = await recorded.open(...given);
        return {
          ...session,
          confirm: async (request) => {
            const lookups = this.lookups.length;
            const confirmed = await session.confirm(request);
            this.reads.push({ lookups, cursor: confirmed.cursor.height, outcomes: confirmed.outcomes });
            return confirmed;
          },
          lookup: async (txId, signed) => {
            this.lookups.push(txId);
            return session.lookup(txId, signed);
          },
        };
      },
    };
  }

  /**
   * Returns the first two reads that began after a transaction was looked up. The first one may have been due before
   * the lookup ended.
   */
  afterLookup(txId: string, from: number): readonly ChainRead[] {
    const at = this.lookups.indexOf(txId, from);
    return this.reads.filter(({ lookups }) => at >= 0 && lookups > at).slice(0, 2);
  }
}
