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
  return `${statements.map((statement) => statement.trim()).join(`\n${statementBreak}\n`)}\n`;
}
