// Regenerates the initial migration of both dialects, which is the only one until the first release.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { migrationFolder } from '../src/migrations.ts';
import { initialMigration } from './migration-text.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const folder = migrationFolder(dialect);
  const text = await initialMigration(dialect);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(new URL('0000_initial.sql', folder), text);
}
