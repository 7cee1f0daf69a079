import { openAlone, type Place } from '@ledger-ops/store';
import { databasePlace } from '../database-place.ts';
import type { Command } from './command.ts';

/** The same for every database, however it was put back; `restore --pending=end` does it to its copy. */
export const endPending: Command = {
  about:
    'After a database was put back by its own tools: has unsigned pending actions FAIL, so that none happens twice.',
  more: `For PostgreSQL after pg_restore or a recovery to a point in time, before the first server starts on it: an action that was pending
then may have been executed since, on a ledger that was not put back, and would be executed once more. With the first start those that would
have to be signed FAIL; what was signed is sent again, which changes nothing where the ledger has it. Refused while
servers are connected. Not needed where nothing ran after the state that was put back. Brings the schema up to date.`,
  arguments: {},
  options: {},
  async run({ config }) {
    const pending = await endPendingOf(databasePlace(config()), 'a backup');
    return {
      code: 0,
      lines: [pending === 0 ? 'No action is pending.' : endsPending(pending)],
      data: { pending },
    };
  },
};

export const endsPending = (pending: number) =>
  `Of ${pending} pending actions, those that would have to be signed FAIL with the next start; what was signed is sent again, which changes nothing where the ledger has it.`;

/**
 * By their deadlines: the engine ends what was not signed in time, and all that depends on it. Answers how many are pending.
 *
 * @param source of what is in the database now
 * @throws StoreError
 */
export async function endPendingOf(place: Place, source: string): Promise<number> {
  const store = await openAlone(place);
  try {
    return await store.transaction(async (tx) => {
      const pending = await tx.run("UPDATE action SET deadline = 0 WHERE status = 'PENDING'");
      await tx.run(
        "UPDATE action SET waiting = $1, waiting_code = NULL WHERE status = 'PENDING' AND stage <> 'signed'",
        [`the database was restored from ${source}, after which it may have been executed.`],
      );
      return pending;
    });
  } finally {
    await store.close();
  }
}
