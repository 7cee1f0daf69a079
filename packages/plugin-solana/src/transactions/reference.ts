import { createHash } from 'node:crypto';
import { getAddressDecoder } from '@solana/kit';

/**
 * An unowned address that distinguishes the transaction of an action from identical ones, and by which it can be found
 * on the ledger (`getSignaturesForAddress`).
 */
export function referenceOf(actionId: string): string {
  return getAddressDecoder().decode(createHash('sha256').update(`ledger-ops action ${actionId}`).digest());
}
