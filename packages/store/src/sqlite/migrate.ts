import type Database from 'better-sqlite3';
import {
  type AppliedMigration,
  pendingMigrations,
  readMigrations,
  type SchemaMark,
  type SchemaState,
  schemaState,
  withoutMark,
} from '../migrations.ts';

const readApplied = 'select number, name, hash, version from schema_migration order by number';

/** Migrates the schema to this version, in one transaction. Returns the state before the migration. */
export async function migrateSqlite(
  writer: Database.Database,
  file: string,
  version?: string,
): Promise<SchemaState> {
  const known = await readMigrations('sqlite');
  return writer
    .transaction(() => {
      writer.exec(
        'create table if not exists schema_migration (number integer primary key not null, name text not null, hash text not null, applied_at integer not null, version text)',
      );
      const applied = writer.prepare<[], AppliedMigration>(readApplied).all();
      const place = { where: file, version };
      const record = writer.prepare('insert into schema_migration values (?, ?, ?, ?, ?)');
      for (const migration of pendingMigrations(known, applied, place)) {
        for (const statement of migration.statements) writer.exec(statement);
        const { number, name, hash } = migration;
        record.run(BigInt(number), name, hash, BigInt(Date.now()), version ?? null);
      }
      return schemaState(known, applied, place);
    })
    .immediate();
}

/** Reads the state of the schema, without changing it. */
export async function readSqliteSchema(
  reader: Database.Database,
  file: string,
  version?: string,
): Promise<SchemaState> {
  const known = await readMigrations('sqlite');
  const table = reader.prepare("select 1 from sqlite_master where name = 'schema_migration'").get();
  const applied = table === undefined ? [] : reader.prepare<[], AppliedMigration>(readApplied).all();
  return schemaState(known, applied, { where: file, version });
}

/** Like `readSqliteSchema`, for a database that may have a mark. Also returns the message of the mark. */
export async function readMarkedSchema(
  reader: Database.Database,
  file: string,
  version?: string,
): Promise<SchemaState & { readonly mark: string | undefined }> {
  const { migrations, mark } = withoutMark(reader.prepare<[], AppliedMigration>(readApplied).all());
  const state = schemaState(await readMigrations('sqlite'), migrations, { where: file, version });
  return { ...state, mark: mark?.hash };
}

/** Marks a database, so that servers no longer open it. */
export function markSqlite(writer: Database.Database, { number, name, hash }: SchemaMark): void {
  writer
    .prepare('insert into schema_migration values (?, ?, ?, ?, null)')
    .run(BigInt(number), name, hash, BigInt(Date.now()));
}
