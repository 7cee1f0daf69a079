import { createHash } from 'node:crypto';
import { getAddressDecoder } from '@solana/addresses';

/**
 * Returns an address without an owner. It distinguishes the transaction of an action from identical ones, and
 * the transaction can be found by it (`getSignaturesForAddress`).
 */
export function referenceOf(actionId: string): string {
  return getAddressDecoder().decode(createHash('sha256').update(`ledger-ops action ${actionId}`).digest());
}
