import pg from 'pg';
import { StoreError } from '../errors.ts';
import type { Target } from './connection.ts';

/** Runs one statement, and returns its rows. */
export type Run = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Query for the other schemas that contain tables of Ledger Operations. Every role can see them in the catalog. */
const otherSchemas = `select n.nspname as schema, current_user as role,
    has_schema_privilege(n.oid, 'USAGE') as usable
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relname = 'schema_migration' and c.relkind in ('r', 'p')
    and n.nspname is distinct from current_schema() and n.nspname !~ '^pg_'
    and exists (select from pg_class a where a.relnamespace = n.oid and a.relname = 'action_grant')
  order by n.nspname`;

/** Returns the schema in which statements create tables; null if no schema of the search path exists. */
async function readCurrentSchema(run: Run): Promise<string | null> {
  const [row] = await run<{ schema: string | null }>('select current_schema() as schema');
  return row?.schema ?? null;
}

/** Creates the schema of the target if it is missing. Returns the current schema. @throws StoreError `other-schema` */
export async function demandSchema(run: Run, target: Target): Promise<string> {
  const current = await readCurrentSchema(run);
  if (current !== null) return current;
  const { schema, where } = target;
  await refuseOtherSchema(run, target);
  if (schema === undefined) {
    throw new StoreError(
      'misuse',
      `No schema of the role's search path exists in ${where}. Set DATABASE_SCHEMA to the schema to use.`,
    );
  }
  const [role] = await run<{ name: string; allowed: boolean }>(
    "select current_user as name, has_database_privilege(current_database(), 'CREATE') as allowed",
  );
  if (role?.allowed !== true) {
    throw new StoreError(
      'misuse',
      `The schema of ${where} does not exist, and the role ${role?.name} may not create it. Create it: CREATE SCHEMA "${schema}" AUTHORIZATION "${role?.name}".`,
    );
  }
  await run(`create schema if not exists "${schema}"`);
  return schema;
}

/**
 * Fails if another schema of the database holds an installation.
 * @throws StoreError `other-schema`; `misuse` if the role may not use that schema
 */
export async function refuseOtherSchema(run: Run, { where, schema: given }: Target): Promise<void> {
  const others = await run<{ schema: string; role: string; usable: boolean }>(otherSchemas);
  const [first] = others;
  if (first === undefined) return;
  if (!first.usable) {
    throw new StoreError(
      'misuse',
      `The role ${first.role} may not use the schema ${first.schema} of ${where}, which contains an installation. Allow it as the owner of the schema: GRANT USAGE ON SCHEMA ${pg.escapeIdentifier(first.schema)} TO ${pg.escapeIdentifier(first.role)}.`,
    );
  }
  const current = given === undefined ? await readCurrentSchema(run) : given;
  const here =
    given !== undefined
      ? ''
      : current === null
        ? ' (its search path names no existing schema)'
        : `, schema ${current}`;
  const names = others.map(({ schema }) => schema).join(', ');
  throw new StoreError(
    'other-schema',
    `There is no installation in ${where}${here}, but there is one in schema ${names} of the same database. Set DATABASE_SCHEMA=${first.schema} to use it. A new installation needs a separate database.`,
  );
}
