import { readJson, type SqlValue } from '@ledger-ops/store';

/**
 * Returns the party name of a wallet that co-signs or pays for another wallet's action. A co-signer that is also a
 * receiver appears in listings only as a receiver, so that no listing contains an action twice.
 */
export function coSignerParty(walletUid: string, receives: boolean): string {
  return `${receives ? 'sr' : 's'}:${walletUid}`;
}

/** Whether a party has its own listing. */
export function isListed(party: string): boolean {
  return !party.startsWith('sr:');
}

/** Whether a party is a receiving account, which is public. */
export function isReceiver(party: string): boolean {
  return !/^sr?:/.test(party);
}

/** Returns the co-signing wallets among an action's parties. */
export function coSignersOf(receivers: string | null): string[] {
  const parties = readJson<string[]>(receivers) ?? [];
  return parties.flatMap((party) => /^sr?:(.+)$/.exec(party)?.[1] ?? []);
}

/**
 * SQL condition: the wallet co-signed.
 * @param contains name of the dialect's function that returns the position of one string in another
 */
export function signsToo(contains: string, walletUid: string, param: (value: SqlValue) => string): string {
  const parties = [false, true].map((receives) => JSON.stringify(coSignerParty(walletUid, receives)));
  return `(${parties.map((party) => `${contains}(action.receivers, ${param(party)}) > 0`).join(' OR ')})`;
}
