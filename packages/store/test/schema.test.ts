import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { initialMigration } from '../scripts/migration-text.ts';
import { migrationFolder } from '../src/migrations.ts';
import { describeDialects } from '../src/testing/index.ts';
import type { Store } from '../src/types.ts';

/** The schema of a real database, in terms that both dialects have. */
interface Schema {
  readonly columns: readonly string[];
  readonly indexes: readonly string[];
}

const families: Readonly<Record<string, string>> = {
  text: 'text',
  bigint: 'integer',
  integer: 'integer',
  boolean: 'integer',
  bytea: 'bytes',
  blob: 'bytes',
};

type ColumnRow = { table: string; column: string; type: string; nullable: number };
type IndexRow = { table: string; name: string; columns: string; unique: number; partial: number };

async function readSchema(store: Store): Promise<Schema> {
  const [columns, indexes] = await Promise.all([
    store.read.all<ColumnRow>(columnQueries[store.dialect]),
    store.read.all<IndexRow>(indexQueries[store.dialect]),
  ]);
  return {
    columns: columns.map(
      (row) =>
        `${row.table}.${row.column} ${families[row.type] ?? `unknown ${row.type}`} ${row.nullable ? 'null' : 'not null'}`,
    ),
    indexes: indexes
      .map(
        (row) =>
          `${row.table} ${row.name} (${row.columns})${row.unique ? ' unique' : ''}${row.partial ? ' partial' : ''}`,
      )
      .sort(),
  };
}

const columnQueries = {
  sqlite: `select m.name as "table", p.name as "column", lower(p.type) as type, 1 - p."notnull" as nullable
    from sqlite_master m, pragma_table_info(m.name) p
    where m.type = 'table' and m.name not like 'sqlite%' order by m.name, p.cid`,
  postgres: `select table_name::text as "table", column_name::text as "column", data_type::text as type,
    case is_nullable when 'YES' then 1 else 0 end as nullable
    from information_schema.columns where table_schema = 'public'
    order by table_name::text collate "C", ordinal_position`,
};

const indexQueries = {
  sqlite: `select m.name as "table", l.name as name, l."unique" as "unique", l.partial as partial,
      (select group_concat(i.name, ',' order by i.seqno) from pragma_index_info(l.name) i) as columns
    from sqlite_master m, pragma_index_list(m.name) l where m.type = 'table' and l.origin = 'c'
    union all
    select m.name, 'primary key', 1, 0, group_concat(p.name, ',' order by p.pk)
    from sqlite_master m, pragma_table_info(m.name) p
    where m.type = 'table' and m.name not like 'sqlite%' and p.pk > 0 group by m.name`,
  postgres: `select t.relname::text as "table",
      case when x.indisprimary then 'primary key' else i.relname::text end as name,
      x.indisunique::int as "unique", (x.indpred is not null)::int as partial,
      (select string_agg(a.attname::text, ',' order by k.n)
        from unnest(x.indkey::int2[]) with ordinality as k(attnum, n)
        join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum) as columns
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    where t.relnamespace = 'public'::regnamespace`,
};

describe('the migrations', () => {
  it.each(['sqlite', 'postgres'] as const)(
    'the migrations of %s match the table descriptions',
    async (dialect) => {
      const written = await readFile(new URL('0000_initial.sql', migrationFolder(dialect)), 'utf8');
      expect(written, 'run `pnpm run migration` in packages/store').toBe(await initialMigration(dialect));
    },
  );
});

const schemas: Schema[] = [];

describeDialects('the schema', (open) => {
  it('the schemas of both dialects have the same columns and indexes', async () => {
    const schema = await readSchema(await open());
    expect(schema.columns.length).toBeGreaterThan(100);
    expect(schema.indexes.length).toBeGreaterThan(30);
    schemas.push(schema);
    expect(schema).toEqual(schemas[0]);
  });
});
