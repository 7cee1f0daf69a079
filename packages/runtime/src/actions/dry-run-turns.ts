import type { Principal } from '@ledger-ops/auth';
import { createFairQueue, type FairQueue } from '@ledger-ops/base';

/**
 * Limits per server and ledger, in this order: concurrent dry runs, concurrent dry runs of one organization, and
 * waiting dry runs.
 */
const limit = 32;
const limitEach = 16;
const capacity = 1_000;

/**
 * Calls `ask`, which runs one operation, when it is the caller's turn on the ledger.
 * @throws Problem `too-many-requests`
 */
export type DryRunTurns = <T>(
  caller: Pick<Principal, 'organizationUid' | 'projectUid' | 'serviceId'>,
  ledger: object,
  ask: () => Promise<T>,
) => Promise<T>;

/**
 * Limits dry runs per ledger, so that a slow ledger does not delay others. Callers pay nothing for dry runs, but a
 * ledger's nodes can process only a limited number at a time.
 */
export function createDryRunTurns(): DryRunTurns {
  const queues = new WeakMap<object, FairQueue>();
  return ({ organizationUid, projectUid, serviceId }, ledger, ask) => {
    const queue =
      queues.get(ledger) ??
      createFairQueue({ limit, limitEach, capacity, what: 'dry runs are already waiting for this ledger' });
    queues.set(ledger, queue);
    return queue.run([organizationUid, projectUid, serviceId], ask);
  };
}
