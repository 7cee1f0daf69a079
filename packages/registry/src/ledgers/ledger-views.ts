import { scopeIds } from '@ledger-ops/auth';
import { type Queries, readJson } from '@ledger-ops/store';
import { eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { stableNumber } from '../stable-number.ts';
import type { LedgerProperties } from '../types.ts';
import { openNode } from './nodes/node-secrets.ts';
import { visibleUri } from './nodes/node-uri.ts';
import { scopeOfProperty } from './properties/ledger-properties.ts';
import type { PropertyView } from './properties/property-list.ts';
import type { SecretBox, SecretProperties } from './properties/secrets.ts';
import type { LedgerView, NodeView } from './types.ts';

export type LedgerRow = Queries['t']['ledger']['$inferSelect'];
export type NodeRow = Queries['t']['node']['$inferSelect'];

/** Ledgers of that id in every scope; also the one of that uid. */
export async function ledgersOfId({ db, t: { ledger } }: Queries, ledgerId: string): Promise<LedgerRow[]> {
  return await db
    .select()
    .from(ledger)
    .where(or(eq(ledger.ledgerId, ledgerId), eq(ledger.uid, ledgerId)));
}

/**
 * Ledgers as records, in the order of the rows.
 * @param titleOf what people call the technology of a ledger
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
    active: row.active,
    id: row.id,
    ledgerID: row.ledgerId,
    ledgerTechnology: {
      id: stableNumber(row.technology),
      ledgerTechnologyID: row.technology,
      name: titleOf(row),
    },
    name: row.name,
    properties: propertyViews(row, box.open(row.uid, row.secrets), (name) =>
      scopeOfProperty(row.technology, name),
    ),
    resourceId: row.ledgerId,
    type: { name: row.type },
    uid: row.uid,
    projectId: projects.get(row.scope) ?? '',
    featured: row.featured,
  }));
}

/** Properties as records show them: what was stored as a secret has no value. */
function propertyViews(
  { id, properties }: Pick<LedgerRow | NodeRow, 'id' | 'properties'>,
  secrets: SecretProperties,
  scopeOf?: (name: string) => string,
): PropertyView[] {
  const plain = readJson<LedgerProperties>(properties);
  const shown = [...Object.entries(plain), ...Object.keys(secrets).map((name) => [name, null] as const)];
  return shown.map(([name, value]) => {
    const scope = scopeOf?.(name);
    return {
      id: stableNumber(`${id}/${name}`),
      type: {
        id: stableNumber(name),
        name,
        ...(scope === undefined ? {} : { scope: { id: stableNumber(scope), name: scope } }),
      },
      value,
    };
  });
}

/** Nodes as records, in the order of the rows. */
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
    client: row.client,
    id: row.id,
    name: row.name,
    nodeID: row.nodeId,
    properties: propertyViews(row, openNode(box, row).properties),
    resourceId: row.nodeId,
    uri: visibleUri(row.uri),
    ledgerID: ledgers.get(row.ledgerUid) ?? '',
  }));
}

/** In an order of what belongs to ledgers: that of their ids. */
export function ledgerIdOf({ t: { ledger } }: Queries, ledgerUid: PgColumn): SQL {
  return sql`(select ${ledger.ledgerId} from ${ledger} where ${ledger.uid} = ${ledgerUid})`;
}

/** Ids of ledgers by their uids. */
export async function ledgerIds(queries: Queries, uids: readonly string[]): Promise<Map<string, string>> {
  if (uids.length === 0) return new Map();
  const { ledger } = queries.t;
  const rows = await queries.db
    .select({ uid: ledger.uid, ledgerId: ledger.ledgerId })
    .from(ledger)
    .where(inArray(ledger.uid, [...new Set(uids)]));
  return new Map(rows.map(({ uid, ledgerId }) => [uid, ledgerId]));
}
