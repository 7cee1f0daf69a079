import type { Dialect } from './dialect.ts';

/** The installation, and the location of its database. */
export function installationTables(d: Dialect) {
  return {
    /** Contains one row, which is inserted when a server first starts. */
    installation: d.table('installation', {
      /** Always 1, because there is only one row. */
      id: d.int('id').primaryKey(),
      /** A random UUID. The command `adopt --copy` assigns a new one. */
      installationId: d.text('installation_id').notNull(),
      /**
       * JSON of the database's identity (`DatabaseIdentity`) when a server last started; null if the next startup must
       * record it.
       */
      identity: d.text('identity'),
      /**
       * When a server is last known to have used the database, in milliseconds since the epoch. The value increases
       * with each heartbeat, and is also stored in a file in the server's data folder. If the value in the database is
       * smaller than the one in the file, the database was restored to an earlier state.
       */
      heartbeat: d.int('heartbeat').notNull(),
      /**
       * How a server detected that the database was restored to an earlier state; null if no server detected this. If
       * it is set, no server signs until an operator has decided what to do.
       */
      setBack: d.text('set_back'),
    }),
  };
}
