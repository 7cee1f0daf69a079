import type { Queries } from '@ledger-ops/store';
import { asc, getTableColumns, inArray } from 'drizzle-orm';
import { z } from 'zod';
import type { CompilerMessage } from '../compile/types.ts';
import { gone } from '../service.ts';
import { namesOf } from './named-types.ts';
import type { SmartContractView, SpecificationView, TemplateView, TokenView } from './types.ts';

export type ContractRow = Queries['t']['contract']['$inferSelect'];
type ShownContract = Omit<ContractRow, (typeof hiddenColumns)[number]>;
export type SpecificationRow = Queries['t']['specification']['$inferSelect'];
export type TemplateRow = Queries['t']['template']['$inferSelect'];
type TokenRow = Queries['t']['ledgerToken']['$inferSelect'];

/** Scopes of numeric ids for names. */
export const propertyNames = 'contract-property';
export const contractTypes = 'contract-type';

const texts = z.array(z.string());
const messages = z.array(
  z.object({
    severity: z.enum(['error', 'warning', 'info']),
    file: z.string().nullable(),
    line: z.number().nullable(),
    column: z.number().nullable(),
    message: z.string(),
  }),
);

export function templateView({ id, templateId, name, description }: TemplateRow): TemplateView {
  return { id, templateId, name, description };
}

export function specificationView(row: SpecificationRow, template: TemplateRow): SpecificationView {
  return {
    id: row.id,
    template: templateView(template),
    version: row.tag,
    technology: row.technology,
    description: row.description,
    // The cast is safe, because this package checked the value before writing it.
    status: row.status as SpecificationView['status'],
    messages: messages.parse(JSON.parse(row.messages)) satisfies CompilerMessage[],
    language: row.language,
    compilerVersion: row.compilerVersion,
    checksum: row.checksum,
    hasPreprocessing: row.hasPreprocessing,
    sources: row.source,
    compiled: row.compilation === '' ? null : row.compilation,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** Columns of a version with up to several megabytes each, which listings do not show. */
export const longColumns = ['source', 'compilation', 'interface', 'code'] as const;

/** Returns a version without its sources and compiled output. */
export function shortSpecificationView(
  row: Omit<SpecificationRow, (typeof longColumns)[number]>,
  template: TemplateRow,
): SpecificationView {
  return specificationView({ ...row, ...noContent, interface: '', code: '' }, template);
}

/** Placeholders for the sources and compiled output of a version, if they are not shown. */
export const noContent = { source: null, compilation: '' } as const;

/** Columns of a contract that its record in the deprecated registry does not show. */
export const hiddenColumns = ['interface', 'parsedInterface'] as const;

/** Contract records, in the order of the rows. */
export async function contractViews(
  queries: Queries,
  rows: readonly ShownContract[],
  shortened: ReadonlySet<unknown> = new Set(),
): Promise<SmartContractView[]> {
  const specifications = await specificationsOf(queries, rows);
  const properties = await propertiesOf(
    queries,
    rows.map(({ uid }) => uid).filter((uid) => !shortened.has(uid)),
  );
  const types = new Map(rows.map(({ uid, types: names }) => [uid, texts.parse(JSON.parse(names))]));
  const numbers = await namesOf(queries, contractTypes, [...types.values()].flat());
  return rows.map((row) => ({
    id: row.id,
    contractId: row.contractId,
    ledgerId: row.ledgerId,
    name: row.name,
    specification: specifications.get(row.specificationUid ?? '') ?? null,
    properties: properties.get(row.uid) ?? [],
    ...(shortened.has(row.uid) ? { propertiesOmitted: true } : {}),
    types: (types.get(row.uid) ?? []).map((name) => ({ id: numbers.get(name) ?? 0, name })),
  }));
}

export async function contractView(queries: Queries, row: ShownContract): Promise<SmartContractView> {
  const [view] = await contractViews(queries, [row]);
  if (view === undefined) throw gone('contract');
  return view;
}

export function tokenView({ id, name, ticker, tokenId }: TokenRow, contract: SmartContractView): TokenView {
  return { id, tokenId, name, ticker, contract };
}

/** Versions by uid, without the columns that can be large. */
async function specificationsOf(
  queries: Queries,
  rows: readonly ShownContract[],
): Promise<Map<string, SpecificationView>> {
  const uids = rows.flatMap(({ specificationUid: uid }) => (uid === null ? [] : [uid]));
  if (uids.length === 0) return new Map();
  const { specification, template } = queries.t;
  const { source: _source, compilation: _compilation, ...more } = getTableColumns(specification);
  const { interface: _interface, code: _code, ...short } = more;
  const found = await queries.db
    .select(short)
    .from(specification)
    .where(inArray(specification.uid, [...new Set(uids)]));
  const parents = await queries.db
    .select()
    .from(template)
    .where(inArray(template.uid, [...new Set(found.map(({ templateUid }) => templateUid))]));
  const byUid = new Map(parents.map((row) => [row.uid, row]));
  const views = new Map<string, SpecificationView>();
  for (const row of found) {
    const parent = byUid.get(row.templateUid);
    if (parent === undefined) continue;
    views.set(row.uid, shortSpecificationView(row, parent));
  }
  return views;
}

async function propertiesOf(
  queries: Queries,
  uids: readonly string[],
): Promise<Map<string, SmartContractView['properties']>> {
  const { contractProperty } = queries.t;
  const rows =
    uids.length === 0
      ? []
      : await queries.db
          .select()
          .from(contractProperty)
          .where(inArray(contractProperty.contractUid, [...uids]))
          .orderBy(asc(contractProperty.id));
  const numbers = await namesOf(
    queries,
    propertyNames,
    rows.map(({ name }) => name),
  );
  const properties = new Map<string, SmartContractView['properties']>();
  for (const { id, contractUid, name, value } of rows) {
    const list = properties.get(contractUid) ?? [];
    list.push({ id, typeId: numbers.get(name) ?? 0, name, value: JSON.parse(value) });
    properties.set(contractUid, list);
  }
  return properties;
}
