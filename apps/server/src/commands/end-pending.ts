import { openAlone, type Place } from '@ledger-ops/store';
import { adoptAs } from '../installation/adopt-database.ts';
import { endPendingIn } from '../installation/end-pending-actions.ts';
import type { Command } from './command.ts';

/** Fails the pending actions of a restored database that would have to be signed, like `restore --pending=end`. */
export const endPending: Command = {
  about:
    'Fails unsigned pending actions after you restored a database with its own tools, so that no action is executed twice.',
  more: `For PostgreSQL after pg_restore or a point-in-time recovery. Run it before the first server starts on the restored database:
an action that is pending there may have been executed after the restored point in time, and would be executed again. At the first start,
actions that would have to be signed become FAILED; signed ones are sent again, which changes nothing if the ledger has them.
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
  `Of ${pending} pending actions, those that would have to be signed fail at the next start. Signed ones are sent again, which changes nothing if the ledger has them.`;

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
