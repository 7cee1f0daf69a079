import type { Auth, Principal } from '@ledger-ops/auth';
import type { Queries, Store } from '@ledger-ops/store';
import { durationOfClass, type Outcome, readSummaries, summaryLevels } from '../rows/actions/summaries.ts';
import { scopeOf } from './scope.ts';

/** Selectable periods, each with the level of its summaries and the number of time spans that it covers. */
export const summaryRanges = {
  '15m': { level: 0, spans: 15 },
  '24h': { level: 1, spans: 48 },
  '7d': { level: 2, spans: 28 },
  '30d': { level: 2, spans: 120 },
} as const;

export type SummaryRange = keyof typeof summaryRanges;

/** Finished actions in a period. */
export interface ActionSummary {
  /** Start of the first time span, in milliseconds since the epoch. */
  from: number;
  /** Length of a time span in milliseconds. */
  spanMs: number;
  /** The last time span is the current one. */
  spans: { at: number; succeeded: number; failed: number; canceled: number }[];
  /**
   * Milliseconds from acceptance to completion of the succeeded actions, with an error of at most 9%; null if none
   * succeeded.
   */
  duration: { p50: number; p95: number } | null;
  /** Fees in the smallest unit, by ledger. */
  fees: { ledgerUid: string; ledgerId: string; amount: bigint }[];
}

export interface SummariesOptions {
  store: Store;
  auth: Pick<Auth, 'demand' | 'decide'>;
}

/** Reads throughput, durations and fees from the summaries. */
export class ActionSummaries {
  readonly #store: Store;
  readonly #read: Queries;
  readonly #auth: SummariesOptions['auth'];

  constructor({ store, auth }: SummariesOptions) {
    this.#store = store;
    this.#read = store.read;
    this.#auth = auth;
  }

  /**
   * Summarizes the actions of the caller's project, or of all projects if the caller may see them.
   *
   * @throws Problem `not-permitted` if the caller may see only some wallets of the project
   */
  async summary(principal: Principal, range: SummaryRange): Promise<ActionSummary> {
    await this.#auth.demand(principal, 'wallet:read', principal.projectUid);
    const scope = await scopeOf(this.#read, this.#auth, principal);
    const { level, spans: count } = summaryRanges[range];
    const spanMs = summaryLevels[level].length;
    const last = Math.floor((await this.#store.now()) / spanMs);
    const first = last - count + 1;
    const { spans, durations, fees } = await readSummaries(
      this.#read,
      scope === null ? principal.projectUid : scope.projectUid,
      {
        level,
        first,
      },
    );
    const numberOf = (span: number, outcome: Outcome) =>
      spans.find((one) => Number(one.span) === span && one.outcome === outcome)?.n ?? 0;
    return {
      from: first * spanMs,
      spanMs,
      spans: Array.from({ length: count }, (_, index) => ({
        at: (first + index) * spanMs,
        succeeded: numberOf(first + index, 'succeeded'),
        failed: numberOf(first + index, 'failed'),
        canceled: numberOf(first + index, 'canceled'),
      })),
      duration: percentiles(durations),
      fees: fees
        .filter(({ fee }) => fee > 0n)
        .map(({ ledgerUid, ledgerId, fee }) => ({ ledgerUid, ledgerId, amount: fee })),
    };
  }
}

function percentiles(durations: readonly { duration: number; n: number }[]): ActionSummary['duration'] {
  const total = durations.reduce((sum, { n }) => sum + n, 0);
  if (total === 0) return null;
  const at = (share: number) => {
    let seen = 0;
    for (const { duration, n } of durations) {
      seen += n;
      if (seen >= total * share) return durationOfClass(Number(duration));
    }
    return 0;
  };
  return { p50: at(0.5), p95: at(0.95) };
}
