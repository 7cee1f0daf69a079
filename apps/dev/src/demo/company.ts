import type { DevFile } from '../dev-file.ts';

export type DevWallet = DevFile['wallets'][number];

/** Ids of the example company's records. */
export const company = {
  wallets: ['treasury', 'payroll', 'shop-berlin', 'shop-lisbon', 'roastery', 'cold-storage'],
  contracts: { points: 'harbor-points', giftCard: 'gift-card' },
  webhook: 'Bookkeeping',
} as const;

export type WalletName = (typeof company.wallets)[number];

export type Wallets = ReadonlyMap<string, DevWallet>;

/** @throws TypeError if the wallet does not exist */
export function walletOf(wallets: Wallets, name: WalletName): DevWallet {
  const wallet = wallets.get(name);
  if (wallet === undefined) throw new TypeError(`The demo has no wallet ${name}.`);
  return wallet;
}

/** Returns an amount of tokens or ether, both of which have 18 decimals, in the smallest unit. */
export const units = (whole: number): string => `${BigInt(Math.round(whole * 1_000)) * 10n ** 15n}`;
