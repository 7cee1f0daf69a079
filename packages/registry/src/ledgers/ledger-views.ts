import { scopeIds } from '@ledger-ops/auth';
import { type Queries, readJson } from '@ledger-ops/store';
import { eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { LedgerProperties } from '../types.ts';
import { openNode } from './nodes/node-secrets.ts';
import { visibleUri } from './nodes/node-uri.ts';
import type { SecretBox, SecretProperties } from './properties/secrets.ts';
import type { LedgerView, NodeView } from './types.ts';

export type LedgerRow = Queries['t']['ledger']['$inferSelect'];
export type NodeRow = Queries['t']['node']['$inferSelect'];

/** Ledgers with this id in every scope, and the ledger with this uid. */
export async function ledgersOfId({ db, t: { ledger } }: Queries, ledgerId: string): Promise<LedgerRow[]> {
  return await db
    .select()
    .from(ledger)
    .where(or(eq(ledger.ledgerId, ledgerId), eq(ledger.uid, ledgerId)));
}

/**
 * Ledger records in the order of the rows.
 * @param titleOf display name of a ledger's technology
 */
export async function ledgerViews(
  queries: Queries,
  rows: readonly LedgerRow[],
  box: SecretBox,
  titleOf: (row: LedgerRow) => string,
): Promise<LedgerView[]> {
  const projects = await scopeIds(
    queries,
    rows.map(({ scope }) => scope),
  );
  return rows.map((row) => ({
    id: row.id,
    uid: row.uid,
    ledgerId: row.ledgerId,
    projectId: projects.get(row.scope) ?? '',
    name: row.name,
    technology: row.technology,
    technologyTitle: titleOf(row),
    type: row.type,
    active: row.active,
    featured: row.featured,
    properties: shownProperties(row, box.open(row.uid, row.secrets)),
  }));
}

/** Stored properties, with null in place of each secret. */
function shownProperties(
  { properties }: Pick<LedgerRow | NodeRow, 'properties'>,
  secrets: SecretProperties,
): LedgerProperties {
  const hidden = Object.keys(secrets).map((name) => [name, null] as const);
  return { ...readJson<LedgerProperties>(properties), ...Object.fromEntries(hidden) };
}

/** Node records in the order of the rows. */
export async function nodeViews(
  queries: Queries,
  rows: readonly NodeRow[],
  box: SecretBox,
): Promise<NodeView[]> {
  const ledgers = await ledgerIds(
    queries,
    rows.map(({ ledgerUid }) => ledgerUid),
  );
  return rows.map((row) => ({
    id: row.id,
    nodeId: row.nodeId,
    ledgerId: ledgers.get(row.ledgerUid) ?? '',
    name: row.name,
    client: row.client,
    uri: visibleUri(row.uri),
    properties: shownProperties(row, openNode(box, row).properties),
  }));
}

/** Sort expression for records of ledgers: by the ledger's id. */
export function ledgerIdOf({ t: { ledger } }: Queries, ledgerUid: PgColumn): SQL {
  return sql`(select ${ledger.ledgerId} from ${ledger} where ${ledger.uid} = ${ledgerUid})`;
}

export async function ledgerIds(queries: Queries, uids: readonly string[]): Promise<Map<string, string>> {
  if (uids.length === 0) return new Map();
  const { ledger } = queries.t;
  const rows = await queries.db
    .select({ uid: ledger.uid, ledgerId: ledger.ledgerId })
    .from(ledger)
    .where(inArray(ledger.uid, [...new Set(uids)]));
  return new Map(rows.map(({ uid, ledgerId }) => [uid, ledgerId]));
}
