import { createHash } from 'node:crypto';
import { readJson, type SqlValue, type Tx, together } from '@ledger-ops/store';
import { isListed, isReceiver } from '../co-signers.ts';
import { rowset } from '../sql.ts';

/**
 * Lengths of the time spans for which a listing's entries are counted: 2^13 ms (8 seconds), 2^20 ms (17
 * minutes) and 2^27 ms (37 hours).
 */
export const spanBits = [13, 20, 27] as const;
/** The level of a listing's total count. It is above the levels of `spanBits`. */
export const allTime = spanBits.length;

/** A listing with its row in table `action_listing`. Listings exist once they contain an action. */
interface Listing {
  readonly party: string;
  readonly shown: 'own' | 'public';
  readonly projectId: string;
  readonly ledgerUid: string;
  readonly ledgerId: string;
  readonly chain: string;
  readonly status: string;
}

/** The columns that determine in which listings an action appears. */
export interface ListedRow {
  id: string;
  given_id: string | null;
  project_id: string;
  wallet_uid: string;
  ledger_uid: string;
  ledger_id: string;
  chain: string;
  tag: string | null;
  status: string;
  locator: string | null;
  receivers: string | null;
  created_at: number;
}

/** The columns of `ListedRow` that `stepColumns` lacks, for RETURNING and SELECT. */
export const listedColumns = ['ledger_uid', 'ledger_id', 'chain', 'tag', 'status', 'locator', 'created_at']
  .map((name) => `action.${name} AS ${name}`)
  .join(', ');

export async function listAccepted(tx: Tx, rows: readonly ListedRow[]): Promise<void> {
  const changes = new ListingChanges();
  for (const row of rows) changes.addOwn(row, row.status, partiesOf(row));
  await changes.write(tx);
}

/** Moves finished actions from the listings of pending actions to those of their final status. */
export async function listEnded(tx: Tx, rows: readonly ListedRow[], now: number): Promise<void> {
  const changes = new ListingChanges();
  for (const row of rows) {
    const parties = partiesOf(row);
    changes.addOwn(row, row.status, parties);
    changes.addPublic(row, parties, now);
    changes.removeOwn(row, 'PENDING', parties);
  }
  await changes.write(tx);
}

/** Removes finished actions from their listings. */
export async function unlist(tx: Tx, rows: readonly (ListedRow & { ended_at: number })[]): Promise<void> {
  const changes = new ListingChanges();
  for (const row of rows) {
    const parties = partiesOf(row);
    changes.removeOwn(row, row.status, parties);
    changes.removePublic(row, parties, row.ended_at);
  }
  await changes.write(tx);
}

function partiesOf({ receivers }: ListedRow): string[] {
  return readJson<string[]>(receivers) ?? [];
}

/** Returns the party name under which a party's actions with this tag are listed. */
export function taggedParty(party: string, tag: string): string {
  return `${party}#${tag}`;
}

/** A change of a batch to one listing. */
interface ChangedListing {
  readonly id: string;
  readonly listing: Listing;
  /** Whether the batch adds an action to the listing. */
  grows: boolean;
  /** Change of the number of actions in the listing. */
  total: number;
  /** Change of the number of actions by time span, for spans of the shortest length. */
  readonly bySpan: Map<number, number>;
}

/** The listings in which an action with these columns and this status appears. */
interface Appearance {
  readonly row: ListedRow;
  readonly own: readonly ChangedListing[];
  /** The listing of all actions of the project. It has only counts, no entries. */
  readonly project: ChangedListing;
  readonly public: readonly ChangedListing[];
}

/** Changes of one batch of actions. They are collected by listing, and then written. */
class ListingChanges {
  readonly #listings = new Map<string, ChangedListing>();
  /** The last listings of each status and wallet. The next action of a wallet often belongs to the same ones. */
  readonly #appearances = new Map<string, Appearance>();
  readonly #entered: SqlValue[][] = [];
  readonly #left: SqlValue[][] = [];

  addOwn(row: ListedRow, status: string, parties: readonly string[]): void {
    this.#changeOwn(row, this.#appearanceOf(row, status, parties), 1);
  }

  removeOwn(row: ListedRow, status: string, parties: readonly string[]): void {
    this.#changeOwn(row, this.#appearanceOf(row, status, parties), -1);
  }

