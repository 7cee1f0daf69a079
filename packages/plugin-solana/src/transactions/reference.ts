import { createHash } from 'node:crypto';
import { getAddressDecoder } from '@solana/addresses';

/**
 * Returns an address without an owner. It makes an action's transaction differ from otherwise identical ones,
 * and the transaction can be found by this address (`getSignaturesForAddress`).
 */
export function referenceOf(actionId: string): string {
  return getAddressDecoder().decode(createHash('sha256').update(`ledger-ops action ${actionId}`).digest());
}
