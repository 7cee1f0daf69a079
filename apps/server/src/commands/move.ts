import { join } from 'node:path';
import { moveToPostgres } from '@ledger-ops/store';
import { databaseFile } from '../database-place.ts';
import { version } from '../version.ts';
import { type Command, CommandError } from './command.ts';

/** Moves data from one SQLite file to a database that several servers can share. */
export const move: Command = {
  about: 'Moves the SQLite database of DATA_DIR to the PostgreSQL database of DATABASE_URL.',
  more: `Stop the server first, and make a backup. The PostgreSQL database must be empty. Every row is read back and compared with the original.
Servers do not open the PostgreSQL database before that, or the SQLite database afterwards. If the command is interrupted, run it again.
Start the servers with the same master key. administrator.json and unsent mails stay in DATA_DIR.`,
  arguments: {},
  options: {},
  async run({ config, progress }) {
    const { dataDir, databaseUrl, databaseSchema: schema } = config();
    if (databaseUrl === undefined) {
      throw new CommandError(
        'Set DATABASE_URL (postgres://user:password@host:port/database) to the target database.',
      );
    }
    const file = join(dataDir, databaseFile);
    const done = await moveToPostgres({ file, url: databaseUrl.reveal(), schema, version, progress });
    const rows = Object.values(done.tables).reduce((sum, table) => sum + table.rows, 0);
    return {
      code: 0,
      lines: [
        `${done.where}: ${rows} rows in ${Object.keys(done.tables).length} tables, all identical to ${file}; ${done.written} were written now.`,
        `${file} is no longer opened. Start the server with DATABASE_URL.`,
      ],
      data: { file, ...done },
    };
  },
};
