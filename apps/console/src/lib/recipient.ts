import { linearPattern } from '@ledger-ops/glo-core';
import type { Schemas } from '../api/types.ts';

/** Recipient of a transfer: a wallet of the service or an address on the ledger. */
export interface Recipient {
  readonly kind: 'wallet' | 'address';
  readonly resource: string;
}

/** Known wallet ids. `isComplete` is false if there are more wallets. */
interface Known {
  readonly walletIds: readonly string[];
  readonly isComplete: boolean;
}

/** The service's format for wallet ids. */
const walletId = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Parses the recipient of a transfer. An input that is not a known wallet is treated as an address.
 * Exception: if the list of wallets is incomplete and the input does not match the ledger's address format,
 * it is treated as a wallet id. The service rejects a wrong guess, because it finds no such wallet.
 *
 * @param form address format of the ledger; undefined if unknown
 * @returns undefined if the input is neither
 */
export function readRecipient(
  text: string,
  { walletIds, isComplete }: Known,
  form: Schemas['AddressForm'] | undefined,
): Recipient | undefined {
  if (text === '') return undefined;
  if (walletIds.includes(text)) return { kind: 'wallet', resource: text };
  const isAddress = form === undefined ? undefined : fits(text, form);
  if (isAddress === true) return { kind: 'address', resource: text };
  if (!isComplete && walletId.test(text)) return { kind: 'wallet', resource: text };
  return isAddress === undefined ? { kind: 'address', resource: text } : undefined;
}

/**
 * Whether a string has the ledger's address format. A plugin chooses the pattern, so it is matched like in the
 * service: in linear time, and not at all if the text is too long.
 */
export function fits(text: string, { pattern }: Schemas['AddressForm']): boolean {
  try {
    const format = linearPattern(pattern);
    return text.length <= format.longest && format.test(text);
  } catch {
    // The service validates the address again.
    return true;
  }
}
