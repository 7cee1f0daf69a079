import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api';
import { statementBreak } from '../src/migrations.ts';
import { postgresDialect, sqliteDialect } from '../src/schema/dialect.ts';
import { buildTables } from '../src/schema/index.ts';

/** The text of the initial migration, made from the description by drizzle-kit, without a network or a database. */
export async function initialMigration(dialect: 'sqlite' | 'postgres'): Promise<string> {
  const statements =
    dialect === 'sqlite'
      ? await generateSQLiteMigration(
          await generateSQLiteDrizzleJson({}),
          await generateSQLiteDrizzleJson(buildTables(sqliteDialect)),
        )
      : await generateMigration(generateDrizzleJson({}), generateDrizzleJson(buildTables(postgresDialect)));
  return textOf(statements);
}

/**
 * The step of PostgreSQL from the schema of other sources, which lie in the folder of their `store`, to that of these.
 * Only where nothing is gone: else drizzle-kit asks at a terminal whether it was renamed.
 */
export async function postgresStepFrom(store: URL): Promise<string> {
  return textOf(
    await generateMigration(await describe(store), generateDrizzleJson(buildTables(postgresDialect))),
  );
}

/** Tables and columns of PostgreSQL, as `table` and `table.column`, that those sources have and these do not. */
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

/** A description of tables as drizzle-kit's snapshots have it. */
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
