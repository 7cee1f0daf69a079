import { mkdir } from 'node:fs/promises';
import { demandServerRights, migrate as migrateDatabase, readSchema } from '@ledger-ops/store';
import { databasePlace } from '../database-place.ts';
import { version } from '../version.ts';
import { type Command, found } from './command.ts';

/** Updates the schema, like the server does at startup. */
export const migrate: Command = {
  about: 'Updates the database’s schema to this version, and reports the changes.',
  more: `A server does the same when it starts. Migrations only add to the schema, so servers of the previous version keep running.
If a newer version has already migrated the database, the command fails and names the version that you need.`,
  arguments: {},
  options: {
    check: { type: 'boolean', about: 'Change nothing: exit with 3 if migrations are pending.' },
  },
  async run({ options, config }) {
    const settings = config();
    const place = databasePlace(settings);
    const isCheck = options.check === true;
    if (!isCheck && place.file !== undefined) await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
    const { applied, pending } = await (isCheck ? readSchema(place) : migrateDatabase(place));
    if (isCheck) await demandServerRights(place);
    const isDue = isCheck && pending.length > 0;
    const done = isCheck ? 'To be applied' : 'Applied';
    return {
      code: isDue ? found : 0,
      lines:
        pending.length === 0
          ? [`The schema is up to date with version ${version}: ${applied.at(-1)}.`]
          : [`${done}: ${pending.join(', ')}.`],
      data: { version, before: applied, [isCheck ? 'pending' : 'applied']: pending },
    };
  },
};
