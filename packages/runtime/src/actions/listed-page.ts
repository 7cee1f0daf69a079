import type { Queries, SqlValue } from '@ledger-ops/store';
import { allTime, spanBits, spanOf } from '../rows/actions/listings.ts';
import { among } from '../rows/sql.ts';

/**
 * Maximum number of entries that are skipped one by one. For larger offsets, whole time spans are skipped by their
 * counts.
 */
const mostSkipped = 500;
/** Maximum number of SELECTs in one UNION: SQLite's limit. */
const mostParts = 500;

export interface ListedRange {
  /** Ids of lists in `action_listing`. No action may be in two of them. */
  listings: readonly string[];
  /** Milliseconds since the epoch, inclusive. */
  from?: number | undefined;
  to?: number | undefined;
}

/** Ids of the non-empty lists. Only the `ended` lists have counts per time span. */
interface Filled {
  readonly ended: readonly string[];
  readonly pending: readonly string[];
  readonly total: number;
}

export interface ListedQuery extends ListedRange {
  /** Sort directions: by time, then by name. */
  at: 'ASC' | 'DESC';
  name: 'ASC' | 'DESC';
  offset: number;
  size: number;
}

/**
 * Reads pages of several lists as if they were one. Entries before the page are counted by time span, so the cost of a
 * page does not depend on its offset, and the cost of the total does not depend on the number of entries.
 */
export class ListedPages {
  readonly #read: Queries;
  readonly #inLists: string;

  constructor(read: Queries) {
    this.#read = read;
    this.#inLists = this.#amongOf('$1');
  }

  #amongOf(param: string, column = 'listing'): string {
    return among(this.#read.dialect, column, param);
  }

