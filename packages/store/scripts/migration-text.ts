import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api';
import { statementBreak } from '../src/migrations.ts';
import { postgresDialect, sqliteDialect } from '../src/schema/dialect.ts';
import { buildTables } from '../src/schema/index.ts';

/**
 * Returns the SQL of the initial migration. drizzle-kit generates it from the table descriptions, without network
 * access or a database.
 */
export async function initialMigration(dialect: 'sqlite' | 'postgres'): Promise<string> {
  const statements =
    dialect === 'sqlite'
      ? await generateSQLiteMigration(
          await generateSQLiteDrizzleJson({}),
          await generateSQLiteDrizzleJson(buildTables(sqliteDialect)),
        )
      : await generateMigration(generateDrizzleJson({}), generateDrizzleJson(buildTables(postgresDialect)));
  return textOf(dialect === 'sqlite' ? statements.map(inKeyOrder) : statements);
}

/**
 * SQLite tables that have no storage besides the index of their primary key (WITHOUT ROWID). drizzle-kit cannot express
 * this. All columns of their rows are short.
 */
const keyOrdered = ['action_listed', 'action_summary', 'action_tally'];

function inKeyOrder(statement: string): string {
  return keyOrdered.some((table) => statement.startsWith(`CREATE TABLE \`${table}\` `))
    ? statement.trim().replace(/\);$/, ') WITHOUT ROWID;')
    : statement;
}

/**
 * Returns the PostgreSQL migration from the schema of another source tree to that of this tree. Call this only if
 * `goneSince` returns nothing: otherwise, drizzle-kit asks on the terminal whether something was renamed.
 * @param store URL of the other tree's store package
 */
export async function postgresStepFrom(store: URL): Promise<string> {
  return textOf(
    await generateMigration(await describe(store), generateDrizzleJson(buildTables(postgresDialect))),
  );
}

/**
 * Returns the PostgreSQL tables and columns that the other source tree has and this one does not, as `table` and
 * `table.column`.
 */
export async function goneSince(store: URL): Promise<string[]> {
  const now = namesOf(generateDrizzleJson(buildTables(postgresDialect)));
  return [...namesOf(await describe(store))].filter((name) => !now.has(name));
}

async function describe(store: URL) {
  const [{ postgresDialect: dialect }, { buildTables: build }] = await Promise.all([
    import(new URL('src/schema/dialect.ts', store).href),
    import(new URL('src/schema/index.ts', store).href),
  ]);
  return generateDrizzleJson(build(dialect));
}

/** The part of a table in drizzle-kit's snapshot format that is read here. */
interface Described {
  readonly tables: Readonly<Record<string, { readonly name: string; readonly columns: object }>>;
}

function namesOf({ tables }: Described): Set<string> {
  return new Set(
    Object.values(tables).flatMap(({ name, columns }) => [
      name,
      ...Object.keys(columns).map((column) => `${name}.${column}`),
    ]),
  );
}

function textOf(statements: readonly string[]): string {
  return `${statements.map((statement) => statement.trim()).join(`\n${statementBreak}\n`)}\n`;
}
