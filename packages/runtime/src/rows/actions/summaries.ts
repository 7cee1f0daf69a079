import type { Queries, Store, Tx } from '@ledger-ops/store';
import { rowset } from '../sql.ts';

/**
 * Levels of the summaries of finished actions, for charts of 15 minutes, one day, and up to 30 days. `length` is the
 * length of a time span, and `kept` the time for which its summary is kept, both in milliseconds.
 */
export const summaryLevels = [
  { length: 60_000, kept: 3_600_000 },
  { length: 1_800_000, kept: 2 * 86_400_000 },
  { length: 21_600_000, kept: 31 * 86_400_000 },
] as const;

export type Outcome = 'succeeded' | 'failed' | 'canceled';

/** The data of a finished action that is summarized. */
export interface SummarizedAction {
  readonly projectUid: string;
  readonly ledgerUid: string;
  readonly outcome: Outcome;
  /** Milliseconds from acceptance to completion. */
  readonly durationMs: number;
  /** In the smallest unit, as decimal text; null if there is no fee or it is not known. */
  readonly fee: string | null;
}

/** Divisor that splits a fee into two columns, because a sum in wei can exceed 64 bits. */
const feePart = 10n ** 12n;
/**
 * Maximum fee that is summed. A larger fee counts as this amount, so that a plugin's response cannot overflow the
 * columns and block a settlement.
 */
const mostFee = 10n ** 24n;
/** Number of duration classes per doubling. With 4, a percentile differs from the exact one by at most 9%. */
const classesPerDoubling = 4;

/** Returns the class of a duration; {@link durationOfClass} is the inverse. */
export function durationClass(milliseconds: number): number {
  return Math.round(Math.log2(Math.max(1, milliseconds)) * classesPerDoubling);
}

/** Returns the duration in the middle of a class, in milliseconds. */
export function durationOfClass(number: number): number {
  return Math.round(2 ** (number / classesPerDoubling));
}

/** Sum over the actions of one project and ledger that have the same outcome and duration class. */
interface ActionSum {
  readonly place: {
    readonly project_uid: string;
    readonly ledger_uid: string;
    readonly outcome: string;
    readonly duration: number;
  };
  n: number;
  fee_high: number;
  fee_low: number;
}

const columns = {
  project_uid: 'text',
  level: 'bigint',
  span: 'bigint',
  ledger_uid: 'text',
  outcome: 'text',
  duration: 'bigint',
  n: 'bigint',
  fee_high: 'bigint',
  fee_low: 'bigint',
} as const;

/** Adds finished actions to the summaries, in the database transaction in which they complete. */
export async function addToSummaries(
  tx: Tx,
  actions: readonly SummarizedAction[],
  now: number,
): Promise<void> {
  if (actions.length === 0) return;
  const sums = new Map<string, ActionSum>();
  for (const { projectUid, ledgerUid, outcome, durationMs, fee } of actions) {
    const duration = durationClass(durationMs);
    const key = `${projectUid} ${ledgerUid} ${outcome} ${duration}`;
    let sum = sums.get(key);
    if (sum === undefined) {
      const place = { project_uid: projectUid, ledger_uid: ledgerUid, outcome, duration };
      sum = { place, n: 0, fee_high: 0, fee_low: 0 };
      sums.set(key, sum);
    }
    const given = BigInt(fee ?? 0);
    const paid = given > mostFee ? mostFee : given;
    sum.n += 1;
    sum.fee_high += Number(paid / feePart);
    sum.fee_low += Number(paid % feePart);
  }
  // The sums are sorted by level and key, so that transactions that change the same summaries wait for each other and
  // do not deadlock.
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = summaryLevels.flatMap(({ length }, level) =>
    sorted.map(([, { place, ...sum }]) => ({ ...place, level, span: Math.floor(now / length), ...sum })),
  );
  const slot = tx.dialect === 'postgres' ? Math.floor(Math.random() * 8) : 0;
  const place = 'level, span, project_uid, ledger_uid, outcome, duration, slot';
  await tx.run(
    `INSERT INTO action_summary (${place}, n, fee_high, fee_low)
      SELECT j.level, j.span, j.project_uid, j.ledger_uid, j.outcome, j.duration, CAST($2 AS bigint), j.n, j.fee_high, j.fee_low
      FROM ${rowset(tx.dialect, '$1', columns)} WHERE true
      ON CONFLICT (${place}) DO UPDATE SET n = action_summary.n + excluded.n,
        fee_high = action_summary.fee_high + excluded.fee_high, fee_low = action_summary.fee_low + excluded.fee_low`,
    [JSON.stringify(rows), slot],
  );
}