  addPublic(row: ListedRow, parties: readonly string[], endedAt: number): void {
    this.#changePublic(row, parties, endedAt, 1);
  }

  removePublic(row: ListedRow, parties: readonly string[], endedAt: number): void {
    this.#changePublic(row, parties, endedAt, -1);
  }

  async write(tx: Tx): Promise<void> {
    const changed = [...this.#listings.values()];
    await together(
      remove(tx, this.#left),
      tx.insertMany('action_listed', ['listing', 'at', 'name', 'action_id'], this.#entered),
      insertListings(
        tx,
        changed.filter(({ grows }) => grows),
      ),
      storeTallies(
        tx,
        changed.flatMap(talliesOf).filter(({ n }) => n !== 0),
      ),
    );
  }

  #changeOwn(row: ListedRow, { own, project }: Appearance, n: 1 | -1): void {
    for (const listing of own) this.#change(listing, n, row.created_at, row.given_id ?? row.id, row.id);
    count(project, n);
  }

  /**
   * Changes the public listings, which contain only actions with a transaction on the ledger. If a plugin reports no
   * transaction, the locator is the action's own id.
   */
  #changePublic(row: ListedRow, parties: readonly string[], endedAt: number, n: 1 | -1): void {
    const { locator, status } = row;
    if (status !== 'SUCCEEDED' || locator === null || locator === row.id) return;
    const appearance = this.#appearanceOf(row, status, parties);
    for (const listing of appearance.public) this.#change(listing, n, endedAt, locator, row.id);
  }

  #appearanceOf(row: ListedRow, status: string, parties: readonly string[]): Appearance {
    const key = `${status} ${row.wallet_uid}`;
    const last = this.#appearances.get(key);
    if (last !== undefined && appearsAlike(last.row, row)) return last;
    const own = [`w:${row.wallet_uid}`, ...parties.filter(isListed)].flatMap((party) =>
      row.tag === null ? [party] : [party, taggedParty(party, row.tag)],
    );
    const receivers = status === 'SUCCEEDED' ? parties.filter(isReceiver) : [];
    const appearance = {
      row,
      own: own.map((party) => this.#listing(row, status, 'own', party)),
      project: this.#listing(row, status, 'own', `p:${row.project_id}`),
      public: receivers.map((party) => this.#listing(row, status, 'public', party)),
    };
    this.#appearances.set(key, appearance);
    return appearance;
  }

  #change(changed: ChangedListing, n: 1 | -1, at: number, name: string, actionId: string): void {
    count(changed, n);
    (n > 0 ? this.#entered : this.#left).push([changed.id, at, name, actionId]);
    // Pending entries are not counted by time span. They are few and short-lived, so a query that counts by time counts
    // the entries.
    if (changed.listing.status === 'PENDING') return;
    const span = spanOf(at, spanBits[0]);
    changed.bySpan.set(span, (changed.bySpan.get(span) ?? 0) + n);
  }

  #listing(row: ListedRow, status: string, shown: Listing['shown'], party: string): ChangedListing {
    const chain = shown === 'public' ? row.chain : '';
    const key = `${shown}\0${row.project_id}\0${row.ledger_uid}\0${row.ledger_id}\0${chain}\0${status}\0${party}`;
    const known = this.#listings.get(key);
    if (known !== undefined) return known;
    const listing: Listing = {
      ...{ party, shown, projectId: row.project_id },
      ...{ ledgerUid: row.ledger_uid, ledgerId: row.ledger_id, chain, status },
    };
    const changed = { id: idOf(key, listing), listing, grows: false, total: 0, bySpan: new Map() };
    this.#listings.set(key, changed);
    return changed;
  }
}

/** Whether two actions of a wallet appear in the same listings if they have the same status. */
function appearsAlike(one: ListedRow, other: ListedRow): boolean {
  return (
    one.receivers === other.receivers &&
    one.tag === other.tag &&
    one.project_id === other.project_id &&
    one.ledger_uid === other.ledger_uid &&
    one.ledger_id === other.ledger_id &&
    one.chain === other.chain
  );
}

function count(changed: ChangedListing, n: 1 | -1): void {
  changed.total += n;
  if (n > 0) changed.grows = true;
}

interface Tally {
  readonly listing: string;
  readonly level: number;
  readonly span: number;
  n: number;
}

/** Returns the changes of a listing's counts, for each level. */
function talliesOf({ id, total, bySpan }: ChangedListing): Tally[] {
  const tallies: Tally[] = [{ listing: id, level: allTime, span: 0, n: total }];
  const spans = [...bySpan].sort(([a], [b]) => a - b);
  for (const [level, bits] of spanBits.entries()) {
    let last: Tally | undefined;
    for (const [span, n] of spans) {
      const wider = Math.floor(span / 2 ** (bits - spanBits[0]));
      if (last?.span === wider) {
        last.n += n;
        continue;
      }
      last = { listing: id, level, span: wider, n };
      tallies.push(last);
    }
  }
  return tallies;
}

/** Cache of listing ids: batches use few listings, and each of them often. */
const ids = new Map<string, string>();
const mostIds = 10_000;

function idOf(key: string, listing: Listing): string {
  let id = ids.get(key);
  if (id === undefined) {
    const { party, shown, projectId, ledgerUid, ledgerId, chain, status } = listing;
    const text = JSON.stringify([party, shown, projectId, ledgerUid, ledgerId, chain, status]);
    id = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    if (ids.size >= mostIds) ids.clear();
    ids.set(key, id);
  }
  return id;
}

/** Returns the index of the span that contains this time. */
export function spanOf(at: number, bits: number): number {
  return Math.floor(at / 2 ** bits);
}

async function remove(tx: Tx, entries: readonly SqlValue[][]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(([listing, at, name, action_id]) => ({ listing, at, name, action_id }));
  const columns = { listing: 'text', at: 'bigint', name: 'text', action_id: 'text' } as const;
  await tx.run(
    `DELETE FROM action_listed WHERE (listing, at, name, action_id) IN
      (SELECT j.listing, j.at, j.name, j.action_id FROM ${rowset(tx.dialect, '$1', columns)})`,
    [JSON.stringify(rows)],
  );
}

async function insertListings(tx: Tx, listings: readonly ChangedListing[]): Promise<void> {
  if (listings.length === 0) return;
  const rows = listings.map(({ id, listing }) => ({
    id,
    party: listing.party,
    shown: listing.shown,
    project_id: listing.projectId,
    ledger_uid: listing.ledgerUid,
    ledger_id: listing.ledgerId,
    chain: listing.chain,
    status: listing.status,
  }));
  const columns = {
    id: 'text',
    party: 'text',
    shown: 'text',
    project_id: 'text',
    ledger_uid: 'text',
    ledger_id: 'text',
    chain: 'text',
    status: 'text',
  } as const;
  const names = Object.keys(columns);
  await tx.run(
    `INSERT INTO action_listing (${names.join(', ')})
      SELECT ${names.map((name) => `j.${name}`).join(', ')} FROM ${rowset(tx.dialect, '$1', columns)}
      WHERE true ORDER BY j.id ON CONFLICT (id) DO NOTHING`,
    [JSON.stringify(rows)],
  );
}

/**
 * Updates the counts in sorted order, so that transactions that change the same listings wait for each other and do not
 * deadlock.
 */
async function storeTallies(tx: Tx, tallies: readonly Tally[]): Promise<void> {
  if (tallies.length === 0) return;
  const slot = tx.dialect === 'postgres' ? Math.floor(Math.random() * 8) : 0;
  const columns = { listing: 'text', level: 'bigint', span: 'bigint', n: 'bigint' } as const;
  const rows = JSON.stringify(tallies);
  const lowered = tallies.filter(({ n }) => n < 0);
  const lowerTallies = async () => {
    if (lowered.length === 0) return;
    await tx.run(
      `DELETE FROM action_tally WHERE n = 0 AND slot = $2 AND (listing, level, span) IN
      (SELECT j.listing, j.level, j.span FROM ${rowset(tx.dialect, '$1', columns)})`,
      [JSON.stringify(lowered), slot],
    );
  };
  await together(
    tx.run(
      `INSERT INTO action_tally (listing, level, span, slot, n)
      SELECT j.listing, j.level, j.span, CAST($2 AS bigint), j.n FROM ${rowset(tx.dialect, '$1', columns)}
      WHERE true ORDER BY j.listing, j.level, j.span
      ON CONFLICT (listing, level, span, slot) DO UPDATE SET n = action_tally.n + excluded.n`,
      [rows, slot],
    ),
    lowerTallies(),
  );
}
