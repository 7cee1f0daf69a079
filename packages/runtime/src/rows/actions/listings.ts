import { createHash } from 'node:crypto';
import { readJson, type SqlValue, type Tx, together } from '@ledger-ops/store';
import { isListed, isReceiver } from '../co-signers.ts';
import { rowset } from '../sql.ts';

/**
 * Lengths of the time spans for which a listing's entries are counted: 2^13 ms (8 seconds), 2^20 ms (17
 * minutes) and 2^27 ms (37 hours).
 */
export const spanBits = [13, 20, 27] as const;
/** The level of a listing's total count, after those of `spanBits`. */
export const allTime = spanBits.length;

/** A listing that contains actions; see table `action_listing`. */
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

interface Entry {
  readonly listing: Listing;
  readonly at: number;
  readonly name: string;
  readonly actionId: string;
}

/** Adds newly accepted actions to their listings. */
export async function listAccepted(tx: Tx, rows: readonly ListedRow[]): Promise<void> {
  await write(tx, { enter: rows.flatMap(asOwn), leave: [], projects: byProject(rows, 1) });
}

/** Moves newly finished actions to the listings of their final status. */
export async function listEnded(tx: Tx, rows: readonly ListedRow[], now: number): Promise<void> {
  const before = rows.map((row) => ({ ...row, status: 'PENDING' }));
  await write(tx, {
    enter: rows.flatMap((row) => [...asOwn(row), ...asPublic(row, now)]),
    leave: before.flatMap(asOwn),
    projects: [...byProject(rows, 1), ...byProject(before, -1)],
  });
}

/** Removes finished actions from their listings. */
export async function unlist(tx: Tx, rows: readonly (ListedRow & { ended_at: number })[]): Promise<void> {
  await write(tx, {
    enter: [],
    leave: rows.flatMap((row) => [...asOwn(row), ...asPublic(row, row.ended_at)]),
    projects: byProject(rows, -1),
  });
}

function asOwn(row: ListedRow): Entry[] {
  const parties = [`w:${row.wallet_uid}`, ...partiesOf(row).filter(isListed)];
  const tagged = row.tag === null ? [] : parties.map((party) => taggedParty(party, row.tag ?? ''));
  return [...parties, ...tagged].map((party) => ({
    listing: ownListing(row, party),
    at: row.created_at,
    name: row.given_id ?? row.id,
    actionId: row.id,
  }));
}

/**
 * Only actions on the ledger are public. If a plugin reports no transaction, the locator is the action's own
 * id.
 */
function asPublic(row: ListedRow, endedAt: number): Entry[] {
  const { locator } = row;
  if (row.status !== 'SUCCEEDED' || locator === null || locator === row.id) return [];
  const receivers = partiesOf(row).filter(isReceiver);
  return receivers.map((party) => ({
    listing: { ...ownListing(row, party), shown: 'public', chain: row.chain },
    at: endedAt,
    name: locator,
    actionId: row.id,
  }));
}

function byProject(rows: readonly ListedRow[], n: number): (readonly [Listing, number])[] {
  return rows.map((row) => [ownListing(row, `p:${row.project_id}`), n]);
}

function ownListing(row: ListedRow, party: string): Listing {
  return {
    party,
    shown: 'own',
    projectId: row.project_id,
    ledgerUid: row.ledger_uid,
    ledgerId: row.ledger_id,
    chain: '',
    status: row.status,
  };
}

function partiesOf({ receivers }: ListedRow): string[] {
  return readJson<string[]>(receivers) ?? [];
}

/** The party name under which a party's actions with this tag are listed. */
export function taggedParty(party: string, tag: string): string {
  return `${party}#${tag}`;
}

/** Cache of listing ids: a batch uses few listings, each many times. */
const known = new Map<string, string>();
const mostKnown = 10_000;

function idOf(listing: Listing): string {
  const { party, shown, projectId, ledgerUid, ledgerId, chain, status } = listing;
  const text = JSON.stringify([party, shown, projectId, ledgerUid, ledgerId, chain, status]);
  let id = known.get(text);
  if (id === undefined) {
    id = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    if (known.size >= mostKnown) known.clear();
    known.set(text, id);
  }
  return id;
}

interface Changes {
  readonly enter: readonly Entry[];
  readonly leave: readonly Entry[];
  /** Listings whose entries are counted and not stored. */
  readonly projects: readonly (readonly [Listing, number])[];
}

async function write(tx: Tx, { enter, leave, projects }: Changes): Promise<void> {
  const listings = new Map<string, Listing>();
  const tallies = new Map<string, { listing: string; level: number; span: number; n: number }>();
  const count = (listing: string, level: number, span: number, n: number) => {
    const key = `${listing} ${level} ${span}`;
    const tally = tallies.get(key) ?? { listing, level, span, n: 0 };
    tally.n += n;
    tallies.set(key, tally);
  };
  const add = (listing: Listing, n: number): string => {
    const id = idOf(listing);
    if (n > 0) listings.set(id, listing);
    count(id, allTime, 0, n);
    return id;
  };
  const change = (entries: readonly Entry[], n: number) =>
    entries.map(({ listing, at, name, actionId }): SqlValue[] => {
      const id = add(listing, n);
      // Pending entries are not counted by time span: they are few and short-lived, so queries by time count
      // them directly.
      if (listing.status !== 'PENDING')
        for (const [level, bits] of spanBits.entries()) count(id, level, spanOf(at, bits), n);
      return [id, at, name, actionId];
    });
  const left = change(leave, -1);
  const entered = change(enter, 1);
  for (const [listing, n] of projects) add(listing, n);
  const changed = [...tallies.values()].filter(({ n }) => n !== 0);
  await together(
    remove(tx, left),
    tx.insertMany('action_listed', ['listing', 'at', 'name', 'action_id'], entered),
    insertListings(tx, listings),
    storeTallies(tx, changed),
  );
}

/** Index of the span that contains an instant. */
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

async function insertListings(tx: Tx, listings: ReadonlyMap<string, Listing>): Promise<void> {
  if (listings.size === 0) return;
  const rows = [...listings].map(([id, one]) => ({
    id,
    party: one.party,
    shown: one.shown,
    project_id: one.projectId,
    ledger_uid: one.ledgerUid,
    ledger_id: one.ledgerId,
    chain: one.chain,
    status: one.status,
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
 * Updates the counts in sorted order, so that transactions with the same listings wait for each other instead
 * of deadlocking.
 */
async function storeTallies(
  tx: Tx,
  tallies: readonly { listing: string; level: number; span: number; n: number }[],
): Promise<void> {
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
