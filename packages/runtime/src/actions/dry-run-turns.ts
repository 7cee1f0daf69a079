import type { Principal } from '@ledger-ops/auth';
import { createFairQueue, type FairQueue } from '@ledger-ops/base';

/** Dry runs of one ledger at once on a server, and those that may wait. */
const atOnce = 32;
const mayWait = 1_000;

/** Runs a question to an open ledger when it is the caller's turn there. @throws Problem `too-many-requests` */
export type DryRunTurns = <T>(
  caller: Pick<Principal, 'organizationUid' | 'projectUid' | 'serviceId'>,
  ledger: object,
  ask: () => Promise<T>,
) => Promise<T>;

/**
 * Turns on each ledger by itself, so that one that is slow concerns nobody else: dry runs cost their callers nothing,
 * and a ledger has room for so many questions only.
 */
export function createDryRunTurns(): DryRunTurns {
  const queues = new WeakMap<object, FairQueue>();
  return ({ organizationUid, projectUid, serviceId }, ledger, ask) => {
    const queue =
      queues.get(ledger) ??
      createFairQueue({ limit: atOnce, capacity: mayWait, what: 'dry runs are waiting for this ledger' });
    queues.set(ledger, queue);
    return queue.run([organizationUid, projectUid, serviceId], ask);
  };
}
