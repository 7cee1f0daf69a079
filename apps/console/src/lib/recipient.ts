import type { Schemas } from '../api/types.ts';

/** Who receives a transfer: a wallet of the service, or an address on the ledger. */
export interface Recipient {
  readonly kind: 'wallet' | 'address';
  readonly resource: string;
}

/** The wallets of which ids are known; not complete: there are more. */
interface Known {
  readonly walletIds: readonly string[];
  readonly isComplete: boolean;
}

/** As the service takes ids of wallets. */
const walletId = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Reads to whom a transfer goes. What is no wallet that is known is an address, unless there are wallets that are not known
 * and it is not written as addresses of the ledger are. A wrong guess is refused by the service: it knows no such wallet.
 *
 * @param form of addresses on the ledger; undefined: nothing says it
 * @returns undefined: it is neither
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

/** Whether a text is written as addresses of a ledger are. */
export function fits(text: string, { pattern }: Schemas['AddressForm']): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    // Patterns are those of RE2, which has some that browsers have not. The service looks again.
    return true;
  }
}
