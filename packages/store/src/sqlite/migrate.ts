import type Database from 'better-sqlite3';
import { type AppliedMigration, pendingMigrations, readMigrations } from '../migrations.ts';

/** Brings the schema up to this version, in one transaction. */
export async function migrateSqlite(writer: Database.Database, file: string): Promise<void> {
  const known = await readMigrations('sqlite');
  writer
    .transaction(() => {
      writer.exec(
        'create table if not exists schema_migration (number integer primary key not null, name text not null, hash text not null, applied_at integer not null)',
      );
      const applied = writer
        .prepare<[], AppliedMigration>('select number, name, hash from schema_migration order by number')
        .all();
      const record = writer.prepare('insert into schema_migration values (?, ?, ?, ?)');
      for (const migration of pendingMigrations(known, applied, file)) {
        for (const statement of migration.statements) writer.exec(statement);
        record.run(BigInt(migration.number), migration.name, migration.hash, BigInt(Date.now()));
      }
    })
    .immediate();
}