  async #filled(listings: readonly string[]): Promise<Filled> {
    const rows = await this.#read.all<{ listing: string; status: string; n: number }>(
      `SELECT tally.listing, one.status, SUM(tally.n) AS n
        FROM action_tally AS tally JOIN action_listing AS one ON one.id = tally.listing
        WHERE ${this.#amongOf('$1', 'tally.listing')} AND tally.level = ${allTime} AND tally.span = 0
        GROUP BY tally.listing, one.status HAVING SUM(tally.n) > 0`,
      [JSON.stringify(listings)],
    );
    const idsWhere = (isPending: boolean) =>
      rows.flatMap(({ listing, status }) => ((status === 'PENDING') === isPending ? [listing] : []));
    return {
      ended: idsWhere(false),
      pending: idsWhere(true),
      total: rows.reduce((sum, { n }) => sum + Number(n), 0),
    };
  }

  async total({ listings, from, to }: ListedRange): Promise<number> {
    const all = await this.#filled(listings);
    if (from === undefined && to === undefined) return all.total;
    if (to === undefined) return Math.max(0, all.total - (await this.#between(all, 0, from ?? 0)));
    return Math.max(0, await this.#between(all, from ?? 0, to + 1));
  }

  /** Counts entries in [from, until). Reads entries one by one only in lists of pending actions. */
  async #between({ ended, pending }: Filled, from: number, until: number): Promise<number> {
    const params: SqlValue[] = [JSON.stringify(ended)];
    const sums = [this.#before(until, params), ...(from === 0 ? [] : [`- (${this.#before(from, params)})`])];
    if (pending.length > 0) {
      const [lists, low, high] = [
        params.push(JSON.stringify(pending)),
        params.push(from),
        params.push(until),
      ];
      sums.push(
        `+ (SELECT COUNT(*) FROM action_listed WHERE ${this.#amongOf(`$${lists}`)} AND at >= $${low} AND at < $${high})`,
      );
    }
    const [row] = await this.#read.all<{ n: number }>(`SELECT ${sums.join(' ')} AS n`, params);
    return Number(row?.n ?? 0);
  }

  /**
   * SQL that counts the entries before an instant in the lists of `$1`: first by whole time spans, from the longest to
   * the shortest, then by single entries.
   */
  #before(instant: number, params: SqlValue[]): string {
    const sums: string[] = [];
    let counted = 0;
    for (const [level, bits] of [...spanBits.entries()].toReversed()) {
      const span = spanOf(instant, bits);
      const [low, high] = [params.push(counted / 2 ** bits), params.push(span)];
      sums.push(
        `(SELECT COALESCE(SUM(n), 0) FROM action_tally WHERE ${this.#inLists} AND level = ${level} AND span >= $${low} AND span < $${high})`,
      );
      counted = span * 2 ** bits;
    }
    const [low, high] = [params.push(counted), params.push(instant)];
    sums.push(
      `(SELECT COUNT(*) FROM action_listed WHERE ${this.#inLists} AND at >= $${low} AND at < $${high})`,
    );
    return sums.join(' + ');
  }

  /**
   * Finds the shortest time span that contains the entry at an offset, and the number of entries to skip within this
   * span.
   */
  async #seek({ ended, pending }: Filled, at: 'ASC' | 'DESC', offset: number) {
    let rest = offset;
    let [low, high] = [0, Number.MAX_SAFE_INTEGER];
    for (const [level, bits] of [...spanBits.entries()].toReversed()) {
      const counts = await this.#read.all<Count>(
        `SELECT span, SUM(n) AS n FROM action_tally
          WHERE ${this.#inLists} AND level = ${level} AND span >= $2 AND span < $3 GROUP BY span ORDER BY span ${at}`,
        [JSON.stringify(ended), spanOf(low, bits), spanOf(high, bits)],
      );
      // Pending entries can only bring the offset's position nearer to the start, so those after `latest` are not read.
      const latest = reached(counts, rest)?.span;
      const [from, until] = [
        at === 'DESC' && latest !== undefined ? latest * 2 ** bits : low,
        at === 'ASC' && latest !== undefined ? (latest + 1) * 2 ** bits : high,
      ];
      const more =
        pending.length === 0
          ? []
          : await this.#read.all<Count>(
              `SELECT at >> ${bits} AS span, COUNT(*) AS n FROM action_listed
                WHERE ${this.#inLists} AND at >= $2 AND at < $3 GROUP BY at >> ${bits}`,
              [JSON.stringify(pending), from, until],
            );
      const found = reached(together(counts, more, at), rest);
      if (found === undefined) return undefined;
      rest -= found.before;
      low = found.span * 2 ** bits;
      high = low + 2 ** bits;
    }
    return { low, high: high - 1, rest };
  }

  async #entries(
    listings: readonly string[],
    { at, name, size }: ListedQuery,
    { low, high, skip }: { low: number; high: number; skip: number },
  ): Promise<{ at: number; name: string; action_id: string }[]> {
    const order = `at ${at}, name ${name}`;
    const most = skip + size;
    const columns = 'at, name, action_id';
    const range = `at >= $1 AND at <= $2 ORDER BY ${order} LIMIT ${most}`;
    const params: SqlValue[] = [low, high];
    const from =
      this.#read.dialect === 'postgres'
        ? `jsonb_array_elements_text($${params.push(JSON.stringify(listings))}::jsonb) AS j(id),
            LATERAL (SELECT ${columns} FROM action_listed WHERE listing = j.id AND ${range}) AS one`
        : united(
            listings.map(
              (id) =>
                `SELECT * FROM (SELECT ${columns} FROM action_listed WHERE listing = $${params.push(id)} AND ${range})`,
            ),
          );
    return await this.#read.all(
      `SELECT ${columns} FROM ${from} ORDER BY ${order} LIMIT ${size} OFFSET ${skip}`,
      params,
    );
  }

  /** Returns the ids of the page's actions, in order. */
  async page(query: ListedQuery): Promise<string[]> {
    const { from, to, at, offset } = query;
    const all = await this.#filled(query.listings);
    const listings = [...all.ended, ...all.pending];
    if (listings.length === 0) return [];
    const range = { low: from ?? 0, high: to ?? Number.MAX_SAFE_INTEGER };
    if (offset <= mostSkipped) {
      return idsOf(await this.#entries(listings, query, { ...range, skip: offset }));
    }
    const outside =
      at === 'ASC'
        ? from === undefined
          ? 0
          : await this.#between(all, 0, from)
        : to === undefined
          ? 0
          : all.total - (await this.#between(all, 0, to + 1));
    const place = await this.#seek(all, at, outside + offset);
    if (place === undefined) return [];
    const bounds = at === 'ASC' ? { ...range, low: place.low } : { ...range, high: place.high };
    return idsOf(await this.#entries(listings, query, { ...bounds, skip: place.rest }));
  }
}

interface Count extends Record<string, SqlValue> {
  readonly span: number;
  readonly n: number;
}

/** Returns the span that contains the entry at an offset, and the number of entries before that span. */
function reached(counts: readonly Count[], offset: number): { span: number; before: number } | undefined {
  let before = 0;
  for (const { span, n } of counts) {
    if (offset < before + Number(n)) return { span: Number(span), before };
    before += Number(n);
  }
  return undefined;
}

/** Adds the counts of two lists by span, and sorts by span. */
function together(some: readonly Count[], others: readonly Count[], at: 'ASC' | 'DESC'): Count[] {
  const sums = new Map<number, number>();
  for (const { span, n } of [...some, ...others])
    sums.set(Number(span), (sums.get(Number(span)) ?? 0) + Number(n));
  const sign = at === 'ASC' ? 1 : -1;
  return [...sums].map(([span, n]) => ({ span, n })).toSorted((a, b) => sign * (a.span - b.span));
}

/** Combines any number of SELECTs. Nests them, because SQLite limits the number of parts of a UNION. */
function united(selections: readonly string[]): string {
  if (selections.length <= mostParts) return `(${selections.join(' UNION ALL ')})`;
  const parts: string[] = [];
  for (let from = 0; from < selections.length; from += mostParts) {
    parts.push(`SELECT * FROM ${united(selections.slice(from, from + mostParts))}`);
  }
  return united(parts);
}

/** An action that moves between two lists during the query may appear in both, so duplicates are removed. */
function idsOf(entries: readonly { action_id: string }[]): string[] {
  return [...new Set(entries.map(({ action_id }) => action_id))];
}
