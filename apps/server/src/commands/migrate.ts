import { mkdir } from 'node:fs/promises';
import { migrate as migrateDatabase, readSchema } from '@ledger-ops/store';
import { databasePlace } from '../database-place.ts';
import { version } from '../version.ts';
import { type Command, found } from './command.ts';

/** Brings the schema up to date, as a start does. */
export const migrate: Command = {
  about: 'Brings the database’s schema up to this version, and says what it did.',
  more: `A server does the same when it starts. Schemas only ever get more: servers of the version before go on beside it.
A database that a newer version has changed is refused, and the version told that is needed.`,
  arguments: {},
  options: {
    check: { type: 'boolean', about: 'Change nothing: exit with 3 where something is to be done.' },
  },
  async run({ options, config }) {
    const settings = config();
    const place = databasePlace(settings);
    const isCheck = options.check === true;
    if (!isCheck && place.file !== undefined) await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
    const { applied, pending } = await (isCheck ? readSchema(place) : migrateDatabase(place));
    const isDue = isCheck && pending.length > 0;
    const done = isCheck ? 'To be applied' : 'Applied';
    return {
      code: isDue ? found : 0,
      lines:
        pending.length === 0
          ? [`The schema is that of version ${version}: ${applied.at(-1)}.`]
          : [`${done}: ${pending.join(', ')}.`],
      data: { version, before: applied, [isCheck ? 'pending' : 'applied']: pending },
    };
  },
};
