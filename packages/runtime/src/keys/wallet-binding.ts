import type { WalletRow } from '../wallets/types.ts';
import { keyTypeColumn } from './plugin-key.ts';

/**
 * The values to which the sealed columns of a wallet are bound. The columns cannot be opened in another row, or in a
 * row with another key or address.
 */
export type WalletBinding = Pick<WalletRow, 'uid' | 'ledgerUid' | 'keyType' | 'publicKey' | 'address'>;

/**
 * Returns associated data for sealing, for one purpose. It is a JSON array, so that different values never produce the
 * same string.
 */
export function boundTo(
  purpose: string,
  { uid, ledgerUid, keyType, publicKey, address }: WalletBinding,
  ...more: (number | string)[]
): string {
  const key = Buffer.from(publicKey).toString('base64');
  return JSON.stringify([purpose, uid, ledgerUid, keyTypeColumn(keyType), key, address, ...more]);
}
