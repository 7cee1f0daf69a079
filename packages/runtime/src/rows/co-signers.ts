import { readJson, type SqlValue } from '@ledger-ops/store';

/**
 * A wallet that signs an action of another one, or pays for it, as a party of it. One that receives too is listed by that
 * alone, so that no list has an action twice.
 */
export function coSignerParty(walletUid: string, receives: boolean): string {
  return `${receives ? 'sr' : 's'}:${walletUid}`;
}

/** Whether actions are listed for a party. */
export function isListed(party: string): boolean {
  return !party.startsWith('sr:');
}

/** Whether it is a party that everybody sees, as an account that receives. */
export function isReceiver(party: string): boolean {
  return !/^sr?:/.test(party);
}

/** Wallets that signed too, of an action's parties. */
export function coSignersOf(receivers: string | null): string[] {
  const parties = readJson<string[]>(receivers) ?? [];
  return parties.flatMap((party) => /^sr?:(.+)$/.exec(party)?.[1] ?? []);
}

/** SQL: the wallet signed too. @param contains a function of the dialect that tells the place of a text in another */
export function signsToo(contains: string, walletUid: string, param: (value: SqlValue) => string): string {
  const parties = [false, true].map((receives) => JSON.stringify(coSignerParty(walletUid, receives)));
  return `(${parties.map((party) => `${contains}(action.receivers, ${param(party)}) > 0`).join(' OR ')})`;
}
