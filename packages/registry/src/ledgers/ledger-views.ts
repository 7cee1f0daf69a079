import { scopeIds } from '@ledger-ops/auth';
import { type Technology, technologies } from '@ledger-ops/glo-core';
import { type Queries, readJson } from '@ledger-ops/store';
import { eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { LedgerProperties } from '../types.ts';
import { ledgerPropertyNames, ledgerPropertyType } from './ledger-properties.ts';
import { nodePropertyViews } from './node-properties.ts';
import { visibleUri } from './node-uri.ts';
import type { PropertyView } from './property-list.ts';
import type { SecretBox } from './secrets.ts';
import type { LedgerView, NodeView } from './types.ts';

export type LedgerRow = Queries['t']['ledger']['$inferSelect'];
export type NodeRow = Queries['t']['node']['$inferSelect'];

const technologyNames: Readonly<Record<Technology, string>> = {
  ethereum: 'Ethereum',
  'hyperledger-fabric': 'Hyperledger Fabric',
};

/** Ledgers of that id in every scope; also the one of that uid. */
export async function ledgersOfId({ db, t: { ledger } }: Queries, ledgerId: string): Promise<LedgerRow[]> {
  return await db
    .select()
    .from(ledger)
    .where(or(eq(ledger.ledgerId, ledgerId), eq(ledger.uid, ledgerId)));
}

/** Ledgers as records, in the order of the rows. */
export async function ledgerViews(
  queries: Queries,
  rows: readonly LedgerRow[],
  box: SecretBox,
): Promise<LedgerView[]> {
  const projects = await scopeIds(
    queries,
    rows.map(({ scope }) => scope),
  );
  return rows.map((row) => {
    // Written by this package, from checked values.
    const technology = row.technology as Technology;
    return {
      active: row.active,
      id: row.id,
      ledgerID: row.ledgerId,
      ledgerTechnology: technologyView(technology),
      name: row.name,
      properties: ledgerPropertyViews(row, technology, box),
      resourceId: row.ledgerId,
      type: { name: row.type },
      projectId: projects.get(row.scope) ?? '',
      featured: row.featured,
    };
  });
}

/** A technology as deprecated records show it. */
function technologyView(technology: Technology): LedgerView['ledgerTechnology'] {
  return {
    id: technologies.indexOf(technology) + 1,
    ledgerTechnologyID: technology,
    name: technologyNames[technology],
  };
}

function ledgerPropertyViews(row: LedgerRow, technology: Technology, box: SecretBox): PropertyView[] {
  const plain = readJson<LedgerProperties>(row.properties);
  const secrets = box.open(row.uid, row.secrets);
  return ledgerPropertyNames(technology).flatMap((name) => {
    if (!Object.hasOwn(plain, name) && !Object.hasOwn(secrets, name)) return [];
    const { id, scope } = ledgerPropertyType(name);
    const scopes = ['common', ...technologies];
    return [
      {
        id: row.id * 256 + id,
        type: { id, name, scope: { id: scopes.indexOf(scope) + 1, name: scope } },
        value: plain[name] ?? null,
      },
    ];
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
    properties: nodePropertyViews(
      row.id,
      readJson<LedgerProperties>(row.properties),
      Object.keys(box.open(row.uid, row.secrets)),
    ),
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
