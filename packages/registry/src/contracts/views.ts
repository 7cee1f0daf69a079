import type { Queries } from '@ledger-ops/store';
import { asc, inArray } from 'drizzle-orm';
import { z } from 'zod';
import type { CompilerMessage } from '../compile/types.ts';
import type { PropertyView } from '../ledgers/properties/property-list.ts';
import { gone } from '../service.ts';
import { stableNumber } from '../stable-number.ts';
import { namesOf } from './named-types.ts';
import type { SmartContractView, SpecificationView, TemplateView, TokenView } from './types.ts';

export type ContractRow = Queries['t']['contract']['$inferSelect'];
export type SpecificationRow = Queries['t']['specification']['$inferSelect'];
export type TemplateRow = Queries['t']['template']['$inferSelect'];
type TokenRow = Queries['t']['ledgerToken']['$inferSelect'];

/** Scopes of numbered names. */
export const propertyNames = 'contract-property';
export const contractTypes = 'contract-type';
const propertyScope = { id: 1, name: 'smart-contract-instance' };

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

/** The old contract template of section 2.9. */
export function templateView({ templateId, description, id, name }: TemplateRow): TemplateView {
  return { contractTemplateID: templateId, description, id, name, resourceId: templateId };
}

/** The old contract specification of section 2.9. */
export function specificationView(row: SpecificationRow, template: TemplateRow): SpecificationView {
  // Written by this package, from checked values.
  const compilationStatus = row.status as SpecificationView['compilationStatus'];
  return {
    checksum: row.checksum,
    compilationLanguage: row.language,
    compilationSpecification: row.compilation === '' ? null : row.compilation,
    compilationStatus,
    contractTemplate: templateView(template),
    dateCreated: row.createdAt,
    dateUpdated: row.updatedAt,
    description: row.description,
    hasPreprocessing: row.hasPreprocessing,
    id: row.id,
    ledgerTechnology: { id: stableNumber(row.technology), ledgerTechnologyID: row.technology },
    preCompilationSpecification: row.source,
    tag: row.tag,
    targetCompilationVersion: row.compilerVersion,
    compilationMessages: messages.parse(JSON.parse(row.messages)) satisfies CompilerMessage[],
  };
}

/** Old contracts of section 2.9, in the order of the rows. */
export async function contractViews(
  queries: Queries,
  rows: readonly ContractRow[],
): Promise<SmartContractView[]> {
  const specifications = await specificationsOf(queries, rows);
  const properties = await propertiesOf(
    queries,
    rows.map(({ uid }) => uid),
  );
  const types = new Map(rows.map(({ uid, types: names }) => [uid, texts.parse(JSON.parse(names))]));
  const numbers = await namesOf(queries, contractTypes, [...types.values()].flat());
  return rows.map((row) => {
    const specification = specifications.get(row.specificationUid ?? '') ?? null;
    return {
      compilationDetails:
        specification === null
          ? null
          : JSON.stringify({
              status: specification.compilationStatus,
              language: specification.compilationLanguage,
              checksum: specification.checksum,
            }),
      compileVersion: specification?.targetCompilationVersion ?? null,
      contractInstanceID: row.contractId,
      contractSpecification: specification,
      id: row.id,
      ledgerID: row.ledgerId,
      name: row.name,
      properties: properties.get(row.uid) ?? [],
      resourceId: row.contractId,
      types: (types.get(row.uid) ?? []).map((name) => ({ id: numbers.get(name) ?? 0, name })),
    };
  });
}

/** One old contract. */
export async function contractView(queries: Queries, row: ContractRow): Promise<SmartContractView> {
  const [view] = await contractViews(queries, [row]);
  if (view === undefined) throw gone('contract');
  return view;
}

/** The old token of section 2.9. */
export function tokenView(row: TokenRow, contract: SmartContractView): TokenView {
  const { id, name, ticker, tokenId } = row;
  return { contractInstance: contract, id, name, resourceId: tokenId, ticker, tokenID: tokenId };
}

/** Versions by uid, without the texts that may be long. */
async function specificationsOf(
  queries: Queries,
  rows: readonly ContractRow[],
): Promise<Map<string, SpecificationView>> {
  const uids = rows.flatMap(({ specificationUid: uid }) => (uid === null ? [] : [uid]));
  if (uids.length === 0) return new Map();
  const { specification, template } = queries.t;
  const found = await queries.db
    .select()
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
    const view = specificationView(row, parent);
    views.set(row.uid, { ...view, compilationSpecification: null, preCompilationSpecification: null });
  }
  return views;
}

async function propertiesOf(queries: Queries, uids: readonly string[]): Promise<Map<string, PropertyView[]>> {
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
  const properties = new Map<string, PropertyView[]>();
  for (const { id, contractUid, name, value } of rows) {
    const type = { id: numbers.get(name) ?? 0, name, scope: propertyScope };
    const list = properties.get(contractUid) ?? [];
    list.push({ id, type, value: JSON.parse(value) });
    properties.set(contractUid, list);
  }
  return properties;
}
