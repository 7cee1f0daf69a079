import { createHash } from 'node:crypto';
import { getAddressDecoder } from '@solana/kit';

/**
 * An address of nobody by which the transaction of an action can be told from others that do the same, and by which it is
 * found on the ledger (`getSignaturesForAddress`).
 */
export function referenceOf(actionId: string): string {
  return getAddressDecoder().decode(createHash('sha256').update(`ledger-ops action ${actionId}`).digest());
}
