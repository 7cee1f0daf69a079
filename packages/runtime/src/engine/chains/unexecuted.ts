import type { ExpiredAction } from '../../rows/actions/deadlines.ts';
import type { Settlement } from '../../rows/model.ts';
import type { Tracker } from '../tracking/tracker.ts';
import type { ChainContext } from './chain-context.ts';

/**
 * Returns the settlements of expired actions that the ledger has certainly not executed. A failed action never happens, but a
 * database that was set back does not know what was executed since. So the accounts of exclusive wallets are compared with the
 * ledger first. While an account has unknown transactions, or its ledger does not answer, its actions stay pending.
 */
export async function unexecuted(
  context: ChainContext,
  trackers: readonly Tracker[],
  expired: readonly ExpiredAction[],
): Promise<Settlement[]> {
  const doubtful = new Set<string>();
  const accounts = Map.groupBy(
    expired.filter(({ isEndedByPerson }) => !isEndedByPerson),
    ({ address }) => address,
  );
  for (const [address, [first]] of accounts) {
    const tracker = trackers.find(({ open }) => open.record.uid === first?.ledgerUid);
    if (first !== undefined && (await isDoubtful(context, tracker, first))) doubtful.add(address);
  }
  return expired.flatMap(({ address, isEndedByPerson, settlement }) =>
    isEndedByPerson || !doubtful.has(address) ? settlement : [],
  );
}

/** Without a tracker, nothing follows the ledger: then nobody can compare. */
async function isDoubtful(
  { accounts, unknown, log }: ChainContext,
  tracker: Tracker | undefined,
  { address, shard }: ExpiredAction,
): Promise<boolean> {
  if (await unknown.isKnownAhead(address)) return true;
  if (tracker === undefined || tracker.open.definition.capabilities.sequence === 'none') return false;
  if (!(await unknown.isExclusive(address))) return false;
  try {
    const needs = { sequence: true, cost: null };
    await accounts.refresh(accounts.get(address, shard), tracker.open.session, needs);
  } catch (error) {
    const detail = error instanceof Error ? error.name : 'unknown';
    log('info', 'deadline.not-compared', { ledgerId: tracker.open.record.ledgerId, address, detail });
    return true;
  }
  return await unknown.isKnownAhead(address);
}
