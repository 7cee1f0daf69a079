import type { ExpiredAction } from '../../rows/actions/deadlines.ts';
import type { Tracker } from '../tracking/tracker.ts';
import type { ChainContext } from './chain-context.ts';

/**
 * Returns the accounts whose unsigned actions may already have been executed. The status FAILED promises that an action
 * is never executed, but a restored database does not contain what was executed after the backup. So before
 * unsigned actions of exclusive wallets fail, their accounts are compared with the ledger. An account's actions stay
 * pending while it has unknown transactions, or while its ledger is not served or does not respond.
 */
export async function readDoubtful(
  context: ChainContext,
  trackers: readonly Tracker[],
  expired: readonly ExpiredAction[],
): Promise<Set<string>> {
  const accounts = Map.groupBy(
    expired.filter(({ isEndedByPerson }) => !isEndedByPerson),
    ({ address }) => address,
  );
  const doubtful = await Promise.all(
    [...accounts].map(async ([address, [first]]) => {
      const tracker = trackers.find(({ open }) => open.record.uid === first?.ledgerUid);
      const isDoubtful = first !== undefined && (await mayBeExecuted(context, tracker, first));
      return isDoubtful ? [address] : [];
    }),
  );
  return new Set(doubtful.flat());
}

/**
 * Whether an unsigned action of the account may have been executed, because the account is exclusive and has unknown
 * transactions, or cannot be compared with the ledger now.
 * @param tracker the tracker that follows the ledger; undefined if there is none
 */
export async function mayBeExecuted(
  { accounts, comparisons, unknown, log }: ChainContext,
  tracker: Tracker | undefined,
  { address, shard }: Pick<ExpiredAction, 'address' | 'shard'>,
): Promise<boolean> {
  if (await unknown.isKnownAhead(address)) return true;
  if (!(await unknown.isExclusive(address))) return false;
  if (tracker === undefined) return await unknown.hasHistory(address);
  const { open } = tracker;
  try {
    if (open.definition.capabilities.sequence === 'none') await comparisons.compare(open, address);
    else await accounts.refresh(accounts.get(address, shard), open.session, { sequence: true, cost: null });
  } catch (error) {
    const detail = error instanceof Error ? error.name : 'unknown';
    log('info', 'action.not-compared', { ledgerId: open.record.ledgerId, address, detail });
    return true;
  }
  return await unknown.isKnownAhead(address);
}
