import type { Dialect } from './dialect.ts';

/** The installation, and where its database is. */
export function installationTables(d: Dialect) {
  return {
    /** One row, inserted when a server first starts. */
    installation: d.table('installation', {
      /** Always 1. */
      id: d.int('id').primaryKey(),
      /** Random UUID. `adopt --copy` assigns a new one. */
      installationId: d.text('installation_id').notNull(),
      /**
       * JSON of the database's identity (`DatabaseIdentity`) at the last startup; null if the next startup
       * must record it.
       */
      identity: d.text('identity'),
      /**
       * When a server was last known to use the database, in milliseconds since the epoch. The value
       * increases with each heartbeat, and is also in a file of the server's data folder. If the database has
       * a smaller value than the file, it was restored to an earlier state.
       */
      heartbeat: d.int('heartbeat').notNull(),
      /**
       * How a server noticed that the database was restored to an earlier state. No server signs until an
       * operator has decided. Null if no server noticed this.
       */
      setBack: d.text('set_back'),
    }),
  };
}
