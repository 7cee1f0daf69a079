import { openAlone, type Place } from '@ledger-ops/store';
import { databasePlace } from '../database-place.ts';
import { isNewInstallation, neverStarted } from '../lost-database.ts';
import { type Command, CommandError } from './command.ts';

/** Fails the pending actions of a restored database that would have to be signed, like `restore --pending=end`. */
export const endPending: Command = {
  about:
    'Fails unsigned pending actions after you restored a database with its own tools, so that no action is executed twice.',
  more: `For PostgreSQL after pg_restore or a point-in-time recovery, before the first server starts on it: an action that was pending
then may have been executed since, on a ledger that was not restored, and would be executed again. At the first start, actions that would
have to be signed become FAILED; signed ones are sent again, which changes nothing if the ledger has them. Refused while
servers are connected, or if the database holds no installation. Not needed if no server ran after the restored point in time. Updates the schema.`,
  arguments: {},
  options: {},
  async run({ config }) {
    const { pending, where } = await endPendingOf(databasePlace(config()), 'a backup');
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
 * Sets the deadlines to the past, so that the engine fails unsigned actions and those that depend on them. Returns the number of pending actions, and the database.
 *
 * @param source where the database content came from
 * @throws StoreError; CommandError if no server has ever started on the database
 */
export async function endPendingOf(
  place: Place,
  source: string,
): Promise<{ pending: number; where: string }> {
  const store = await openAlone(place);
  try {
    const { where } = store;
    if (await isNewInstallation(store.read)) throw new CommandError(neverStarted(where));
    return await store.transaction(async (tx) => {
      const pending = await tx.run("UPDATE action SET deadline = 0 WHERE status = 'PENDING'");
      await tx.run(
        "UPDATE action SET waiting = $1, waiting_code = NULL WHERE status = 'PENDING' AND stage <> 'signed'",
        [`the database was restored from ${source}, so the action may have been executed since.`],
      );
      return { pending, where };
    });
  } finally {
    await store.close();
  }
}
