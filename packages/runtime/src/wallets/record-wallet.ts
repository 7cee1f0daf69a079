import { type Activity, type Actor, recordActivity } from '@ledger-ops/auth';
import type { Tx } from '@ledger-ops/store';
import type { WalletRow } from './types.ts';

/**
 * Adds a timeline record about an operation on a wallet, in the transaction that performs it. The record's details
 * contain the ledger.
 */
export async function recordWallet(
  tx: Tx,
  actor: Actor,
  action: 'create' | 'update' | 'change-password' | 'export' | 'renew' | 'wrong-password',
  wallet: Pick<WalletRow, 'uid' | 'walletId' | 'projectId' | 'ledgerId'>,
  now: number,
  changes?: Activity['changes'],
): Promise<void> {
  const { uid, walletId, projectId, ledgerId } = wallet;
  await recordActivity(
    tx,
    actor,
    {
      action,
      service: 'cloud-wallet',
      resourceUid: uid,
      resourceId: walletId,
      resourceType: 'cloud-wallet',
      scope: projectId,
      targetObject: ledgerId,
      ...(changes === undefined ? {} : { changes }),
    },
    now,
  );
}
