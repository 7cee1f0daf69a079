import type { ActionDetails, Schemas } from '../api/types.ts';

/** A token of a token contract. */
export interface Token {
  readonly symbol: string;
  readonly decimals: number;
}

/** Names of parameters that contain amounts of the token, by the token standards and common use. */
const amountNames = /^_?(?:value|amount|wad|supply|initialSupply)_?$/;

/** Whether a parameter of a token contract is an amount of the token. */
export const isTokenAmount = (name: string) => amountNames.test(name);

/** The change of an account's balance, in the smallest unit. */
export interface BalanceChange {
  /** Wallet id or address. */
  readonly account: string;
  /** `transfer`: the account sent or received the amount. `fee`: the ledger charged it. */
  readonly why: 'transfer' | 'fee';
  readonly amount: bigint;
  readonly unit: Schemas['CurrencyUnit'];
}

interface Moved {
  readonly from: string;
  readonly to: string;
  readonly value: string;
}

/**
 * Returns the transfer that an event reports, recognized by the names that token standards use; undefined if
 * it reports none.
 */
function movedBy({ name, args }: Schemas['EmittedEvent']): Moved | undefined {
  const { from, to, value, amount } = args ?? {};
  const moved = value ?? amount;
  if (name !== 'Transfer' || typeof from !== 'string' || typeof to !== 'string') return undefined;
  return typeof moved === 'string' && /^\d+$/.test(moved) ? { from, to, value: moved } : undefined;
}

/**
 * Returns the balance changes that an action caused: in native currency, including the fee, and in tokens whose
 * events report transfers.
 */
export function balanceChanges(
  action: Pick<
    ActionDetails,
    'status' | 'amount' | 'fee' | 'walletId' | 'recipient' | 'names' | 'contract' | 'unit'
  >,
  events: readonly Schemas['EmittedEvent'][],
  token: Token | undefined,
): BalanceChange[] {
  const { status, amount, fee, walletId, recipient, names, contract, unit } = action;
  const changes: BalanceChange[] = [];
  const add = (
    account: string,
    change: bigint,
    of: Schemas['CurrencyUnit'],
    why: BalanceChange['why'] = 'transfer',
  ) => {
    if (change !== 0n) changes.push({ account, why, amount: change, unit: of });
  };
  const sent = status === 'SUCCEEDED' && amount !== null ? BigInt(amount) : 0n;
  const receiver = names.recipient ?? recipient ?? names.contract ?? contract;
  add(walletId, -sent, unit);
  if (receiver !== null) add(receiver, sent, unit);
  if (fee !== null) add(walletId, -BigInt(fee), unit, 'fee');
  for (const event of events) {
    const moved = movedBy(event);
    if (moved === undefined || token === undefined) continue;
    add(moved.from, -BigInt(moved.value), token);
    add(moved.to, BigInt(moved.value), token);
  }
  return changes;
}
