import { addressOf, type Base58 } from '../base58.ts';
import type { AccountState, Bank } from '../runtime/bank.ts';

export const tokenPrograms: readonly Base58[] = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
];
const accountSize = 165;
const mintSize = 82;
const multisigSize = 355;

export interface TokenAccount {
  mint: Base58;
  owner: Base58;
  amount: bigint;
  delegate: Base58 | undefined;
  state: 'initialized' | 'frozen';
  /** Only for accounts of native lamports: the amount that is reserved for rent. */
  native: bigint | undefined;
  delegatedAmount: bigint;
  closeAuthority: Base58 | undefined;
}

export interface Mint {
  decimals: number;
  supply: bigint;
  mintAuthority: Base58 | undefined;
  freezeAuthority: Base58 | undefined;
}

export interface TokenAmount {
  amount: string;
  decimals: number;
  uiAmount: number | null;
  uiAmountString: string;
}

export interface TokenBalance {
  accountIndex: number;
  mint: Base58;
  owner: Base58;
  programId: Base58;
  uiTokenAmount: TokenAmount;
}

/**
 * Returns the kind of a token program's account. An account with extensions is longer: a byte with its kind and the
 * extensions follow the fixed size.
 */
const kindOf = (data: Uint8Array): 'mint' | 'account' | undefined => {
  if (data.length === mintSize) return 'mint';
  if (data.length === accountSize) return 'account';
  if (data.length < accountSize || data.length === multisigSize) return undefined;
  return data[accountSize] === 1 ? 'mint' : data[accountSize] === 2 ? 'account' : undefined;
};

const optionalAddress = (data: Buffer, at: number) =>
  data.readUInt32LE(at) === 1 ? addressOf(data.subarray(at + 4, at + 36)) : undefined;

export function readTokenAccount(account: AccountState | undefined): TokenAccount | undefined {
  if (account === undefined || !tokenPrograms.includes(account.owner)) return undefined;
  const data = Buffer.from(account.data);
  if (kindOf(data) !== 'account' || data[108] === 0) return undefined;
  return {
    mint: addressOf(data.subarray(0, 32)),
    owner: addressOf(data.subarray(32, 64)),
    amount: data.readBigUInt64LE(64),
    delegate: optionalAddress(data, 72),
    state: data[108] === 2 ? 'frozen' : 'initialized',
    native: data.readUInt32LE(109) === 1 ? data.readBigUInt64LE(113) : undefined,
    delegatedAmount: data.readBigUInt64LE(121),
    closeAuthority: optionalAddress(data, 129),
  };
}

export function readMint(account: AccountState | undefined): Mint | undefined {
  if (account === undefined || !tokenPrograms.includes(account.owner)) return undefined;
  const data = Buffer.from(account.data);
  if (kindOf(data) !== 'mint' || data[45] === 0) return undefined;
  return {
    mintAuthority: optionalAddress(data, 0),
    supply: data.readBigUInt64LE(36),
    decimals: data[44] ?? 0,
    freezeAuthority: optionalAddress(data, 46),
  };
}

export function tokenAmount(amount: bigint, decimals: number): TokenAmount {
  const digits = String(amount).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const text = fraction === '' ? whole : `${whole}.${fraction}`;
  return { amount: String(amount), decimals, uiAmount: Number(text), uiAmountString: text };
}

/** Returns the balances of the token accounts among a transaction's accounts. */
export function tokenBalances(bank: Bank, accounts: readonly Base58[]): TokenBalance[] {
  if (!accounts.some((address) => tokenPrograms.includes(address))) return [];
  return accounts.flatMap((address, accountIndex) => {
    const account = bank.get(address);
    const token = readTokenAccount(account);
    if (account === undefined || token === undefined) return [];
    const mint = readMint(bank.get(token.mint));
    if (mint === undefined) return [];
    return [
      {
        accountIndex,
        mint: token.mint,
        owner: token.owner,
        programId: account.owner,
        uiTokenAmount: tokenAmount(token.amount, mint.decimals),
      },
    ];
  });
}