export interface SummarizedPeriod {
  readonly spans: readonly { readonly span: number; readonly outcome: Outcome; readonly n: number }[];
  /** Number of succeeded actions per duration class, in ascending order of duration. */
  readonly durations: readonly { readonly duration: number; readonly n: number }[];
  readonly fees: readonly { readonly ledgerUid: string; readonly ledgerId: string; readonly fee: bigint }[];
}

/**
 * Reads the summaries of a project, or of all projects if `projectUid` is null, starting with the time span `first`.
 * Each query scans one range of the primary key; its cost does not depend on the number of actions.
 */
export async function readSummaries(
  read: Pick<Queries, 'all'>,
  projectUid: string | null,
  { level, first }: { level: number; first: number },
): Promise<SummarizedPeriod> {
  const range = `level = $1 AND span >= $2${projectUid === null ? '' : ' AND project_uid = $3'}`;
  const params = [level, first, ...(projectUid === null ? [] : [projectUid])];
  const spans = await read.all<{ span: number; outcome: Outcome; n: number }>(
    `SELECT span, outcome, SUM(n) AS n FROM action_summary WHERE ${range} GROUP BY span, outcome ORDER BY span`,
    params,
  );
  const durations = await read.all<{ duration: number; n: number }>(
    `SELECT duration, SUM(n) AS n FROM action_summary WHERE ${range} AND outcome = 'succeeded'
      GROUP BY duration ORDER BY duration`,
    params,
  );
  const fees = await read.all<{ ledger_uid: string; ledger_id: string | null; high: number; low: number }>(
    `SELECT sums.ledger_uid, ledger.ledger_id, sums.high, sums.low FROM (
        SELECT ledger_uid, SUM(fee_high) AS high, SUM(fee_low) AS low FROM action_summary WHERE ${range} GROUP BY ledger_uid
      ) AS sums LEFT JOIN ledger ON ledger.uid = sums.ledger_uid ORDER BY ledger.ledger_id, sums.ledger_uid`,
    params,
  );
  return {
    spans: spans.map((one) => ({ ...one, n: Number(one.n) })),
    durations: durations.map((one) => ({ ...one, n: Number(one.n) })),
    fees: fees.map(({ ledger_uid, ledger_id, high, low }) => ({
      ...{ ledgerUid: ledger_uid, ledgerId: ledger_id ?? ledger_uid },
      fee: BigInt(high) * feePart + BigInt(low),
    })),
  };
}

/** Removes summaries that charts no longer show, one time span per transaction. */
export async function pruneSummaries(store: Store, now: number, isStopped: () => boolean): Promise<void> {
  for (const [level, { length, kept }] of summaryLevels.entries()) {
    const before = Math.floor((now - kept) / length);
    for (let more = true; more && !isStopped(); ) {
      more = await store.transaction(async (tx) => {
        const [oldest] = await tx.all<{ span: number | null }>(
          'SELECT MIN(span) AS span FROM action_summary WHERE level = $1 AND span < $2',
          [level, before],
        );
        if (oldest?.span == null) return false;
        await tx.run('DELETE FROM action_summary WHERE level = $1 AND span = $2', [level, oldest.span]);
        return true;
      });
    }
  }
}
