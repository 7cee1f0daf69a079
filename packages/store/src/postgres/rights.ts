import pg from 'pg';
import { StoreError } from '../errors.ts';
import { buildCatalogue } from '../schema/catalogue.ts';
import type { Target } from './connection.ts';
import type { Run } from './installation.ts';

/** Tables of the current schema that the role may not use completely, or of which row-level security hides rows. */
const restricted = `select c.relname as table, n.nspname as schema, current_user as role, row_security_active(c.oid) as hidden,
    array_to_string(array(
      select one from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as one
      where not has_table_privilege(c.oid, one)
    ), ', ') as lacking
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = current_schema() and c.relkind in ('r', 'p') and c.relname = any($1)
  order by c.relname`;

interface Restricted extends pg.QueryResultRow {
  readonly table: string;
  readonly schema: string;
  readonly role: string;
  readonly hidden: boolean;
  /** Rights that the role does not have; empty if it has all. */
  readonly lacking: string;
}

const mostNamed = 10;

function some(names: readonly string[]): string {
  const rest = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `${names.slice(0, mostNamed).join(', ')}${rest}`;
}

/**
 * Checks that the role may read and write rows of every table that exists. Otherwise some requests would fail
 * while others work, for example if a migration by another role created tables without default privileges.
 *
 * @throws StoreError `misuse` that names the tables, and the statement that grants the rights
 */
export async function demandRights(run: Run, { where }: Target): Promise<void> {
  const rows = await run<Restricted>(restricted, [[...buildCatalogue().keys()]]);
  const [first] = rows;
  if (first === undefined) return;
  const [schema, role] = [pg.escapeIdentifier(first.schema), pg.escapeIdentifier(first.role)];
  const lacking = rows.filter((row) => row.lacking !== '');
  if (lacking.length > 0) {
    const tables = some(lacking.map((row) => `${row.table} (${row.lacking})`));
    throw new StoreError(
      'misuse',
      `The role ${first.role} lacks rights on tables of ${where}: ${tables}. Grant them as the owner of the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}.`,
    );
  }
  const hidden = rows.filter((row) => row.hidden).map((row) => row.table);
  if (hidden.length > 0) {
    throw new StoreError(
      'misuse',
      `Row-level security applies to the role ${first.role} in tables of ${where}: ${some(hidden)}. Turn it off as the owner of the tables: ALTER TABLE ${schema}.${pg.escapeIdentifier(hidden[0] ?? '')} DISABLE ROW LEVEL SECURITY.`,
    );
  }
}
