import { join } from 'node:path';
import { moveToPostgres } from '@ledger-ops/store';
import { databaseFile } from '../database-place.ts';
import { version } from '../version.ts';
import { type Command, CommandError } from './command.ts';

/** From one file to a database that several servers share. */
export const move: Command = {
  about: 'Moves the SQLite database of DATA_DIR to the PostgreSQL database of DATABASE_URL.',
  more: `Stop the server first, and make a backup. The PostgreSQL database must be empty. Every row is read back from it and compared;
until then no server opens it, and from then on none opens the SQLite database. If it ends early, run it again: it goes on.
Start the servers with the same master key. administrator.json and mails that were not sent stay in DATA_DIR.`,
  arguments: {},
  options: {},
  async run({ config, progress }) {
    const { dataDir, databaseUrl } = config();
    if (databaseUrl === undefined) {
      throw new CommandError(
        'Give DATABASE_URL (postgres://user:password@host:port/database): it is moved there.',
      );
    }
    const file = join(dataDir, databaseFile);
    const done = await moveToPostgres({ file, url: databaseUrl.reveal(), version, progress });
    const rows = Object.values(done.tables).reduce((sum, table) => sum + table.rows, 0);
    return {
      code: 0,
      lines: [
        `${done.where}: ${rows} rows in ${Object.keys(done.tables).length} tables, all as in ${file}; ${done.written} were written now.`,
        `${file} is not opened any more. Start the server with DATABASE_URL.`,
      ],
      data: { file, ...done },
    };
  },
};
