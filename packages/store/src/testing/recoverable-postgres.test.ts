import { expect, it } from 'vitest';
import { noPostgresPrograms } from './postgres-programs.ts';
import { RecoverablePostgres } from './recoverable-postgres.ts';

it('recovers a PostgreSQL server to a time after its last commit', async ({ skip }) => {
  skip(noPostgresPrograms !== undefined, noPostgresPrograms);
  const postgres = await RecoverablePostgres.start();
  try {
    await postgres.asAdministrator((client) => client.query('create table kept ()'));
    await postgres.backUp();
    await postgres.recoverTo(await postgres.now());
    const { rows } = await postgres.asAdministrator((client) =>
      client.query("select to_regclass('kept') as kept"),
    );
    expect(rows).toEqual([{ kept: 'kept' }]);
  } finally {
    await postgres.stop();
  }
});
