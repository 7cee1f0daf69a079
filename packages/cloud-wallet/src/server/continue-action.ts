import type { AdapterDefinition, LedgerSession, PrepareRequest } from '@ledger-ops/adapter';
import { AdapterError, isTransient } from '@ledger-ops/adapter';
import { messageOfError } from '../problem.ts';
import type { Custody } from './custody.ts';
import { type OtherWallet, othersOf, type SignedAttempt, signAttempts } from './sign-attempts.ts';
import {
  type ActionEnd,
  type AttemptRow,
  attemptRows,
  type ContinuationRow,
  type ServedStore,
} from './store.ts';

/** The result of continuing: transactions to be sent, the end of the action, or nothing yet. */
export type ContinuedAction =
  | { status: 'signed'; attempts: AttemptRow[] }
  | { status: 'ended'; end: ActionEnd }
  | { status: 'later' };

/** Signs the next transaction of an action, and stores it. */
export async function continueAction(
  options: { definition: AdapterDefinition; session: LedgerSession; store: ServedStore; custody: Custody },
  row: ContinuationRow & { chain: string; ledgerId: string; signedAt: number },
): Promise<ContinuedAction> {
  const { definition, session, store, custody } = options;
  const { actionId, chain, ledgerId, signedAt } = row;
  const wallet = store.wallet(row.walletId);
  const grant = custody.openGrant(row.sealed, actionId);
  const others = (grant?.others ?? []).flatMap(({ walletId, key }): OtherWallet[] => {
    const identity = store.wallet(walletId)?.identity;
    return identity === undefined ? [] : [{ walletId, identity, key }];
  });
  if (wallet === undefined || grant === undefined || others.length < grant.others.length) {
    return { status: 'ended', end: failed(new TypeError('What signs it does not open.')) };
  }
  const request: PrepareRequest = {
    actionId,
    wallet: wallet.identity,
    ...othersOf(others),
    plan: row.plan,
    ...(grant.secret === undefined ? {} : { secret: grant.secret }),
  };
  try {
    const signed = await signAttempts(definition, session, { key: grant.key, others }, request);
    const { address } = wallet.identity;
    const attempts = attemptRows(signed, { chain, actionId, ledgerId, address, sequence: null, signedAt });
    return store.addAttempts(actionId, attempts, mayNeedAnother(signed))
      ? { status: 'signed', attempts }
      : { status: 'later' };
  } catch (error) {
    const passing = error instanceof AdapterError && isTransient(error.problem);
    return passing ? { status: 'later' } : { status: 'ended', end: failed(error) };
  } finally {
    grant.key.fill(0);
    for (const { key } of others) key.fill(0);
  }
}

/** Whether one of them may have another one after it: what signs that is kept. */
export function mayNeedAnother(signed: readonly SignedAttempt[]): boolean {
  return signed.some(({ mayContinue, validUntil }) => mayContinue === true || validUntil !== undefined);
}

function failed(error: unknown): ActionEnd {
  return { status: 'FAILED', problem: messageOfError(error) };
}
