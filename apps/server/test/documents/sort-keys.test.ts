// Every listing can be sorted by every scalar member of its records. Operations, members and sort keys come from the
// OpenAPI document. Records are created over HTTP.
import type { PageBody } from '@ledger-ops/base';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { selectCases } from '../../../../testing/faults.ts';
import { recordsOf } from '../access/isolation-records.ts';
import { addTenant, type Installation, install, type Tenant } from '../stage/api.ts';
import { documentOf } from '../stage/document-of-routes.ts';

/**
 * Members without a column. In actions, these are the client's JSON and a link that combines two records; in contracts,
 * whether the page omits long values.
 */
const notSorted = ['context', 'explorerUrl', 'interfaceOmitted', 'propertiesOmitted'];

type Json = Record<string, unknown>;
const schemaOf = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
});
const readDocument = z.looseObject({
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
  paths: z.record(
    z.string(),
    z.looseObject({
      get: z
        .looseObject({
          parameters: z
            .array(z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().optional() }))
            .optional(),
          responses: z.record(
            z.string(),
            z.looseObject({
              content: z.record(z.string(), z.looseObject({ schema: z.unknown() })).optional(),
            }),
          ),
        })
        .optional(),
    }),
  ),
});

const scalars = new Set(['string', 'integer', 'number', 'boolean', 'null']);

/** Returns the paged operations of a document, with the scalar members of their records. */
function listingsOf(document: unknown): { path: string; query: string[]; members: string[] }[] {
  const { components, paths } = readDocument.parse(document);
  const resolved = (schema: unknown): z.infer<typeof schemaOf> => {
    const one = schemaOf.parse(schema);
    return one.$ref === undefined ? one : resolved(components.schemas[one.$ref.split('/').at(-1) ?? '']);
  };
  const isScalar = (schema: unknown): boolean => {
    const one = resolved(schema);
    const choices = one.anyOf ?? one.oneOf;
    if (choices !== undefined) return choices.every(isScalar);
    return one.type !== undefined && [one.type].flat().every((type) => scalars.has(type));
  };
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (get?.parameters?.some(({ name }) => name === 'sort') !== true) return [];
    const page = resolved(get.responses['200']?.content?.['application/json']?.schema);
    const record = resolved(resolved(page.properties?.pageContent).items);
    const members = Object.entries(record.properties ?? {}).filter(([, schema]) => isScalar(schema));
    return [
      {
        path,
        query: get.parameters
          .filter(({ in: where, required }) => where === 'query' && required === true)
          .map(({ name }) => name),
        members: members.map(([name]) => name).filter((name) => !notSorted.includes(name)),
      },
    ];
  });
}

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres?.stop());

const dialects = selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'postgres');
describe.each(dialects)('on %s', (dialect) => {
  let here: Installation;
  let tenant: Tenant;
  const given: Record<string, string> = {};
  beforeAll(async () => {
    here = await install({
      PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum',
      ...(dialect === 'postgres' ? { DATABASE_URL: await postgres.createDatabase() } : {}),
    });
    tenant = await addTenant(here.url, here.administrator, 'sorted');
    Object.assign(given, await recordsOf(here, tenant, 'one'), {
      ...{ type: 'project', resourceType: 'project', lookupTermStrategy: 'OR' },
    });
    await recordsOf(here, tenant, 'two');
  });
  afterAll(() => here?.close());

  test('every listing can be sorted by every scalar member of its records', async () => {
    const listings = listingsOf(await documentOf());
    expect(listings.length).toBeGreaterThan(20);
    const wrong: unknown[] = [];
    for (const { path, query, members } of listings) {
      expect(members.length, path).toBeGreaterThan(0);
      const place = path.replaceAll(/\{(\w+)\}/g, (_, name) => given[name] ?? name);
      const needed = query
        .filter((name) => given[name] !== undefined)
        .map((name) => `${name}=${given[name]}`);
      for (const member of members) {
        const sorted = async (direction: 'asc' | 'desc') =>
          await tenant.api.call<PageBody<Json>>(
            'GET',
            `${place}?${[...needed, `sort=${member},${direction}`, 'size=100'].join('&')}`,
          );
        const [up, down] = [await sorted('asc'), await sorted('desc')];
        if (up.status !== 200 || down.status !== 200) {
          wrong.push([path, member, up.status, up.body]);
          continue;
        }
        const valuesOf = ({ pageContent }: PageBody<Json>) =>
          pageContent.map((record) => record[member] ?? null);
        // The two directions must be the reverse of each other, and equal values must be adjacent.
        const runs = valuesOf(up.body).filter((value, index, all) => value !== all[index - 1]);
        const back = valuesOf(down.body).filter((value, index, all) => value !== all[index - 1]);
        if (JSON.stringify(runs) !== JSON.stringify(back.toReversed()) || new Set(runs).size !== runs.length)
          wrong.push([path, member, runs, back]);
      }
    }
    expect(wrong).toEqual([]);
  });
});
