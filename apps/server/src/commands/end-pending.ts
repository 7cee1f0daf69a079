import { openAlone, type Place } from '@ledger-ops/store';
import { adoptAs } from '../installation/adopt-database.ts';
import { endPendingIn } from '../installation/end-pending-actions.ts';
import type { Command } from './command.ts';

/** Fails the unsigned pending actions of a restored database, like `restore --pending=end`. */
export const endPending: Command = {
  about:
    'Fails the unsigned pending actions of a database that you restored with database tools, such as pg_restore. Otherwise, they could be executed twice.',
  more: `For PostgreSQL after pg_restore or a point-in-time recovery. Run it before the first server starts on the restored database:
an action that is pending there may have been executed after the restored point in time, and would be executed again. Unsigned actions fail at the next start. Signed ones are resent; this has no effect if the ledger already executed them.
Refused while servers are connected, or if the database contains no installation. Same as adopt --restored; if no server ran after
the restored point in time, use adopt --moved. Updates the schema.`,
  arguments: {},
  options: {},
  async run({ config }) {
    const { pending, where } = await adoptAs('restored', config());
    return {
      code: 0,
      lines: [pending === 0 ? `No actions are pending in ${where}.` : endsPending(pending)],
      data: { pending, database: where },
    };
  },
};

export const endsPending = (pending: number) =>
  `Of ${pending} pending actions, the unsigned ones fail at the next start. Signed ones are resent; this has no effect if the ledger already executed them.`;

/**
 * Ends pending actions of a database that no server has open. Returns the number of pending actions.
 *
 * @param source where the database content came from
 * @throws StoreError
 */
export async function endPendingOf(place: Place, source: string): Promise<number> {
  const store = await openAlone(place);
  try {
    return await store.transaction((tx) => endPendingIn(tx, source));
  } finally {
    await store.close();
  }
}
